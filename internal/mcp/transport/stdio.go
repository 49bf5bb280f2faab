package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// drainTime is how long the handlers have to return once the client has closed its end.
const drainTime = 2 * time.Second

// ServeStdio serves srv to the one client at the other end of in and out, a message a line.
// Requests run side by side; everything else is done in the order in which it came.
//
// When in ends, the contexts of the handlers end with ErrEOF; what they return is still written,
// and ServeStdio returns nil after it, at the latest two seconds later, then with an error; a
// handshake has two more. When ctx ends the same happens with ErrClosed, and the error is ctx's
// cause; a Read of in may then still be under way, and ends when in is closed. It is also an error
// when in or out breaks. Nobody else may write to out.
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
		cause = ErrEOF
	case <-ctx.Done():
		cause, err = ErrClosed, context.Cause(ctx)
	}
	return errors.Join(err, t.end(cause))
}

// stdioClient is the client at the other end of stdio. To mcp-go it is the session that broadcasts
// go to, and requests that are not answered by a call.
type stdioClient struct {
	*peer
	ctx   context.Context // ends when ServeStdio returns
	srv   Server
	opts  Options
	out   *lineWriter
	feed  chan mcp.JSONRPCNotification
	gone  chan struct{} // closed when in has ended
	ended chan error    // gives why in or out ended, nil for the end of in
	under sync.WaitGroup
}

func newStdioClient(ctx context.Context, srv Server, out io.Writer,
	opts Options) *stdioClient {
	t := &stdioClient{
		peer: newPeer(newID(), ""), ctx: ctx, srv: srv, opts: opts,
		feed:  make(chan mcp.JSONRPCNotification, 16),
		gone:  make(chan struct{}),
		ended: make(chan error, 2), // each ends once
	}
	t.out = &lineWriter{w: out,
		fail: func(err error) { t.ended <- fmt.Errorf("writing to the client: %w", err) }}
	return t
}

// NotificationChannel takes broadcasts.
func (t *stdioClient) NotificationChannel() chan<- mcp.JSONRPCNotification { return t.feed }

// line is one of the client's, or why there is none.
type line struct {
	data []byte
	err  error
}

// last reports whether nothing follows.
func (l line) last() bool { return l.err != nil && !errors.Is(l.err, errLong) }

// readAhead reads lines until in ends, even while a handshake is under way, and closes gone then.
func (t *stdioClient) readAhead(in io.Reader, lines chan<- line) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		data, err := readLine(r, t.opts.MaxBody)
		l := line{data, err}
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
		case errors.Is(l.err, errLong):
			e := invalid(fmt.Sprintf("the message is longer than %d bytes", t.opts.MaxBody))
			e.id = idOf(l.data)
			t.message(e.encode())
		case errors.Is(l.err, io.EOF):
			t.ended <- nil
			return
		case l.err != nil:
			t.ended <- fmt.Errorf("reading from the client: %w", l.err)
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

// end cancels the handlers and waits for what they return.
func (t *stdioClient) end(cause error) error {
	defer t.out.closed.Store(true)
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
	var wrong *rpcError
	switch {
	case errors.As(err, &wrong):
		t.message(wrong.encode())
		return
	case in.batch && !batches(t.ProtocolVersion()):
		t.message(invalid(noBatches).encode())
		return
	}
	s := t.sink(in)
	for _, m := range in.messages {
		isHandshake := m.request() && m.Method == string(mcp.MethodInitialize)
		switch {
		case isHandshake && in.batch:
			e := rpcError{id: m.ID, code: mcp.INVALID_REQUEST,
				text: "initialize must not be part of a batch"}
			s.response(e.encode(), e.code)
		case isHandshake:
			t.handshake(m, s)
		case m.request():
			t.start(m, s)
		case m.response():
			t.answered(m)
		default:
			t.notice(t.ctx, t.srv, t, m, t.opts.Log)
		}
	}
}

// handshake answers the handshake before anything else is taken: what follows needs what it agrees
// on. A client that has gone meanwhile does not wait for it.
func (t *stdioClient) handshake(m *message, s sink) {
	c := newCall(t.ctx, t.peer, m, &t.opts)
	done := make(chan struct{})
	go func() { c.run(t.srv, m.raw, s); close(done) }() // ends with the handler
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
		c.cancel(ErrEOF)
	}
}

