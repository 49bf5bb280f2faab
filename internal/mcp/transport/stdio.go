package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// drainTime is how long the handlers have to return once the client has closed its end.
const drainTime = 2 * time.Second

// ServeStdio serves srv to the client at the other end of in and out, one message per line.
// Requests run concurrently, other messages are handled in order. Nothing else may write to out.
//
// When in ends, the contexts of the handlers end with errEOF. Their results are still written, and
// ServeStdio returns nil, or an error if the handlers do not return within two seconds. A handshake
// has two seconds more. When ctx ends, the same happens with ErrClosed, and the error is ctx's
// cause. A Read of in may then still be blocked until in is closed. Errors of in and out are
// returned.
func ServeStdio(ctx context.Context, srv Server, in io.Reader, out io.Writer,
	opts *Options) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	t := newStdioClient(life, srv, out, settings(opts))
	if err := srv.RegisterSession(ctx, t); err != nil {
		return fmt.Errorf("serving stdio: %w", err)
	}
	defer srv.UnregisterSession(context.WithoutCancel(ctx), t.id)
	go t.read(in)  // ends when ServeStdio returns
	go t.forward() // ends when ServeStdio returns
	var cause, err error
	select {
	case err = <-t.ended:
		cause = errEOF
	case <-ctx.Done():
		cause, err = ErrClosed, context.Cause(ctx)
	}
	return errors.Join(err, t.end(cause))
}

// stdioClient is the client at the other end of stdio. mcp-go sends broadcasts to it.
type stdioClient struct {
	*peer
	ctx   context.Context // ends when ServeStdio returns
	srv   Server
	opts  Options
	out   *wire.LineWriter
	feed  chan mcp.JSONRPCNotification
	gone  chan struct{} // closed when in has ended
	ended chan error    // why the serving stops
	order order
	under sync.WaitGroup
}

func newStdioClient(ctx context.Context, srv Server, out io.Writer,
	opts Options) *stdioClient {
	t := &stdioClient{
		peer: newPeer(newID(), ""), ctx: ctx, srv: srv, opts: opts,
		feed:  make(chan mcp.JSONRPCNotification, 16),
		gone:  make(chan struct{}),
		ended: make(chan error, 1),
	}
	t.out = wire.NewLineWriter(out)
	return t
}

// NotificationChannel takes broadcasts.
func (t *stdioClient) NotificationChannel() chan<- mcp.JSONRPCNotification { return t.feed }

// line is a line of the client, or the error of reading it.
type line struct {
	data []byte
	err  error
}

// last reports whether nothing follows.
func (l line) last() bool { return l.err != nil && !errors.Is(l.err, wire.ErrLong) }

// nextLine reads the next line that is not blank. A line that is too long is reduced to its two
// ends.
func nextLine(r *wire.Lines) line {
	for {
		data, err := r.Next()
		data = bytes.Clone(data)
		if errors.Is(err, wire.ErrLong) {
			data = append(data, r.Skip(mostEnd)...)
			head := min(len(data), mostEnd)
			data = slices.Delete(data, head, max(len(data)-mostEnd, head))
		}
		if data = bytes.TrimSpace(data); len(data) > 0 || err != nil {
			return line{data, err}
		}
	}
}

// readAhead reads lines until in ends, even while a handshake is under way, and closes gone then.
func (t *stdioClient) readAhead(in io.Reader, lines chan<- line) {
	r := wire.NewLines(in, int(t.opts.MaxBody))
	for {
		l := nextLine(r)
		if l.last() {
			close(t.gone)
		}
		select {
		case lines <- l:
		case <-t.ctx.Done():
			return
		}
		if l.last() {
			return
		}
	}
}

// read takes what comes until in ends.
func (t *stdioClient) read(in io.Reader) {
	lines := make(chan line, 16)
	go t.readAhead(in, lines) // ends with in, or at the next line after ServeStdio has returned
	for {
		var l line
		select {
		case l = <-lines:
		case <-t.ctx.Done():
			return
		}
		switch {
		case errors.Is(l.err, wire.ErrLong):
			e := invalid(fmt.Sprintf("the message is longer than %d bytes", t.opts.MaxBody))
			e.ID = idOf(l.data)
			t.message(e.Encode())
		case errors.Is(l.err, io.EOF):
			t.stop(nil)
			return
		case l.err != nil:
			t.stop(fmt.Errorf("reading from the client: %w", l.err))
			return
		default:
			t.take(l.data)
		}
	}
}

// forward writes broadcasts.
func (t *stdioClient) forward() {
	for {
		select {
		case n := <-t.feed:
			encodeAll([]mcp.JSONRPCNotification{n}, t.opts.Log, t.message)
		case <-t.wake:
			encodeAll(t.takeUpdates(), t.opts.Log, t.message)
		case <-t.ctx.Done():
			return
		}
	}
}

