package transport

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"
)

func TestQuestionsGoOutOnTheStreamOfTheirRequestAndAnswersFindTheirWay(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", `{"elicitation":{}}`)
	var streams []*events
	var asked []string
	for i, q := range []string{"red?", "blue?"} {
		resp := e.request(t.Context(), http.MethodPost,
			tool(i, "ask", fmt.Sprintf(`{"question":%q}`, q)), header...)
		defer resp.Body.Close()
		streams = append(streams, readEvents(t, resp))
		asked = append(asked, streams[i].message().data)
		require.JSONEq(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create",
			"params":{"message":%q,"requestedSchema":
			{"type":"object","properties":{"answer":{"type":"string"}}}}}`, i+1, q), asked[i])
	}
	for i, answer := range []string{"second", "first"} {
		status, _ := e.status(http.MethodPost,
			fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"answer":%q}}}`,
				2-i, answer), header...)
		require.Equal(t, http.StatusAccepted, status)
	}
	require.Contains(t, strings.Join(streams[0].rest(), ""), "accept map[answer:first]")
	require.Contains(t, strings.Join(streams[1].rest(), ""), "accept map[answer:second]")

	status, body := e.status(http.MethodPost,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, header...)
	require.Equal(t, http.StatusBadRequest, status, "nobody waits any more")
	require.Contains(t, body, "waits for no response")
}

func TestAnotherSessionCannotAnswer(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	mine, other := e.session("2025-11-25", `{"elicitation":{}}`),
		e.session("2025-11-25", `{"elicitation":{}}`)
	resp := e.request(t.Context(), http.MethodPost, tool(1, "ask", "{}"), mine...)
	defer resp.Body.Close()
	es := readEvents(t, resp)
	require.Contains(t, es.message().data, `"id":1`)
	status, _ := e.status(http.MethodPost,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"forged"}}}`,
		other...)
	require.Equal(t, http.StatusBadRequest, status)
	_, _ = e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`,
		mine...)
	require.Contains(t, es.message().data, "decline")
}

func TestADialogIsClosedWhenNobodyWaitsAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{KeepAlive: 10 * time.Hour})
		header := e.session("2025-11-25", `{"elicitation":{}}`)
		resp := e.request(t.Context(), http.MethodPost, tool(1, "ask", "{}"), header...)
		defer resp.Body.Close()
		start := time.Now()
		rest := readEvents(t, resp).rest()
		require.Equal(t, time.Hour, time.Since(start))
		require.Len(t, rest, 3)
		require.JSONEq(t,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+
				`"reason":"nobody answered within an hour"}}`, rest[1])
		require.Contains(t, rest[2], "nobody answered within an hour")
		status, _ := e.status(http.MethodPost,
			`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`, header...)
		require.Equal(t, http.StatusBadRequest, status)
	})
}

func TestClientsWithoutFormsAreNotAsked(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	for caps, able := range map[string]bool{
		`{}`: false, `{"elicitation":{}}`: true, `{"elicitation":{"form":{}}}`: true,
		`{"elicitation":{"url":{}}}`: false, `{"elicitation":{"form":{},"url":{}}}`: true,
	} {
		header := e.session("2025-11-25", caps)
		_, body := e.status(http.MethodPost, tool(1, "whoami", "{}"), header...)
		require.Contains(t, body, fmt.Sprintf("elicits %v", able), caps)
		if !able {
			_, body = e.status(http.MethodPost, tool(2, "ask", "{}"), header...)
			require.Contains(t, body, errCannotElicit.Error())
		}
	}
}

func TestARefusedQuestionIsAnError(t *testing.T) {
	for refusal, want := range map[string]string{
		`{"code":-1,"message":"User rejected"}`: "the client refused: User rejected (code -1)",
		`{"code":-1}`:                           "the client refused without saying why",
	} {
		e := serveHTTP(t, newLab().MCPServer, nil)
		header := e.session("2025-11-25", `{"elicitation":{}}`)
		resp := e.request(t.Context(), http.MethodPost, tool(1, "ask", "{}"), header...)
		defer resp.Body.Close()
		es := readEvents(t, resp)
		es.message()
		status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"error":`+refusal+`}`,
			header...)
		require.Equal(t, http.StatusAccepted, status)
		require.Contains(t, es.message().data, want)
	}
}

func TestAQuestionByResultIsAskedInBothEras(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)

	body, header := modern(1, "form", `{"question":"Which?"}`)
	_, got := e.status(http.MethodPost, body, header...)
	require.Contains(t, got, `"resultType":"input_required"`)
	require.Contains(t, got,
		`"inputRequests":{"q1":{"method":"elicitation/create","params":{"message":"Which?"`)
	require.Contains(t, got, `"requestState":"state-1"`)
	again := strings.Replace(body, `"arguments"`,
		`"requestState":"state-1","inputResponses":{"q1":{"action":"accept",`+
			`"content":{"answer":"this"}}},"arguments"`, 1)
	_, got = e.status(http.MethodPost, again, header...)
	require.Contains(t, got, "accept map[answer:this] state-1")
	nonsense := strings.Replace(body, `"arguments"`,
		`"requestState":"state-1","inputResponses":{"q1":{"action":"dance"}},"arguments"`, 1)
	_, got = e.status(http.MethodPost, nonsense, header...)
	require.Contains(t, got, `"resultType":"input_required"`, "asked again")

	old := e.session("2025-11-25", `{"elicitation":{}}`)
	resp := e.request(t.Context(), http.MethodPost, tool(1, "form", "{}"), old...)
	defer resp.Body.Close()
	es := readEvents(t, resp)
	require.Contains(t, es.message().data, "elicitation/create")
	_, _ = e.status(http.MethodPost,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"that"}}}`, old...)
	require.Contains(t, es.message().data, "accept map[answer:that] state-1")
}

func TestAServerAsksNothingUnder20260728(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	body, header := modern(1, "ask", "{}")
	_, got := e.status(http.MethodPost, body, header...)
	require.Contains(t, got, errStateless.Error())
}

func TestProgressOverAnotherTransportGoesToItsSession(t *testing.T) {
	require.ErrorIs(t, Progress(t.Context(), "t", 1, 0, "", nil), server.ErrNoActiveSession)
	require.NoError(t, Progress(t.Context(), nil, 1, 0, "", nil), "nobody wants it")
	_, err := Elicit(t.Context(), question("?"))
	require.ErrorIs(t, err, server.ErrNoActiveSession)
	require.False(t, CanElicit(t.Context()))
	require.NoError(t, Closed(t.Context()))
}

func TestSendingAfterTheResultIsAnError(t *testing.T) {
	l := newLab()
	kept := make(chan context.Context, 1)
	l.AddTool(mcp.NewTool("keep"), func(ctx context.Context,
		_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		kept <- context.WithoutCancel(ctx)
		return mcp.NewToolResultText("done"), nil
	})
	e := serveHTTP(t, l.MCPServer, nil)
	_, body := e.status(http.MethodPost, tool(1, "keep", "{}"),
		e.session("2025-11-25", `{"elicitation":{}}`)...)
	require.Contains(t, body, "done")
	ctx := <-kept
	require.ErrorIs(t, Progress(ctx, "t", 1, 0, "", nil), errOver)
	require.ErrorIs(t, l.SendNotificationToClient(ctx, "notifications/test", nil),
		server.ErrNotificationChannelBlocked)
	_, err := Elicit(ctx, question("?"))
	require.ErrorIs(t, err, errOver)
	require.NoError(t, Closed(ctx), "it was answered, not abandoned")
}
