package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestBroadcastsGoToTheListeningConnectionOrWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		header := e.session("2025-11-25", "{}")
		broadcast := func(n int) {
			l.SendNotificationToAllClients("notifications/test", map[string]any{"n": n})
			synctest.Wait()
		}
		broadcast(1)
		first := e.request(t.Context(), http.MethodGet, "", header...)
		ones := readEvents(t, first)
		require.Contains(t, ones.message().data, `"n":1`)
		broadcast(2)
		two := ones.message()
		require.Contains(t, two.data, `"n":2`)

		// takes over, the first stands by
		second := e.request(t.Context(), http.MethodGet, "", header...)
		broadcast(3)
		twos := readEvents(t, second)
		require.Contains(t, twos.message().data, `"n":3`)
		require.NoError(t, second.Body.Close())
		synctest.Wait()
		broadcast(4)
		require.Contains(t, ones.message().data, `"n":4`, "each message on one connection only")
		require.NoError(t, first.Body.Close())
		synctest.Wait()

		again := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+two.id)...)
		defer again.Body.Close()
		replayed := readEvents(t, again)
		require.Contains(t, replayed.message().data, `"n":3`)
		require.Contains(t, replayed.message().data, `"n":4`)
	})
}

func TestASlowReaderHoldsUpNobodyElseAndLosesNothingThatAResumeGets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{Buffer: 4, WriteTimeout: 5 * time.Second,
			ResumeGrace: time.Minute})
		header := e.session("2025-11-25", "{}")
		slow := e.request(t.Context(), http.MethodPost, tool("slow", "burst", `{"n":2}`), header...)
		defer slow.Body.Close()
		ev := readEvents(t, slow)
		first, ok := ev.next()
		require.True(t, ok)
		require.Empty(t, first.data, "the event to resume from")

		status, body := e.status(http.MethodPost, tool(2, "nothing", "{}"), header...)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, "done")

		time.Sleep(10 * time.Second) // nobody reads: the connection is given up
		again := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+first.id)...)
		defer again.Body.Close()
		rest := readEvents(t, again).rest()
		require.Len(t, rest, 3)
		for i, want := range []string{`"progress":1`, `"progress":2`, "done"} {
			require.Contains(t, rest[i], want)
		}
	})
}

func TestWithoutAReaderTheNewestMessagesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{Buffer: 4, WriteTimeout: time.Second,
			ResumeGrace: time.Hour})
		header := e.session("2025-11-25", "{}")
		slow := e.request(t.Context(), http.MethodPost, tool("slow", "burst", `{"n":100}`),
			header...)
		first, _ := readEvents(t, slow).next()
		time.Sleep(2 * time.Second)
		again := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+first.id)...)
		defer again.Body.Close()
		defer slow.Body.Close()
		rest := readEvents(t, again).rest()
		require.Len(t, rest, 4)
		require.Contains(t, rest[2], `"progress":100`)
		require.Contains(t, rest[3], "done")
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{MaxCalls: 2, MaxSessions: 3, MaxBody: 1000})
		a := e.session("2025-11-25", "{}")
		for i := range 2 {
			resp := e.request(t.Context(), http.MethodPost, tool(i, "gate", "{}"), a...)
			defer resp.Body.Close()
		}
		status, body := e.status(http.MethodPost, tool(3, "nothing", "{}"), a...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, body,
			`"id":3,"error":{"code":-32600,"message":"2 requests are under way already; wait for `+
				`one of them to end"}`)
		status, body = e.status(http.MethodPost, tool(1, "nothing", "{}"), a...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, body, "a request with the id 1 is under way already")

		status, body = e.status(http.MethodPost,
			tool(1, "nothing", `{"x":"`+strings.Repeat("x", 1000)+`"}`), a...)
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Contains(t, body, "larger than 1000 bytes")

		b := e.session("2025-11-25", "{}")
		time.Sleep(time.Second)
		c := e.session("2025-11-25", "{}") // b was idle, a is not
		status, _ = e.status(http.MethodPost, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, b...)
		require.Equal(t, http.StatusNotFound, status)
		listening := e.request(t.Context(), http.MethodGet, "", c...)
		defer listening.Body.Close()
		status, body = e.status(http.MethodPost, fmt.Sprintf(handshake, "2025-11-25", "{}"))
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, body, "your share of the server's 3 allows")
	})
}

func TestAnAnswerThatIsNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.AddTool(mcp.NewTool("large"), func(context.Context,
			mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(strings.Repeat("x", 1<<20)), nil
		})
		e := serveHTTP(t, l.MCPServer, &Options{WriteTimeout: 5 * time.Second})
		resp := e.request(t.Context(), http.MethodPost, tool(1, "large", "{}"),
			e.session("2025-11-25", "{}")...)
		defer resp.Body.Close()
		time.Sleep(6 * time.Second)
		_, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	})
}

func TestAConnectionCanBeUsedAgainLongAfterAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{WriteTimeout: time.Second})
		plain := *e
		transport := e.client.Transport.(*http.Transport).Clone()
		transport.MaxConnsPerHost = 1
		defer transport.CloseIdleConnections()
		plain.client = &http.Client{Transport: transport}
		header := plain.session("2025-11-25", "{}")
		for _, name := range []string{"nothing", "burst", "nothing"} {
			status, body := plain.status(http.MethodPost, tool(1, name, "{}"), header...)
			require.Equal(t, http.StatusOK, status)
			require.Contains(t, body, "done")
			time.Sleep(time.Minute)
			// An answer that sets no deadline of its own, to a request that is not sent again by
			// itself.
			status, _ = plain.status(http.MethodPost, "",
				append(header, "Content-Type: text/plain")...)
			require.Equal(t, http.StatusUnsupportedMediaType, status)
		}
	})
}

func TestListeningConnectionsOfASessionAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{MaxCalls: 2})
		header := e.session("2025-11-25", "{}")
		for range 4 {
			resp := e.request(t.Context(), http.MethodGet, "", header...)
			defer resp.Body.Close()
		}
		status, body := e.status(http.MethodGet, "", header...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, body, "too many connections")
	})
}

func TestAReaderThatIsSlowButReadsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, era := range []string{"2025-11-25", "2026-07-28"} {
			e := serveHTTP(t, newLab().MCPServer,
				&Options{Buffer: 2, WriteTimeout: 10 * time.Second})
			body, header := modern(1, "burst", `{"n":60}`)
			if era == "2025-11-25" {
				body, header = tool(1, "burst", `{"n":60}`), e.session(era, "{}")
			}
			resp := e.request(t.Context(), http.MethodPost, body, header...)
			es := readEvents(t, resp)
			for i := range 60 {
				time.Sleep(time.Second)
				require.Contains(t, es.message().data, fmt.Sprintf(`"progress":%d,`, i+1))
			}
			require.Contains(t, es.message().data, "done")
			require.NoError(t, resp.Body.Close())
		}
	})
}

func TestOnePrincipalsSessionsDoNotPushOutAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{
			MaxSessions: 8, Authorize: named, Operator: isBoss})
		ann := e.session("2025-11-25", "{}", "Who: ann")
		time.Sleep(time.Second)
		var bobs [][]string
		for range 10 {
			bobs = append(bobs, e.session("2025-11-25", "{}", "Who: bob"))
			time.Sleep(time.Second)
		}
		late := e.session("2025-11-25", "{}", "Who: cid")
		for _, who := range []string{"dan", "eve"} {
			e.session("2025-11-25", "{}", "Who: "+who)
		}
		status, _ := e.status(http.MethodPost, fmt.Sprintf(handshake, "2025-11-25", "{}"),
			"Who: fay")
		require.Equal(t, http.StatusServiceUnavailable, status, "the last place is the operator's")
		boss := e.session("2025-11-25", "{}", "Who: boss")
		for _, c := range []struct {
			header []string
			want   int
		}{{ann, http.StatusOK}, {bobs[0], http.StatusNotFound}, {bobs[6], http.StatusNotFound},
			{bobs[7], http.StatusOK}, {bobs[9], http.StatusOK}, {late, http.StatusOK},
			{boss, http.StatusOK}} {
			status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				c.header...)
			require.Equal(t, c.want, status)
		}
	})
}