// end cancels the handlers and waits for their results.
func (t *stdioClient) end(cause error) error {
	defer t.out.Close()
	t.peer.close(cause)
	done := make(chan struct{})
	go func() { t.under.Wait(); close(done) }() // ends with the last handler
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return fmt.Errorf("%d requests did not end within %v: %w", max(1, t.busy()), drainTime,
			cause)
	}
}

// take serves one line.
func (t *stdioClient) take(data []byte) {
	in, err := parse(data)
	var wrong *wire.Error
	switch {
	case errors.As(err, &wrong):
		t.message(wrong.Encode())
		return
	case in.Batch && !batches(t.ProtocolVersion()):
		t.message(invalid(noBatches).Encode())
		return
	}
	s := t.sink(in)
	for _, m := range in.Messages {
		isHandshake := m.IsRequest() && m.Method == string(mcp.MethodInitialize)
		switch {
		case isHandshake && in.Batch:
			e := wire.Error{ID: m.ID, Code: mcp.INVALID_REQUEST,
				Text: "initialize must not be part of a batch"}
			s.response(e.Encode(), e.Code)
		case isHandshake:
			t.handshake(m, s)
		case m.IsRequest():
			t.start(m, s)
		case m.IsResponse():
			t.answered(m)
		default:
			notice(t.ctx, t.srv, t.peer, t, m, t.opts.Log)
		}
	}
}

// handshake answers the handshake before the next message is handled, which depends on its result.
// If the client goes meanwhile, it ends within drainTime.
func (t *stdioClient) handshake(m *wire.Message, s sink) {
	c := newCall(t.ctx, t.peer, m, &t.opts)
	done := make(chan struct{})
	go func() { c.run(t.srv, m.Raw, s); close(done) }() // ends with the handler
	select {
	case <-done:
		return
	case <-t.gone:
	}
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		c.cancel(errEOF)
	}
}

// start answers a request in a goroutine, which end waits for.
func (t *stdioClient) start(m *wire.Message, s sink) {
	c := newCall(t.ctx, t.peer, m, &t.opts)
	leave := func() {}
	err := c.begin(t.opts.MaxCalls, &t.under)
	if err == nil && t.opts.ordered(m) {
		c.turn = t.order.next()
	}
	if err == nil && m.Modern() {
		c.peer = newStatelessPeer("") // it stands alone
		c.known = c.peer.known
		leave = subscribe(t.srv, c)
	}
	if refused, is := errors.AsType[*wire.Error](err); is {
		c.cancel(errOver)
		s.response(refused.Encode(), refused.Code)
		return
	}
	go func() {
		defer t.under.Done()
		defer leave()
		c.run(t.srv, m.Raw, s)
	}()
}

// sink returns the sink for the answers to one line. The responses to a batch are one line, too.
func (t *stdioClient) sink(in *wire.Incoming) sink {
	if !in.Batch {
		return t
	}
	requests := 0
	for _, m := range in.Messages {
		if m.IsRequest() {
			requests++
		}
	}
	return &batchSink{client: t, owed: requests}
}

// message implements sink for messages outside of batches.
func (t *stdioClient) message(data []byte) {
	if err := t.out.Write(data); err != nil && !errors.Is(err, wire.ErrClosed) {
		t.stop(fmt.Errorf("writing to the client: %w", err))
	}
}

// stop ends ServeStdio. Only the first err counts. It is nil at the end of in.
func (t *stdioClient) stop(err error) {
	select {
	case t.ended <- err:
	default:
	}
}

func (t *stdioClient) response(data []byte, _ int) {
	if data != nil {
		t.message(data)
	}
}

// batchSink writes messages as they come, and the responses as one array once all are there. It is
// safe for concurrent use.
type batchSink struct {
	client *stdioClient

	mu        sync.Mutex
	owed      int
	responses [][]byte
}

func (g *batchSink) message(data []byte) { g.client.message(data) }

func (g *batchSink) response(data []byte, _ int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if data != nil {
		g.responses = append(g.responses, data)
	}
	if g.owed--; g.owed == 0 && len(g.responses) > 0 {
		g.client.message(wire.Batch(g.responses))
	}
}

// mostEnd is how many bytes are kept of each end of a line that is too long.
const mostEnd = 1 << 10

// lastID is the id of a request that is its last member, as some clients write it.
var lastID = text.Lazily(`[,{]\s*"id"\s*:\s*(-?\d{1,20}|"[^"\\]{1,200}")\s*\}$`)

// idOf finds the id of a request that is too long to be parsed in the two ends of its line, where
// it is one of the first members or the last. It returns nil if it finds none.
func idOf(ends []byte) json.RawMessage {
	head, tail := ends[:min(len(ends), mostEnd)], ends[max(len(ends)-mostEnd, 0):]
	d := json.NewDecoder(bytes.NewReader(head))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for {
		key, err := d.Token()
		if err != nil || key == "result" || key == "error" {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if key == "id" && strings.ContainsRune(`"-0123456789`, rune(value[0])) {
			return value
		}
	}
	if m := lastID().FindSubmatch(tail); m != nil && bytes.Contains(head, []byte(`"method"`)) {
		return bytes.Clone(m[1])
	}
	return nil
}
