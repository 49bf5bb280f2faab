package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
)

// A conversation is a list of lines. Those that begin with "> " are what the client does; after
// each comes all that the server then says, and the test checks every byte of it.
//
// On stdio "> {...}" sends a line. Over HTTP "> POST {...}", "> GET" and "> DELETE" are requests,
// numbered from 1, whose answers begin with their number and "<"; "> header Name: value" sets a
// header of further requests (none without a value), and "> drop 2" breaks a connection. "> sleep
// 1h" and "> eof" are for both.

// transcript collects what is said. What the server says between two lines of the client is put in
// the order of the requests.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder
	since map[int][]string // by the number of the request
}

func (tr *transcript) add(request int, line string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.since == nil {
		tr.since = map[int][]string{}
	}
	tr.since[request] = append(tr.since[request], line)
}

func (tr *transcript) settle() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, request := range slices.Sorted(maps.Keys(tr.since)) {
		for _, line := range tr.since[request] {
			tr.text.WriteString(line + "\n")
		}
	}
	tr.since = nil
	return tr.text.String()
}

// act goes through what the client does, and lets the server say all it has to say after each line.
func (tr *transcript) act(t *testing.T, script string, do func(line string)) {
	acts := 0
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		act, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		acts++
		tr.settle()
		tr.add(0, line)
		tr.settle()
		if d, ok := strings.CutPrefix(act, "sleep "); ok {
			duration, err := time.ParseDuration(d)
			require.NoError(t, err)
			time.Sleep(duration)
		} else {
			do(act)
		}
		synctest.Wait()
	}
	require.NotZero(t, acts, "a conversation without a line of the client")
}

// conversationLab is the lab with what only conversations need.
func conversationLab() *lab {
	l := newLab()
	l.AddTool(mcp.NewTool("change"), func(context.Context,
		mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.AfterFunc(time.Second, func() {
			l.AddTool(mcp.NewTool("passing"), nil)
			l.SendNotificationToAllClients("notifications/test", nil)
		})
		return mcp.NewToolResultText("changing"), nil
	})
	return l
}

func TestConversationsOverHTTP(t *testing.T) {
	golden.Run(t, "testdata/http", func(t *testing.T, c *golden.Case) {
		script := c.Section(t, "conversation")
		var tr transcript
		synctest.Test(t, func(t *testing.T) {
			h := &httpConversation{t: t, tr: &tr,
				e: serveHTTP(t, conversationLab().MCPServer, &Options{MaxBody: 2000})}
			defer h.end()
			tr.act(t, script, h.do)
		})
		c.Want(t, "conversation", tr.settle())
	})
}

type httpConversation struct {
	t       *testing.T
	tr      *transcript
	e       *endpoint
	header  []string
	session string
	drops   []context.CancelFunc
	readers sync.WaitGroup
}

func (h *httpConversation) do(act string) {
	verb, rest, _ := strings.Cut(act, " ")
	switch verb {
	case "header":
		name, _, _ := strings.Cut(rest, ": ")
		var kept []string
		for _, line := range h.header {
			if !strings.HasPrefix(line, name+": ") {
				kept = append(kept, line)
			}
		}
		if h.header = kept; strings.Contains(rest, ": ") {
			h.header = append(h.header, rest)
		}
	case "drop":
		var n int
		_, err := fmt.Sscan(rest, &n)
		require.NoError(h.t, err)
		h.drops[n-1]()
	default:
		ctx, cancel := context.WithCancel(h.t.Context())
		h.drops = append(h.drops, cancel)
		n := len(h.drops)
		h.readers.Go(func() { h.request(ctx, n, verb, rest) })
	}
}

// request sends one HTTP request and notes all of its answer.
func (h *httpConversation) request(ctx context.Context, n int, method, body string) {
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:8702/mcp",
		strings.NewReader(strings.ReplaceAll(body, "$LONG", strings.Repeat("x", 2000))))
	if !h.ok(err) {
		return
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range h.header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, strings.ReplaceAll(value, "$SESSION", h.session))
	}
	resp, err := h.e.client.Do(r)
	if ctx.Err() != nil || !h.ok(err) {
		return
	}
	defer resp.Body.Close()
	answer := fmt.Sprintf("%d< %d", n, resp.StatusCode)
	for _, name := range []string{"Content-Type", "Allow", "Mcp-Session-Id"} {
		if value := resp.Header.Get(name); value != "" {
			if name == "Mcp-Session-Id" {
				h.session, value = value, "$SESSION"
			}
			answer += fmt.Sprintf(" %s: %s;", name, value)
		}
	}
	h.tr.add(n, strings.TrimSuffix(answer, ";"))
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if line := lines.Text(); line != "" && line != "event: message" {
			h.tr.add(n, fmt.Sprintf("%d< %s", n, line))
		}
	}
	if lines.Err() == nil {
		h.tr.add(n, fmt.Sprintf("%d< end", n))
	}
}

func (h *httpConversation) ok(err error) bool {
	if err != nil {
		h.t.Error(err)
	}
	return err == nil
}

func (h *httpConversation) end() {
	for _, drop := range h.drops {
		drop()
	}
	h.readers.Wait()
	time.Sleep(time.Second) // net/http lingers on a connection that it closes early
}

func TestConversationsOverStdio(t *testing.T) {
	golden.Run(t, "testdata/stdio", func(t *testing.T, c *golden.Case) {
		script := c.Section(t, "conversation")
		var tr transcript
		synctest.Test(t, func(t *testing.T) {
			w := serveStdio(t, conversationLab().MCPServer, &Options{MaxBody: 2000})
			read := make(chan struct{})
			go func() {
				defer close(read)
				for {
					line, err := w.out.ReadString('\n')
					if err != nil {
						return
					}
					tr.add(1, "< "+strings.TrimSuffix(line, "\n"))
				}
			}()
			tr.act(t, script, func(act string) {
				if act == "eof" {
					require.NoError(t, w.in.Close())
					return
				}
				_, err := io.WriteString(w.in,
					strings.ReplaceAll(act, "$LONG", strings.Repeat("x", 2000))+"\n")
				require.NoError(t, err)
			})
			_ = w.in.Close()
			require.NoError(t, <-w.served)
			<-read
			tr.add(1, "< end")
		})
		c.Want(t, "conversation", tr.settle())
	})
}
