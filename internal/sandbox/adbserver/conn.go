package adbserver

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// linger is how long an ended connection is read on, so that what was sent last is not lost to a
// reset.
const linger = 2 * time.Second

// conn is one client's connection.
type conn struct {
	link
	s   *Server
	wg  *sync.WaitGroup // of Serve
	nc  net.Conn
	r   *bufio.Reader
	ctx context.Context // of the connection

	fed chan struct{} // closed when listen is over, nil without it

	wmu sync.Mutex
}

// readRequest reads a request: four hexadecimal digits of length, then the text.
func (c *conn) readRequest() (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil {
		return "", fmt.Errorf("the length of a request is %q", head)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return "", err
	}
	return string(body), nil
}

// okay says that a request was accepted.
func (c *conn) okay() error { return c.write([]byte("OKAY")) }

// send writes a status, OKAY or FAIL, with a text.
func (c *conn) send(status, text string) error {
	return c.write([]byte(status + lengthPrefixed(text)))
}

// lengthPrefixed is a text as the protocol frames it. What does not fit is cut off.
func lengthPrefixed(text string) string {
	text = text[:min(len(text), 0xffff)]
	return fmt.Sprintf("%04x%s", len(text), text)
}

// write sends bytes whole. It may be called from several goroutines. A hung phone's connection does
// not get through.
func (c *conn) write(parts ...[]byte) error {
	if p := c.phone; p != nil {
		if err := c.until(p.now().open); err != nil {
			return err
		}
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	buffers := net.Buffers(parts)
	_, err := buffers.WriteTo(c.nc)
	return err
}

// drain ends the sending side and reads what the client still sends, up to a time: closing with
// unread bytes would reset the connection, and the client could lose the answer.
func (c *conn) drain() {
	half, ok := c.nc.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.nc.SetReadDeadline(time.Now().Add(linger))
	if c.fed != nil { // somebody reads already
		<-c.fed
		return
	}
	_, _ = io.Copy(io.Discard, c.r)
}

// listen has read take all that the client sends from here on. Its error is the client's end, and
// ends what runs. drain waits for its return.
func (c *conn) listen(read func() error) {
	c.fed = make(chan struct{})
	c.wg.Go(func() {
		defer close(c.fed)
		if read() != nil {
			c.cancel()
		}
	})
}

// ready waits until the phone of the connection begins a service: its latency, and for as long as
// it hangs.
func (c *conn) ready() error {
	if err := wait.For(c.ctx, c.phone.now().latency); err != nil {
		return err
	}
	return c.until(c.phone.now().open)
}

// until waits for done, or for the connection's end.
func (c *conn) until(done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

func le32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
