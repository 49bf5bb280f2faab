package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	clienttransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
)

const (
	loadCalls   = 1000
	loadWorkers = 50
)

// 1,000 calls, 50 at a time, each with three messages of progress before its result.
func TestNothingIsLostReorderedOrMisdelivered(t *testing.T) {
	roads(t, func(t *testing.T, change func(*Options)) {
		r := newRig(t, change)
		r.shake("{}")
		free := make(chan struct{}, loadWorkers)
		var mu sync.Mutex // of writing
		go func() {
			for i := range loadCalls {
				free <- struct{}{}
				mu.Lock()
				_, err := fmt.Fprintf(r.in, `{"jsonrpc":"2.0","id":"c%d","method":"tools/call",`+
					`"params":{"name":"steps","arguments":{"n":%[1]d},`+
					`"_meta":{"progressToken":"c%[1]d"}}}`+"\n", i)
				mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
			}
		}()
		said := map[string]int{} // messages of a call so far
		for left := loadCalls; left > 0; {
			var m struct {
				ID     string
				Result json.RawMessage
				Params struct {
					ProgressToken string
					Progress      int
				}
			}
			line := r.next()
			require.NoError(t, json.Unmarshal([]byte(line), &m))
			call := m.ID + m.Params.ProgressToken
			said[call]++
			if m.ID == "" {
				require.Equal(t, said[call], m.Params.Progress, line)
				continue
			}
			require.Equal(t, 4, said[call], line)
			require.Equal(t, fmt.Sprintf(`steps {"n":%s}`, strings.TrimPrefix(call, "c")),
				words(t, line))
			<-free
			left--
		}
		require.Len(t, said, loadCalls)
		require.Zero(t, r.under())
	})
}

// caller is mcp-go's client of a server, over HTTP.
func caller(tb testing.TB, s transport.Server, options ...client.ClientOption) *client.Client {
	c, err := greet(tb, s, options...)
	require.NoError(tb, err)
	return c
}

// greet makes a person's client agree on a version with s.
func greet(tb testing.TB, s transport.Server, options ...client.ClientOption) (
	*client.Client, error) {
	return greetAs(tb, s, true, options...)
}

// greetAs is greet for a client that is a person's, or a program's.
func greetAs(tb testing.TB, s transport.Server, person bool, options ...client.ClientOption) (
	*client.Client, error) {
	h := transport.NewHTTP(s, &transport.Options{Person: func(string) bool { return person }})
	web := httptest.NewServer(h)
	tr, err := clienttransport.NewStreamableHTTP(web.URL)
	require.NoError(tb, err)
	c := client.NewClient(tr, options...)
	tb.Cleanup(func() {
		require.NoError(tb, c.Close())
		require.NoError(tb, h.Close(context.Background()))
		web.CloseClientConnections()
		web.Close()
	})
	require.NoError(tb, c.Start(tb.Context()))
	var r mcp.InitializeRequest
	if r.Params.ProtocolVersion = mcp.ProtocolVersion20251125; len(options) > 0 {
		r.Params.ProtocolVersion = "" // as the options say
	}
	r.Params.ClientInfo.Name = "bench"
	_, err = c.Initialize(tb.Context(), r)
	return c, err
}

func echoed(tb testing.TB, c *client.Client) {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "echo", map[string]any{"text": "x"}
	res, err := c.CallTool(tb.Context(), r)
	require.NoError(tb, err)
	require.False(tb, res.IsError)
}

// behind is a proxy in front of this binary as a process.
func behind(tb testing.TB) *Proxy {
	exe, err := os.Executable()
	require.NoError(tb, err)
	rules, err := guard.New(nil)
	require.NoError(tb, err)
	p, err := New(&Options{Name: "other", Guard: rules, Questions: broker(),
		Target: upstream.Target{Command: []string{exe},
			Env: append(os.Environ(), "PROXY_UPSTREAM=plain")}})
	require.NoError(tb, err)
	tb.Cleanup(p.Close)
	return p
}

// What a proxy adds to a call, as the median of pairs: a call through the proxy to a process, right
// after the same call to a server in this one.
func BenchmarkCall(b *testing.B) {
	const pairs = 50 // each time
	direct, proxied := caller(b, other()), caller(b, behind(b))
	echoed(b, direct)
	echoed(b, proxied) // the process is started
	var without, with, added []float64
	for b.Loop() {
		for range pairs {
			begin := time.Now()
			echoed(b, direct)
			middle := time.Now()
			echoed(b, proxied)
			without = append(without, middle.Sub(begin).Seconds())
			with = append(with, time.Since(middle).Seconds())
			added = append(added, with[len(with)-1]-without[len(without)-1])
		}
	}
	for unit, list := range map[string][]float64{"ms-direct": without, "ms-proxied": with,
		"ms-added": added} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2]*1000, unit)
	}
}

// The memory of this process for each connection to another server that does nothing.
func BenchmarkIdleUpstream(b *testing.B) {
	p := behind(b)
	const links = 20
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		var open []*link
		for range links {
			l := newLink(&p.opts, p.dial, &p.sessions, "")
			_, err := l.conn.connected(b.Context())
			require.NoError(b, err)
			open = append(open, l)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, l := range open {
			l.conn.close()
		}
	}
	b.ReportMetric(float64(after.HeapAlloc+after.StackInuse-before.HeapAlloc-before.StackInuse)/
		links, "B/upstream")
}
