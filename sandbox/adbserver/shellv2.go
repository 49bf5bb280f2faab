package adbserver

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Packets of shell v2: one byte of kind, four of length, then the data.
const (
	packetStdin      = 0
	packetStdout     = 1
	packetStderr     = 2
	packetExit       = 3
	packetCloseStdin = 4
)

// maxPacket bounds a packet from the client; the real client's are smaller.
const maxPacket = 1 << 20

// chunk is how much output goes into one packet.
const chunk = 256 << 10

func (c *conn) shellV2(person bool, cmdline string) error {
	code := c.run(cmdline, person, &packetsIn{c: c}, &packetOut{c, packetStdout},
		&packetOut{c, packetStderr})
	return c.write([]byte{packetExit, 1, 0, 0, 0, byte(code)})
}

// packetOut sends output as packets of one kind.
type packetOut struct {
	c    *conn
	kind byte
}

func (p *packetOut) Write(b []byte) (int, error) {
	for sent := 0; sent < len(b); {
		part := b[sent:min(len(b), sent+chunk)]
		head := append([]byte{p.kind}, le32(uint32(len(part)))...)
		if err := p.c.write(head, part); err != nil {
			p.c.cancel() // the client is gone
			return sent, err
		}
		sent += len(part)
	}
	return len(b), nil
}

// packetsIn reads the client's packets. The connection's end is the client's end.
type packetsIn struct{ c *conn }

func (p *packetsIn) next() (event, error) {
	var head [5]byte
	if _, err := io.ReadFull(p.c.r, head[:]); err != nil {
		return event{}, fmt.Errorf("the client ended: %w", err)
	}
	n := binary.LittleEndian.Uint32(head[1:])
	if n > maxPacket {
		return event{}, fmt.Errorf("a packet of %d bytes", n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(p.c.r, data); err != nil {
		return event{}, fmt.Errorf("the client ended: %w", err)
	}
	switch head[0] {
	case packetStdin:
		return event{data: data}, nil
	case packetCloseStdin:
		return event{end: true}, nil
	}
	return event{}, nil // a terminal's size, and kinds that came later, are passed over
}
