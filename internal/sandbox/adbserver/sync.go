package adbserver

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/shell"
)

const (
	maxPath = 1024     // as the daemon has it
	maxData = 64 << 10 // of one DATA packet
	maxFile = 32 << 20
)

// Kinds of files as the protocol has them, with what may be done with them.
const (
	modeFile = 0o100660
	modeDir  = 0o040771
)

// sync carries out the file requests of adb pull and push, STAT, RECV and SEND, until the client
// quits.
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
		case "SEND":
			err = c.takeFile(string(name))
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

// takeFile takes a file from the client, whose name comes with its mode behind a comma.
func (c *conn) takeFile(target string) error {
	name := target
	if i := strings.LastIndexByte(target, ','); i >= 0 {
		name = target[:i]
	}
	var data []byte
	for {
		var head [8]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return err
		}
		id, n := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		switch {
		case id == "DONE":
			if err := c.phone.sh.Phone().Files().Write(name, data); err != nil {
				return c.refuse("couldn't create file: " + shell.ErrorText(err))
			}
			return c.write([]byte("OKAY"), le32(0))
		case id != "DATA" || n > maxData:
			return c.refuse(fmt.Sprintf("invalid data message %q of %d bytes", id, n))
		}
		part := make([]byte, n)
		if _, err := io.ReadFull(c.r, part); err != nil {
			return err
		}
		if data = append(data, part...); len(data) > maxFile {
			return c.refuse("couldn't write: No space left on device")
		}
	}
}
