package transport

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

func TestEveryMessageOfARequestComesOnItsOwnStreamInOrderBeforeTheResult(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	want := []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":0,"level":"warning",` +
			`"logger":"lab"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":4,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1,"level":"warning",` +
			`"logger":"lab"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":5,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":6,` +
			`"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":2,"level":"warning",` +
			`"logger":"lab"}}`,
		`{"id":7,"jsonrpc":"2.0","result":{"content":[{"text":"done","type":"text"}]}}`,
	}
	resp := e.request(t.Context(), http.MethodPost, tool(7, "mixed", "{}"), header...)
	defer resp.Body.Close()
	var got []string
	for _, data := range readEvents(t, resp).rest() {
		got = append(got, compact(t, data))
	}
	require.Equal(t, want, got)
}

func TestProgressKeepsItsMeta(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	resp := e.request(t.Context(), http.MethodPost, tool("a", "burst", `{"n":1}`),
		e.session("2025-06-18", "{}")...)
	defer resp.Body.Close()
	require.JSONEq(t,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"_meta":{"step":1},`+
			`"message":"step 1","progress":1,"progressToken":"a","total":1}}`,
		readEvents(t, resp).message().data)
}

func TestAResponseAloneIsPlainJSON(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	resp := e.request(t.Context(), http.MethodPost, tool(1, "nothing", "{}"),
		e.session("2025-11-25", "{}")...)
	defer resp.Body.Close()
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	for name := range resp.Header {
		require.NotContains(t, name, "Access-Control")
	}
}

func TestIDsComeBackAsTheyWereSpelled(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	for _, id := range []string{`9007199254740993`, `-1`, `"x\u0000\u4e2d"`, `""`, `1e2`, `0`} {
		_, body := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`,
			header...)
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`+"\n", body)
	}
}

func TestWhatAClientWroteIsNotEchoedWhole(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	long := strings.Repeat("\u202e词", 50_000)
	for _, body := range []string{tool(1, long, "{}"),
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`} {
		_, answer := e.status(http.MethodPost, body, header...)
		require.Contains(t, answer, "not found")
		require.Less(t, len(answer), 2000)
		require.NotContains(t, answer, "\u202e")
	}
}

func TestQuietStreamsAreKeptAlive(t *testing.T) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				e := serveHTTP(t, l.MCPServer, &Options{KeepAlive: 10 * time.Second})
				start := time.Now()
				body, header := modern(1, "gate", "{}")
				if era == "2025-11-25" {
					body, header = strings.Replace(tool(1, "gate", "{}"),
						`,"_meta":{"progressToken":1}`, "", 1), e.session(era, "{}")
				} else {
					body = strings.Replace(body, `"progressToken":1,`, "", 1)
				}
				resp := e.request(t.Context(), http.MethodPost, body, header...)
				defer resp.Body.Close()
				require.Equal(t, time.Second, time.Since(start),
					"a silent request becomes a stream soon")
				es := readEvents(t, resp)
				var comments []time.Duration
				for len(comments) < 3 {
					ev, ok := es.next()
					require.True(t, ok)
					if ev.comment {
						comments = append(comments, time.Since(start))
					}
				}
				require.Equal(t, []time.Duration{11 * time.Second, 21 * time.Second,
					31 * time.Second}, comments)
				close(l.open)
				require.Contains(t, es.message().data, "opened")
			})
		})
	}
}

func TestUnknownEventsAndForeignSessionsAreNotFound(t *testing.T) {
	l := newLab()
	e := serveHTTP(t, l.MCPServer, &Options{Authorize: func(r *http.Request) (
		string, error) {
		return r.Header.Get("Who"), nil
	}})
	header := e.session("2025-11-25", "{}", "Who: ann")
	for _, id := range []string{"nonsense", "7-1", "g-99", "1", "-1", "g--1"} {
		status, body := e.status(http.MethodGet, "", append(header, "Last-Event-ID: "+id)...)
		require.Equal(t, http.StatusNotFound, status, id)
		require.Contains(t, body, id)
	}
	foreign := append([]string{"Who: bob"}, header[1:]...)
	unknown := []string{"Who: bob", "Mcp-Session-Id: XXXXXXXXXXXXXXXXXXXXXXXXXX"}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		call := ""
		if method == http.MethodPost {
			call = tool(1, "nothing", "{}")
		}
		status, body := e.status(method, call, foreign...)
		require.Equal(t, http.StatusNotFound, status)
		_, want := e.status(method, call, unknown...)
		require.Equal(t, want, body, "a foreign session looks like an unknown one")
	}
	status, body := e.status(http.MethodPost, tool(1, "whoami", "{}"), header...)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `principal \"ann\"`)
}

func TestPanicsBecomeErrors(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	for name, want := range map[string]string{
		"panic": `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: ` +
			`handling the request panicked; the server's log has more"}}`,
		"unwritable": `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: ` +
			`the result cannot be written as JSON"}}`,
	} {
		_, body := e.status(http.MethodPost, tool(1, name, "{}"), header...)
		require.Equal(t, want+"\n", body)
	}
	_, body := e.status(http.MethodPost, tool(1, "nothing", "{}"), header...)
	require.Contains(t, body, "done", "the session goes on")
}

func TestAnIDCanBeUsedAgainOnceItIsAnswered(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	for range 300 {
		status, body := e.status(http.MethodPost, tool("the same", "burst", "{}"), header...)
		require.Equal(t, http.StatusOK, status, body)
	}
}

func TestAClientsNameIsReadFromItsHandshakeOrItsRequestAndIsNotEndless(t *testing.T) {
	l := newLab()
	l.AddTool(mcp.NewTool("name"), func(ctx context.Context,
		_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("[" + ClientName(ctx) + "]"), nil
	})
	e := serveHTTP(t, l.MCPServer, nil)
	_, got := e.status(http.MethodPost, tool(1, "name", "{}"), e.session("2025-11-25", "{}")...)
	require.Contains(t, got, "[test]")
	body, header := modern(1, "name", "{}")
	_, got = e.status(http.MethodPost, body, header...)
	require.Contains(t, got, `"[]"`, "it does not say")
	for name, want := range map[string]string{"test": "[test]",
		strings.Repeat("é", 201): "[" + strings.Repeat("é", 199) + "…]"} {
		said := strings.Replace(body, `"_meta":{`,
			`"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"`+name+`","version":"1"},`, 1)
		_, got = e.status(http.MethodPost, said, header...)
		require.Contains(t, got, want)
	}
}

func TestAHandlerCanAnswerWithAnErrorOfItsOwn(t *testing.T) {
	l := newLab()
	l.AddTool(mcp.NewTool("refuse"), func(ctx context.Context,
		_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, Refuse(ctx, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, "this needs forms",
			map[string]any{"requiredCapabilities": map[string]any{"elicitation": map[string]any{}}})
	})
	l.AddTool(mcp.NewTool("change-its-mind"),
		func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_ = Refuse(ctx, mcp.INVALID_PARAMS, "no", nil)
			return nil, errors.New("something else")
		})
	e := serveHTTP(t, l.MCPServer, nil)
	body, header := modern(1, "refuse", "{}")
	status, got := e.status(http.MethodPost, body, header...)
	require.Equal(t, http.StatusBadRequest, status)
	require.JSONEq(t,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"this needs forms",`+
			`"data":{"requiredCapabilities":{"elicitation":{}}}}}`, got)
	body, header = modern(2, "change-its-mind", "{}")
	status, got = e.status(http.MethodPost, body, header...)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"something else"}}`,
		got)
}
