package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a call costs that does nothing, over a connection of this machine.
func BenchmarkCallOverHTTP(b *testing.B) {
	for _, c := range []struct{ name, era, tool string }{
		{"session", "2025-11-25", "nothing"},
		{"stateless", "2026-07-28", "nothing"},
		{"session, 5 messages", "2025-11-25", "burst"},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := NewHTTP(newLab().MCPServer, nil)
			web := httptest.NewServer(h)
			defer web.Close()
			defer func() { require.NoError(b, h.Close(context.Background())) }()
			body, header := modern(1, c.tool, `{"n":5}`)
			if c.era == "2025-11-25" {
				e := &endpoint{t: b, h: h, client: web.Client()}
				body, header = tool(1, c.tool, `{"n":5}`), beginSession(b, e, web.URL)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(body))
				require.NoError(b, err)
				r.Header.Set("Content-Type", "application/json")
				for _, line := range header {
					name, value, _ := strings.Cut(line, ": ")
					r.Header.Set(name, value)
				}
				resp, err := web.Client().Do(r)
				require.NoError(b, err)
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(b, err)
				resp.Body.Close()
				require.Equal(b, http.StatusOK, resp.StatusCode)
			}
		})
	}
}

func BenchmarkCallOverStdio(b *testing.B) {
	for _, name := range []string{"nothing", "burst"} {
		b.Run(name, func(b *testing.B) {
			w := serveStdio(b, newLab().MCPServer, nil)
			w.out = bufio.NewReaderSize(w.out, 64<<10)
			w.handshake("2025-11-25", "{}")
			call := tool(1, name, `{"n":5}`)
			b.ReportAllocs()
			for b.Loop() {
				w.send(call)
				for !strings.Contains(w.line(), `"result"`) {
				}
			}
		})
	}
}

// sessionBytes is what n idle sessions hold, each.
func sessionBytes(t testing.TB, n int) float64 {
	h := NewHTTP(newLab().MCPServer, nil)
	defer func() { require.NoError(t, h.Close(context.Background())) }()
	held := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapInuse + m.StackInuse)
	}
	before := held()
	for range n {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp",
			strings.NewReader(fmt.Sprintf(handshake, "2025-11-25", `{"elicitation":{}}`)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
	}
	after := held()
	require.Len(t, h.sessions, n)
	return (after - before) / float64(n)
}

func BenchmarkIdleSessions(b *testing.B) {
	total := 0.0
	for b.Loop() {
		total += sessionBytes(b, 1000)
	}
	b.ReportMetric(total/float64(b.N), "B/session")
}

func TestAnIdleSessionHoldsLittleAndNoGoroutine(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	require.Less(t, sessionBytes(t, 1000), 16e3)
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+1)
}
