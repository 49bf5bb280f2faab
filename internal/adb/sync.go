package adb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

const (
	chunkSize    = 64 << 10 // the most that one DATA may hold
	pathLimit    = 1024
	messageLimit = 64 << 10
)

// Push writes r to a file of the phone. It returns after the phone's verdict: nil means that the file is there, whole.
func (d *Device) Push(ctx context.Context, r io.Reader, path string, mode fs.FileMode, modified time.Time) error {
	err := d.sync(ctx, path, func(c *Conn) error {
		spec := fmt.Appendf(nil, "%s,%d", path, 0o100000|uint32(mode.Perm()))
		if err := c.syncSend("SEND", spec); err != nil {
			return err
		}
		readErr, writeErr := c.sendChunks(r)
		if readErr != nil {
			return readErr // the phone drops what has no DONE
		}
		if writeErr == nil {
			writeErr = c.syncDone(modified)
		}
		// A phone that refuses stops reading: its FAIL says more than the broken pipe.
		if err := c.syncVerdict(); err != nil && (writeErr == nil || !errors.Is(err, ErrCut)) {
			return err
		}
		return writeErr
	})
	if err != nil {
		return fmt.Errorf("pushing %s: %w", path, err)
	}
	return nil
}

func (c *Conn) sendChunks(r io.Reader) (readErr, writeErr error) {
	buf := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if err := c.syncSend("DATA", buf[:n]); err != nil {
				return nil, err
			}
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return nil, nil
		default:
			return err, nil
		}
	}
}

// Pull copies a file of the phone to w. It returns nil after the phone said that this was all. limit is the most bytes
// that are accepted.
func (d *Device) Pull(ctx context.Context, path string, w io.Writer, limit int64) error {
	err := d.sync(ctx, path, func(c *Conn) error {
		if err := c.syncSend("RECV", []byte(path)); err != nil {
			return err
		}
		return c.receive(w, limit)
	})
	if err != nil {
		return fmt.Errorf("pulling %s: %w", path, err)
	}
	return nil
}

func (c *Conn) receive(w io.Writer, limit int64) error {
	for {
		id, n, err := c.syncHead()
		if err != nil {
			return err
		}
		switch id {
		case "DONE":
			return nil
		case "FAIL":
			return c.syncFail(n)
		case "DATA":
		default:
			return fmt.Errorf("%w: sync answer %q", ErrProtocol, id)
		}
		if limit -= int64(n); limit < 0 || n > chunkSize {
			return ErrTooMuch
		}
		if _, err := io.CopyN(w, c, int64(n)); err != nil {
			return cut(err)
		}
	}
}

func (d *Device) sync(ctx context.Context, path string, f func(*Conn) error) error {
	if len(path) > pathLimit {
		return fmt.Errorf("%w: a path of %d bytes, at most %d fit", ErrTooMuch, len(path), pathLimit)
	}
	conn, err := d.Open(ctx, "sync:")
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(conn)
}

func (c *Conn) syncSend(id string, data []byte) error {
	packet := make([]byte, 0, 8+len(data))
	packet = binary.LittleEndian.AppendUint32(append(packet, id...), uint32(len(data)))
	_, err := c.Write(append(packet, data...))
	return err
}

func (c *Conn) syncDone(modified time.Time) error {
	_, err := c.Write(binary.LittleEndian.AppendUint32([]byte("DONE"), uint32(modified.Unix())))
	return err
}

func (c *Conn) syncHead() (id string, n uint32, err error) {
	var head [8]byte
	err = c.full(head[:])
	return string(head[:4]), binary.LittleEndian.Uint32(head[4:]), err
}

func (c *Conn) syncVerdict() error {
	id, n, err := c.syncHead()
	switch {
	case err != nil:
		return err
	case id == "OKAY":
		return nil
	case id == "FAIL":
		return c.syncFail(n)
	}
	return fmt.Errorf("%w: sync answer %q", ErrProtocol, id)
}

func (c *Conn) syncFail(n uint32) error {
	if n > messageLimit {
		return fmt.Errorf("%w: a refusal of %d bytes", ErrTooMuch, n)
	}
	b := make([]byte, n)
	if err := c.full(b); err != nil {
		return err
	}
	return refused("sync", string(b))
}
