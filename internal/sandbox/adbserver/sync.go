package adbserver

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

const (
	maxPath = 1024     // as the daemon has it
	maxData = 64 << 10 // of one DATA packet
)

// Kinds of files as the protocol has them, with what may be done with them.
const (
	modeFile = 0o100660
	modeDir  = 0o040771
)

// sync carries out the file requests of adb pull, STAT and RECV, until the client quits. Nothing
// can be pushed.
func (c *conn) sync() error {
	for {
		var head [8]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return err
		}
		id, n := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		if id == "QUIT" {
			return nil
		}
		if n > maxPath {
			return c.refuse(fmt.Sprintf("invalid path length: %d", n))
		}
		name := make([]byte, n)
		if _, err := io.ReadFull(c.r, name); err != nil {
			return err
		}
		err := error(nil)
		switch id {
		case "STAT":
			err = c.stat(string(name))
		case "RECV":
			err = c.sendFile(string(name))
		default:
			return c.refuse(fmt.Sprintf("the simulated phone does not support %q", id))
		}
		if err != nil {
			return err
		}
	}
}

// refuse answers with the reason why the client gets nothing.
func (c *conn) refuse(text string) error {
	return c.write([]byte("FAIL"), le32(uint32(len(text))), []byte(text))
}

// stat describes a file by mode, size and time, all 0 for a missing file.
func (c *conn) stat(name string) error {
	var mode, size, modified uint32
	if info, err := c.phone.sh.Phone().Files().Stat(name); err == nil {
		mode = modeFile
		if info.Dir {
			mode = modeDir
		}
		size, modified = uint32(len(info.Data)), uint32(info.At.Unix())
	}
	return c.write([]byte("STAT"), le32(mode), le32(size), le32(modified))
}

// sendFile sends a file to the client.
func (c *conn) sendFile(name string) error {
	data, err := c.phone.sh.Phone().Files().Read(name)
	if err != nil {
		return c.refuse("open failed: " + shell.ErrorText(err))
	}
	for len(data) > 0 {
		n := min(len(data), maxData)
		if err := c.write([]byte("DATA"), le32(uint32(n)), data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return c.write([]byte("DONE"), le32(0))
}
