package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// quickServer has a tool that reports and one that panics, and nothing that waits: it has nothing
// to subscribe to.
func quickServer() *server.MCPServer {
	s := server.NewMCPServer("quick", "1", server.WithToolCapabilities(false), server.WithLogging())
	s.AddTool(mcp.NewTool("burst"), func(ctx context.Context,
		r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = Progress(ctx, token(r), 1, 2, "half", nil)
		return mcp.NewToolResultText("done"), nil
	})
	s.AddTool(mcp.NewTool("panic"), func(context.Context, mcp.CallToolRequest) (
		*mcp.CallToolResult, error) {
		panic("what nobody is told")
	})
	return s
}

// seed adds the client's lines of the golden conversations.
func seed(f *testing.F, dir string, add func(line string)) {
	for _, c := range golden.Load(f, dir) {
		for line := range strings.Lines(c.Section(f, "conversation")) {
			if line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); ok {
				add(line)
			}
		}
	}
}

// heard is a message of the server as far as the laws are concerned.
type heard struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// lawful checks that data is one message of the server, or a batch of responses, and gives the ids
// of the responses.
func lawful(t *testing.T, data []byte) (answered []string) {
	t.Helper()
	require.True(t, json.Valid(data), "%q", data)
	all := []json.RawMessage{data}
	if data[0] == '[' {
		require.NoError(t, json.Unmarshal(data, &all))
		require.NotEmpty(t, all)
	}
	for _, raw := range all {
		var m heard
		require.NoError(t, json.Unmarshal(raw, &m))
		require.Equal(t, "2.0", m.Version)
		switch {
		case m.Method != "":
			require.Empty(t, m.ID, "the server asks nothing here")
		case m.Error != nil:
			require.NotEmpty(t, m.Error.Message)
			require.NotZero(t, m.Error.Code)
			require.NotContains(t, m.Error.Message, "nobody is told")
		default:
			require.NotEmpty(t, m.Result)
			require.NotEmpty(t, m.ID)
		}
		if m.Method == "" && len(m.ID) > 0 {
			answered = append(answered, wire.Key(m.ID))
		}
	}
	return answered
}

// owed are the ids of the requests in what a client sent, and whether every one of them has to be
// answered: it has when ids are used once and nothing is cancelled.
func owed(data []byte) (ids map[string]int, all bool) {
	ids = map[string]int{}
	in, err := parse(data)
	if err != nil {
		return ids, false
	}
	all = true
	for _, m := range in.Messages {
		if m.IsRequest() {
			ids[wire.Key(m.ID)]++
		}
		all = all && ids[wire.Key(m.ID)] <= 1 && m.Method != string(mcp.MethodNotificationCancelled)
	}
	return ids, all
}

// The law: whatever comes as one line, each line of the answer is a message of MCP; a request is
// answered once, or not at all when it was cancelled; and the next request is served.
func FuzzStdioLine(f *testing.F) {
	seed(f, "testdata/stdio", func(line string) { f.Add([]byte(line), false) })
	seed(f, "testdata/stdio", func(line string) { f.Add([]byte(line), true) })
	f.Fuzz(func(t *testing.T, line []byte, batches bool) {
		if bytes.ContainsRune(line, '\n') {
			return // more than one line
		}
		version := mcp.ProtocolVersion20251125
		if batches {
			version = mcp.ProtocolVersion20250326
		}
		const last = "the last request"
		in := fmt.Sprintf(handshake, version, "{}") + "\n" + string(line) + "\n" +
			`{"jsonrpc":"2.0","id":"` + last + `","method":"ping"}` + "\n"
		var out bytes.Buffer
		require.NoError(t, ServeStdio(t.Context(), quickServer(), strings.NewReader(in), &out,
			&Options{MaxBody: 4000}))
		answered := map[string]int{}
		for said := range strings.Lines(out.String()) {
			for _, id := range lawful(t, []byte(said)) {
				answered[id]++
			}
		}
		require.Positive(t, answered["s"+last], "the next request is served")
		ids, all := owed(line)
		if int64(len(line)) > 4000 || bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) &&
			!batches {
			return
		}
		for id, n := range ids {
			// one more for the handshake or the last request
			require.LessOrEqual(t, answered[id], n+1, id)
			if all {
				require.Positive(t, answered[id], id)
			}
		}
	})
}

// The law: whatever is posted with whatever version, the answer is nothing, one message, or a
// stream of messages that ends with the response; and the session goes on.
func FuzzHTTPBody(f *testing.F) {
	seed(f, "testdata/http", func(line string) {
		if body, ok := strings.CutPrefix(line, "POST "); ok {
			f.Add([]byte(body), "2025-11-25", "tools/call", "burst")
			f.Add([]byte(body), "2026-07-28", "tools/call", "burst")
			f.Add([]byte(body), "", "", "")
		}
	})
	f.Fuzz(func(t *testing.T, body []byte, version, method, name string) {
		h := NewHTTP(quickServer(), &Options{MaxBody: 4000})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		post := func(body []byte, header map[string]string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			for name, value := range header {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		session := post(fmt.Appendf(nil, handshake, mcp.ProtocolVersion20250326, "{}"),
			nil).Header().Get(mcp.HeaderSessionID)
		require.NotEmpty(t, session)
		w := post(body, map[string]string{mcp.HeaderSessionID: session,
			mcp.HeaderProtocolVersion: version, mcp.HeaderMethod: method, mcp.HeaderName: name})
		check(t, w)
		ping := post([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
			map[string]string{mcp.HeaderSessionID: session})
		require.Equal(t, http.StatusOK, ping.Code, "the session goes on: %s", ping.Body)
	})
}

func check(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	switch w.Header().Get("Content-Type") {
	case "":
		require.Equal(t, http.StatusAccepted, w.Code)
		require.Zero(t, w.Body.Len())
	case "application/json":
		lawful(t, bytes.TrimSpace(w.Body.Bytes()))
	case "text/event-stream":
		require.Equal(t, http.StatusOK, w.Code)
		data, err := io.ReadAll(w.Body)
		require.NoError(t, err)
		var last []string
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			if message, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				last = lawful(t, []byte(message))
			}
		}
		require.NotEmpty(t, last, "a stream ends with a response: %s", data)
	default:
		t.Fatalf("content type %q", w.Header().Get("Content-Type"))
	}
}
