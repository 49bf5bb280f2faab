package adb

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

const (
	syncData = 64 << 10 // the most bytes of one packet
	syncText = 4 << 10  // the most bytes of a refusal
)

// Push writes a file to the phone, readable by all. The folders above it have to exist.
func (d *Device) Push(ctx context.Context, from io.Reader, to string) error {
	conn, err := d.Open(ctx, "sync:")
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := push(conn, from, to); err != nil {
		return fmt.Errorf("adb push to %s: %w", to, err)
	}
	return nil
}

func push(conn *Conn, from io.Reader, to string) error {
	target := to + ",33188" // a file of mode 0644
	if _, err := conn.Write(syncPacket("SEND", len(target), []byte(target))); err != nil {
		return err
	}
	part := make([]byte, syncData)
	for {
		n, err := io.ReadFull(from, part)
		if n > 0 {
			// a phone that refuses says so and closes: its reason is read below
			if _, cut := conn.Write(syncPacket("DATA", n, part[:n])); cut != nil {
				break
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	_, sent := conn.Write(syncPacket("DONE", int(time.Now().Unix()), nil))
	var head [8]byte
	if err := conn.full(head[:]); err != nil {
		return err
	}
	id, n := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
	switch {
	case id == "OKAY":
		return sent
	case id != "FAIL" || n > syncText:
		return fmt.Errorf("%w: answer %q, want OKAY or FAIL", ErrProtocol, id)
	}
	text := make([]byte, n)
	if err := conn.full(text); err != nil {
		return err
	}
	return &RefusedError{Service: "sync:", Message: string(text)}
}

// syncPacket is a request of the file service.
func syncPacket(id string, n int, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(id), uint32(n)), body...)
}
