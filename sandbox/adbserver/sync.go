package adbserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	maxPath = 1024     // as the daemon has it
	maxData = 64 << 10 // of one DATA packet
	maxFile = 256 << 20
)

// Modes of files as the protocol has them.
const (
	modeFile = 0o100000
	modeDir  = 0o040000
	modeChar = 0o020000
	typeMask = 0o170000
)

// sync carries out file requests until the client quits.
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
			return c.syncFail("invalid path length: " + strconv.Itoa(int(n)))
		}
		name := make([]byte, n)
		if _, err := io.ReadFull(c.r, name); err != nil {
			return err
		}
		if err := c.syncRequest(id, string(name)); err != nil {
			return err
		}
	}
}

func (c *conn) syncRequest(id, name string) error {
	switch id {
	case "STAT":
		return c.statV1(name)
	case "STA2", "LST2":
		info, err := c.phone.sh.Phone().Files().Stat(name)
		return c.write(append([]byte(id), statV2(info, err)...))
	case "LIST":
		return c.list(name, "DENT")
	case "LIS2":
		return c.list(name, "DNT2")
	case "SEND":
		return c.receiveV1(name)
	case "SND2":
		return c.receiveV2(name)
	case "RECV":
		return c.sendFile(name)
	case "RCV2":
		flags, err := c.options("RCV2", 1)
		if err != nil {
			return err
		}
		if flags[0] != 0 {
			return c.syncFail("compression is not supported")
		}
		return c.sendFile(name)
	}
	return c.syncFail("unknown command " + strconv.Quote(id))
}

// syncFail tells the client and ends the service, as the daemon does.
func (c *conn) syncFail(text string) error {
	_ = c.refuse(text)
	return errors.New(text)
}

// refuse tells the client; the service goes on.
func (c *conn) refuse(text string) error {
	return c.write([]byte("FAIL"), le32(uint32(len(text))), []byte(text))
}

// options reads the second half of a v2 request: its id and n numbers.
func (c *conn) options(id string, n int) ([]uint32, error) {
	buf := make([]byte, 4+4*n)
	if _, err := io.ReadFull(c.r, buf); err != nil {
		return nil, err
	}
	if string(buf[:4]) != id {
		return nil, c.syncFail("expected " + id)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(buf[4+4*i:])
	}
	return out, nil
}

// unixMode is a mode as the protocol has it.
func unixMode(m fs.FileMode) uint32 {
	kind := uint32(modeFile)
	switch {
	case m.IsDir():
		kind = modeDir
	case m&fs.ModeCharDevice != 0:
		kind = modeChar
	}
	return kind | uint32(m.Perm())
}

