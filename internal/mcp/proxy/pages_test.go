package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
)

// paged is a server whose list of tools has these pages: tool, then the cursor of the next.
func paged(t *testing.T, pages [][2]string) string {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		result := ""
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
				`"serverInfo":{"name":"s","version":"1"}}`
		case "tools/list":
			page := pages[min(asked, len(pages)-1)]
			asked++
			result = fmt.Sprintf(`{"tools":[%s]%s}`, page[0], page[1])
		case "tools/call":
			result = `{"content":[{"type":"text","text":"carried out"}]}`
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// Whatever a server does with its cursors, its pages are read to their end, and a tool that is on
// none of them is not taken for harmless.
func TestPagesOfToolsAreReadToTheirEnd(t *testing.T) {
	tool := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}%s}`, name, more)
	}
	zap := tool("zap", `,"annotations":{"destructiveHint":true}`)
	const open, done = "no answer yet", "carried out"
	for name, c := range map[string]struct {
		pages [][2]string
		call  string
		want  string
	}{
		"a number":            {[][2]string{{tool("a", ""), `,"nextCursor":0`}}, "a", done},
		"a number, and on":    {[][2]string{{tool("a", ""), `,"nextCursor":7`}, {zap, ""}}, "zap", open},
		"the same for ever":   {[][2]string{{tool("a", ""), `,"nextCursor":"x"`}}, "a", done},
		"null":                {[][2]string{{tool("a", ""), `,"nextCursor":null`}}, "a", done},
		"an empty page":       {[][2]string{{"", `,"nextCursor":"x"`}, {zap, ""}}, "zap", open},
		"on no page":          {[][2]string{{tool("a", ""), ""}}, "zap", open},
		"behind an empty one": {[][2]string{{tool("a", ""), `,"nextCursor":""`}, {zap, ""}}, "zap", open},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := guard.New(nil)
			require.NoError(t, err)
			p, err := New(&Options{Name: "other", Guard: rules, Questions: broker(),
				Wait:   func(string) time.Duration { return time.Millisecond },
				Target: upstream.Target{URL: paged(t, c.pages)}})
			require.NoError(t, err)
			t.Cleanup(p.Close)
			require.Contains(t, called(t, caller(t, p), c.call), c.want)
		})
	}
}

// Since 2026-07-28 an empty text is a cursor like any other.
func TestAnEmptyCursorGoesOnInTheNewerEra(t *testing.T) {
	require.False(t, goesOn(json.RawMessage(`""`), new(message)))
	modern := new(message)
	modern.Params = json.RawMessage(
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)
	require.True(t, goesOn(json.RawMessage(`""`), modern))
	require.False(t, goesOn(nil, modern))
}