// named lets in everybody, by the name in a header.
func named(r *http.Request) (string, error) { return r.Header.Get("Who"), nil }

func isBoss(principal string) bool { return principal == "boss" }

func TestNoClientsCallsTakeThePlacesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{MaxCalls: 1, Authorize: named,
			Operator: isBoss})
		body, header := modern(1, "gate", "{}")
		call := func(who string, want int) {
			t.Helper()
			resp := e.request(t.Context(), http.MethodPost, body, append(header, "Who: "+who)...)
			t.Cleanup(func() { _ = resp.Body.Close() })
			require.Equal(t, want, resp.StatusCode)
		}
		for _, who := range []string{"ann", "ann", "ann", "ann", "bob", "bob", "cid"} {
			call(who, http.StatusOK)
		}
		status, got := e.status(http.MethodPost, body, append(header, "Who: ann")...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, got, "your share of the server's 8 allows")
		call("dan", http.StatusTooManyRequests)
		call("boss", http.StatusOK)
		call("boss", http.StatusTooManyRequests)
	})
}

func TestNoClientsConnectionsTakeThePlacesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{MaxSessions: 8, Authorize: named,
			Operator: isBoss})
		listen := func(who string, want int) {
			t.Helper()
			header := append(e.session("2025-11-25", "{}", "Who: "+who), "Who: "+who)
			resp := e.request(t.Context(), http.MethodGet, "", header...)
			t.Cleanup(func() { _ = resp.Body.Close() })
			require.Equal(t, want, resp.StatusCode)
		}
		for range 3 {
			listen("ann", http.StatusOK)
		}
		header := append(e.session("2025-11-25", "{}", "Who: ann"), "Who: ann")
		for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			resp := e.request(t.Context(), http.MethodGet, "", header...)
			defer resp.Body.Close()
			require.Equal(t, want, resp.StatusCode)
		}
		listen("bob", http.StatusOK)
		listen("boss", http.StatusOK)
	})
}

// The sender of a message that is nested too deep is told so about its own request, wherever the id
// stands in it.
func TestAMessageThatIsNestedTooDeepIsRefusedByItsID(t *testing.T) {
	for id, message := range map[string]string{
		`"id":"mine"`: `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"id":1,"a":%s}}`,
		`"id":7`:      `{"jsonrpc":"2.0","params":[{"id":1},%s],"method":"tools/call","id":7}`,
	} {
		deep := strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000)
		_, err := parse([]byte(fmt.Sprintf(message, deep)))
		require.EqualError(t, err, "the message is nested more than 10000 deep")
		require.Contains(t, string(err.(*wire.Error).Encode()), id)
		_, err = parse([]byte(fmt.Sprintf(message, deep[1:])))
		require.ErrorContains(t, err, "this is not JSON")
	}
}

func TestAMessageOfVeryManyValuesIsRefusedUnread(t *testing.T) {
	for name, arguments := range map[string]string{
		"names":  `{"task":"tap"` + strings.Repeat(`,"an_unknown_one":1`, 250_000) + "}",
		"values": `{"extra_info":[1` + strings.Repeat(",1", 1_500_000) + "]}",
		"nested": strings.Repeat(`{"a":`, 9_000) + "[1" + strings.Repeat(",1", 12_000) + "]" +
			strings.Repeat("}", 9_000),
	} {
		t.Run(name, func(t *testing.T) {
			message := []byte(`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":` +
				`{"name":"ask_agent_start_new_task","arguments":` + arguments + "}}")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := parse(message)
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err,
				"values (at most 20000): leave out what was not asked for")
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*len(message)+1<<20))
			answer := err.(*wire.Error).Encode()
			require.Contains(t, string(answer), `"id":"mine"`)
			require.Less(t, len(answer), 300)
		})
	}
	text := strings.Repeat(`,:\"`, 100_000)
	_, err := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x",` +
		`"params":{"text":"` + text + `"}}`))
	require.NoError(t, err, "what stands in a text is no value")
}