func (c *conn) statV1(name string) error {
	out := []byte("STAT")
	info, err := c.phone.sh.Phone().Files().Stat(name)
	if err != nil {
		return c.write(append(out, make([]byte, 12)...))
	}
	for _, v := range []uint32{unixMode(info.Mode()), uint32(info.Size()), uint32(info.ModTime().Unix())} {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return c.write(out)
}

// statV2 is the 68 bytes that describe a file, or the error that kept it from being described.
func statV2(info fs.FileInfo, err error) []byte {
	out := le32(errno(err))
	if err != nil {
		return append(out, make([]byte, 64)...)
	}
	le64 := func(v uint64) { out = binary.LittleEndian.AppendUint64(out, v) }
	le64(1)                                                            // device
	le64(inode(info))                                                  //
	for _, v := range []uint32{unixMode(info.Mode()), 1, 2000, 2000} { // links, user, group
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	le64(uint64(info.Size()))
	for range 3 { // access, change of content, change of attributes
		le64(uint64(info.ModTime().Unix()))
	}
	return out
}

// inode is a number that tells files apart; the storage has none.
func inode(info fs.FileInfo) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(info.Name()) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

func errno(err error) uint32 {
	var e syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return uint32(e)
	case errors.Is(err, fs.ErrNotExist):
		return uint32(syscall.ENOENT)
	}
	return uint32(syscall.EIO)
}

// list sends an entry for each file of a folder; of a folder that cannot be read none, as the daemon does.
func (c *conn) list(dir, id string) error {
	entries, _ := c.phone.sh.Phone().Files().List(dir)
	var out []byte
	for _, e := range entries {
		out = append(out, id...)
		if id == "DNT2" {
			out = append(out, statV2(e, nil)...)
		} else {
			for _, v := range []uint32{unixMode(e.Mode()), uint32(e.Size()), uint32(e.ModTime().Unix())} {
				out = binary.LittleEndian.AppendUint32(out, v)
			}
		}
		out = append(out, le32(uint32(len(e.Name())))...)
		out = append(out, e.Name()...)
	}
	end := 16 // what follows the id of an entry
	if id == "DNT2" {
		end = 72
	}
	return c.write(append(append(out, "DONE"...), make([]byte, end)...))
}

// sendFile sends a file to the client.
func (c *conn) sendFile(name string) error {
	data, err := c.phone.sh.Phone().Files().Read(name)
	if err != nil {
		return c.refuse("open failed: " + errorText(err))
	}
	for len(data) > 0 {
		n := min(len(data), maxData)
		if err := c.write([]byte("DATA"), le32(uint32(n)), data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return c.write([]byte("DONE\x00\x00\x00\x00"))
}

// receiveV1 takes a file whose name and mode come as NAME,MODE.
func (c *conn) receiveV1(spec string) error {
	i := strings.LastIndexByte(spec, ',')
	if i < 0 {
		return c.syncFail("missing , in ID_SEND")
	}
	mode, err := strconv.ParseUint(spec[i+1:], 10, 32)
	if err != nil {
		return c.syncFail("bad mode")
	}
	return c.receive(spec[:i], uint32(mode))
}

func (c *conn) receiveV2(name string) error {
	o, err := c.options("SND2", 2)
	if err != nil {
		return err
	}
	if o[1] != 0 {
		return c.syncFail("compression is not supported")
	}
	return c.receive(name, o[0])
}

// receive takes a file from the client. A file that cannot be stored is read to its end all the same, and refused then.
func (c *conn) receive(name string, mode uint32) error {
	var data []byte
	var refused error
	if kind := mode & typeMask; kind != modeFile && kind != 0 {
		refused = syscall.EPERM // links and the like
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return err
		}
		id, n := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		if id == "DONE" {
			if refused == nil {
				refused = c.store(name, data, mode, n)
			}
			break
		}
		if id != "DATA" || n > maxData {
			return c.syncFail(fmt.Sprintf("unexpected packet %q of %d bytes", id, n))
		}
		if refused == nil && len(data)+int(n) > maxFile {
			data, refused = nil, syscall.ENOSPC
		}
		if err := c.take(&data, int(n), refused == nil); err != nil {
			return err
		}
	}
	if refused != nil {
		return c.refuse("couldn't create file: " + errorText(refused))
	}
	return c.write([]byte("OKAY\x00\x00\x00\x00"))
}

// take reads n bytes onto data, or away.
func (c *conn) take(data *[]byte, n int, keep bool) error {
	if !keep {
		_, err := io.CopyN(io.Discard, c.r, int64(n))
		return err
	}
	old := len(*data)
	*data = append(*data, make([]byte, n)...)
	_, err := io.ReadFull(c.r, (*data)[old:])
	return err
}

// store puts a file into the phone's storage, with the folders that it needs.
func (c *conn) store(name string, data []byte, mode, mtime uint32) error {
	files := c.phone.sh.Phone().Files()
	var missing []string
	for dir := path.Dir(path.Clean("/" + name)); dir != "/"; dir = path.Dir(dir) {
		if _, err := files.Stat(dir); err == nil {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := files.Mkdir(missing[i]); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return files.Write(name, data, fs.FileMode(mode&0o777), time.Unix(int64(mtime), 0))
}

// errorText is an error in the words of the C library, where they are known.
func errorText(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		text := e.Error()
		return strings.ToUpper(text[:1]) + text[1:]
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "No such file or directory"
	}
	return err.Error()
}