// start answers a request in a goroutine of its own, which end waits for.
func (t *stdioClient) start(m *message, s sink) {
	c := newCall(t.ctx, t.peer, m, &t.opts)
	leave := func() {}
	err := t.begin(c, t.opts.MaxCalls, &t.under)
	if err == nil && mcp.IsModernProtocol(m.protocol()) {
		c.peer = newStatelessPeer("") // it stands alone
		leave = subscribe(t.srv, c)
	}
	var refused *rpcError
	if errors.As(err, &refused) {
		c.cancel(ErrOver)
		s.response(refused.encode(), refused.code)
		return
	}
	go func() {
		defer t.under.Done()
		defer leave()
		c.run(t.srv, m.raw, s)
	}()
}

// sink is where the answers to what came as one line go: the responses to a batch are one line too.
func (t *stdioClient) sink(in *incoming) sink {
	if !in.batch {
		return t
	}
	requests := 0
	for _, m := range in.messages {
		if m.request() {
			requests++
		}
	}
	return &batchSink{stdioClient: t, owed: requests}
}

// message makes the client the sink of a message that came by itself.
func (t *stdioClient) message(data []byte) { t.out.write(data) }

func (t *stdioClient) response(data []byte, _ int) {
	if data != nil {
		t.message(data)
	}
}

// batchSink writes messages as they come, and the responses as one array once all are there. It is
// safe for concurrent use.
type batchSink struct {
	*stdioClient
	mu        sync.Mutex
	owed      int
	responses [][]byte
}

func (g *batchSink) response(data []byte, _ int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if data != nil {
		g.responses = append(g.responses, data)
	}
	if g.owed--; g.owed == 0 && len(g.responses) > 0 {
		g.message(array(g.responses))
	}
}

// errLong is what readLine gives for a line over its limit, which it has skipped, with the line's
// two ends.
var errLong = errors.New("the line is too long")

// mostEnd is how many bytes are kept of each end of a line that is too long.
const mostEnd = 1 << 10

// lastID is the id of a request that is its last member, as some clients write it.
var lastID = lazyregexp.New(`[,{]\s*"id"\s*:\s*(-?\d{1,20}|"[^"\\]{1,200}")\s*\}$`)

// idOf is the id of a request that is too long to be read, by its two ends, nil when they do not
// tell. A line is bounded, and so is what is looked at: the id is one of the first members, or the
// last.
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
	if m := lastID.FindSubmatch(tail); m != nil && bytes.Contains(head, []byte(`"method"`)) {
		return bytes.Clone(m[1])
	}
	return nil
}

// readLine gives the next line that is not blank, without its end. The last line needs none.
func readLine(r *bufio.Reader, most int64) ([]byte, error) {
	for {
		line, err := readAnyLine(r, most)
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

func readAnyLine(r *bufio.Reader, most int64) ([]byte, error) {
	var line, end []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		// the limit is without the line's end
		if long = long || int64(len(line)+len(part)) > most+1; !long {
			line = append(line, part...)
		} else {
			line = line[:min(len(line), mostEnd)]
			if room := mostEnd - len(line); end == nil && room > 0 {
				line = append(line, part[:min(len(part), room)]...)
			}
			end = append(end, part...)
			end = end[max(len(end)-mostEnd, 0):]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return append(line, end...), errLong // an error of the reader comes again
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}

// lineWriter writes whole lines, one at a time. After an error it writes nothing more. It is safe
// for concurrent use.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	err  error
	fail func(error) // called at the first error

	closed atomic.Bool // whether nothing is written any more
}

// write writes data, which has no line ends, as a line.
func (lw *lineWriter) write(data []byte) {
	lw.mu.Lock()
	defer lw.mu.Unlock()
	if lw.err != nil || lw.closed.Load() {
		return
	}
	if _, lw.err = lw.w.Write(append(data, '\n')); lw.err != nil {
		lw.fail(lw.err)
	}
}
