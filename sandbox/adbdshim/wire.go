package adbdshim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// Env names the variable that holds the path of the phone's socket.
const Env = "TAPLOOP_SANDBOX_SOCKET"

// Kinds of frames. A frame is its kind, the length of what follows (32 bits, little-endian), and
// that.
const (
	kindArgs  = 'A' // to the phone, first: the folder, the name and the words, as strings
	kindSaved = 'R' // to the phone: errno of a kindSave, and its text
	kindOut   = 'O' // to the stand-in: for stdout
	kindErr   = 'D' // to the stand-in: for stderr
	kindSave  = 'W' // to the stand-in: write a file; its name as a string, then its content
	kindExit  = 'X' // to the stand-in, last: the exit code
)

// maxToPhone bounds a frame to the phone: what a command line may be.
const maxToPhone = 4 << 20

func writeFrame(w io.Writer, kind byte, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	buffers := net.Buffers{append([]byte{kind}, le32(n)...)}
	buffers = append(buffers, parts...)
	_, err := buffers.WriteTo(w)
	return err
}

func readHead(r io.Reader) (kind byte, n int, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, err
	}
	return head[0], int(binary.LittleEndian.Uint32(head[1:])), nil
}

func le32(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// packed is strings with their lengths.
func packed(words []string) []byte {
	var out []byte
	for _, w := range words {
		out = append(append(out, le32(len(w))...), w...)
	}
	return out
}

func unpack(b []byte) ([]string, error) {
	var out []string
	for len(b) > 0 {
		word, rest, err := unpackOne(b)
		if err != nil {
			return nil, err
		}
		out, b = append(out, word), rest
	}
	return out, nil
}

func unpackOne(b []byte) (word string, rest []byte, err error) {
	if len(b) < 4 {
		return "", nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return "", nil, fmt.Errorf("a string of %d bytes in %d", n, len(b)-4)
	}
	return string(b[4 : 4+n]), b[4+n:], nil
}

// saved is the answer to kindSave.
func saved(err error) []byte {
	if err == nil {
		return le32(0)
	}
	code := syscall.EIO
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		code = e
	}
	return append(le32(int(code)), err.Error()...)
}
