package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestTheEndOfInputEndsServingWithinTwoSeconds(t *testing.T) {
	for _, c := range []struct {
		name, tool, err string
		within          time.Duration
	}{
		{name: "handlers that detach", tool: "gate"},
		{name: "a handler that does not", tool: "stubborn", within: 2 * time.Second,
			err: "1 requests did not end within 2s: the client closed its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				release := make(chan struct{})
				l.AddTool(stubbornTool(release))
				w := serveStdio(t, l.MCPServer, nil)
				w.handshake("2025-11-25", "{}")
				w.send(strings.Replace(tool(1, c.tool, "{}"), `"progressToken":1`, "", 1))
				synctest.Wait()
				start := time.Now()
				require.NoError(t, w.in.Close())
				go func() { _, _ = io.Copy(io.Discard, w.out) }()
				err := <-w.served
				require.Equal(t, c.within, time.Since(start))
				if c.err == "" {
					require.NoError(t, err)
					require.ErrorIs(t, <-l.ended, errEOF)
				} else {
					require.EqualError(t, err, c.err)
				}
				close(release)
			})
		})
	}
}

// silentServer is a server whose handshake does not end by itself.
type silentServer struct{ *server.MCPServer }

func (u silentServer) HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage {
	<-ctx.Done()
	return nil
}

// What came behind the handshake does not hide that the client has gone.
func TestTheEndOfInputEndsAHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serveStdio(t, silentServer{newLab().MCPServer}, nil)
		go func() { _, _ = io.Copy(io.Discard, w.out) }()
		w.send(fmt.Sprintf(handshake, "2025-11-25", "{}"))
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		start := time.Now()
		require.NoError(t, w.in.Close())
		require.NoError(t, <-w.served)
		require.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestRequestsBeforeTheEndOfInputAreAnswered(t *testing.T) {
	var out bytes.Buffer
	// no line end
	in := strings.NewReader(fmt.Sprintf(handshake, "2025-11-25", "{}") + "\n" +
		tool(1, "nothing", "{}") + "\n" + tool(2, "burst", `{"n":1}`))
	require.NoError(t, ServeStdio(t.Context(), newLab().MCPServer, in, &out, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Contains(t, out.String(), `"id":1,"result"`)
	require.Contains(t, out.String(), `"id":2,"result"`)
}

func TestTheEndOfTheContextEndsServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		w := serveStdio(t, l.MCPServer, nil)
		w.handshake("2025-11-25", "{}")
		w.send(tool(1, "gate", "{}"))
		require.Contains(t, w.line(), "begun")
		w.cancel()
		require.Contains(t, w.line(), "detached: the session is closed")
		require.ErrorIs(t, <-w.served, context.Canceled)
		require.ErrorIs(t, <-l.ended, ErrClosed)
	})
}

func TestAClientThatReadsNothingHoldsNobodyUpForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serveStdio(t, newLab().MCPServer, nil)
		w.send(fmt.Sprintf(handshake, "2025-11-25", "{}")) // its answer is not read
		synctest.Wait()
		start := time.Now()
		w.cancel()
		require.ErrorIs(t, <-w.served, context.Canceled)
		require.Zero(t, time.Since(start))
	})
}

func TestABrokenOutputEndsServing(t *testing.T) {
	l := newLab()
	in, client := io.Pipe()
	defer client.Close()
	served := make(chan error, 1)
	var writes atomic.Int32
	go func() {
		served <- ServeStdio(context.Background(), l.MCPServer, in,
			writerFunc(func([]byte) (int, error) {
				writes.Add(1)
				return 0, errors.New("pipe broke")
			}), nil)
	}()
	_, err := io.WriteString(client, tool(1, "gate", "{}")+"\n")
	require.NoError(t, err)
	require.EqualError(t, <-served, "writing to the client: pipe broke")
	require.ErrorIs(t, <-l.ended, errEOF)
	require.EqualValues(t, 1, writes.Load(), "what is broken is left alone")
}

func TestNothingIsWrittenAfterServingHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		release := make(chan struct{})
		l.AddTool(stubbornTool(release))
		var writes atomic.Int32
		out := writerFunc(func(p []byte) (int, error) { writes.Add(1); return len(p), nil })
		require.Error(t, ServeStdio(t.Context(), l.MCPServer,
			strings.NewReader(tool(1, "stubborn", "{}")+"\n"), out, nil))
		close(release)
		synctest.Wait()
		require.Zero(t, writes.Load())
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestABrokenInputIsAnError(t *testing.T) {
	err := ServeStdio(t.Context(), newLab().MCPServer, iotest.ErrReader(errors.New("tty gone")),
		io.Discard, nil)
	require.EqualError(t, err, "reading from the client: tty gone")
}

func TestNothingButMessagesIsWritten(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader("garbage\n" + tool(1, "panic", "{}") + "\n" +
		tool(2, "unwritable", "{}") + "\n\n\x00\xff\n")
	require.NoError(t, ServeStdio(t.Context(), newLab().MCPServer, in, &out, nil))
	for line := range strings.Lines(out.String()) {
		require.Contains(t, compact(t, line), `"jsonrpc":"2.0"`)
	}
	require.Equal(t, 4, strings.Count(out.String(), "\n"))
}

func TestTooManyRequestsAreRefusedAndAnsweredOnesMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		w := serveStdio(t, l.MCPServer, &Options{MaxCalls: 1})
		w.send(tool(1, "gate", "{}"))
		require.Contains(t, w.line(), "begun")
		w.send(tool(2, "nothing", "{}"))
		require.Equal(t,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"1 requests are under way `+
				`already; wait for one of them to end"}}`, w.line())
		close(l.open)
		require.Contains(t, w.line(), "opened")
		require.Contains(t, w.line(), `"id":1,"result"`)
		w.send(tool(2, "nothing", "{}"))
		require.Contains(t, w.line(), `"id":2,"result"`)
	})
}

func TestReadLine(t *testing.T) {
	const most = 10
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"lines", "a\nb\n", []string{"a", "b"}},
		{"no end", "a\nb", []string{"a", "b"}},
		{"blank lines and spaces", "\n \r\n a \r\n\n", []string{"a"}},
		{"as long as may be", strings.Repeat("x", 10) + "\nb",
			[]string{strings.Repeat("x", 10), "b"}},
		{"one too long", strings.Repeat("x", 11) + "\nb", []string{"long", "b"}},
		{"longer than the buffer", strings.Repeat("x", 100_000) + "\nb\n", []string{"long", "b"}},
		{"too long without end", strings.Repeat("x", 100_000), []string{"long"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := wire.NewLines(strings.NewReader(c.in), most)
			var got []string
			for {
				l := nextLine(r)
				if errors.Is(l.err, io.EOF) {
					break
				}
				if errors.Is(l.err, wire.ErrLong) {
					l.data = []byte("long")
				} else {
					require.NoError(t, l.err)
				}
				got = append(got, string(l.data))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestALongRequestIsRefusedUnderItsID(t *testing.T) {
	const long = "LONG"
	for _, c := range []struct{ in, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":3,"a":"` + long + `"}}`, "7"},
		{`{"method":"m","params":{"id":3,"a":"` + long + `"},"jsonrpc":"2.0","id":"a b"}`, `"a b"`},
		{`{"method":"m","params":{"a":"` + long + `","b":{"id":3}}}`, ""},
		{`{"method":"m","params":{"a":"` + long + `\"id\":3}"}}`, ""},
		{`{"jsonrpc":"2.0","result":{"a":"` + long + `"},"id":7}`, ""},
		{`{"id":{"a":1},"method":"m","params":"` + long + `"}`, ""},
		{`{"id":null,"method":"m","params":"` + long + `"}`, ""},
		{`{"method":"m","params":{"a":"` + long + `","b":{"c":{"d":"` + long +
			`"},"id":5},"z":1},"id":8}`, "8"},
		{long, ""}, {"[" + long, ""}, {`{"id":` + long, ""},
	} {
		for _, n := range []int{5000, 100_000} { // within a buffer, and across some
			in := strings.ReplaceAll(c.in, long, strings.Repeat("x", n))
			l := nextLine(wire.NewLines(strings.NewReader(in+"\nb\n"), 2000))
			require.ErrorIs(t, l.err, wire.ErrLong)
			require.LessOrEqual(t, len(l.data), 2*mostEnd)
			require.Equal(t, c.want, string(idOf(l.data)), "%.40s", c.in)
		}
	}
}
