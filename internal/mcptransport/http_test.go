package mcptransport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":0,"level":"warning","logger":"lab"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":4,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1,"level":"warning","logger":"lab"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":5,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":6,"progressToken":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":2,"level":"warning","logger":"lab"}}`,
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
	resp := e.request(t.Context(), http.MethodPost, tool("a", "burst", `{"n":1}`), e.session("2025-06-18", "{}")...)
	defer resp.Body.Close()
	require.JSONEq(t,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"_meta":{"step":1},"message":"step 1","progress":1,"progressToken":"a","total":1}}`,
		readEvents(t, resp).message().data)
}

func TestAResponseAloneIsPlainJSON(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	resp := e.request(t.Context(), http.MethodPost, tool(1, "nothing", "{}"), e.session("2025-11-25", "{}")...)
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
		_, body := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`, header...)
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`+"\n", body)
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
					body, header = strings.Replace(tool(1, "gate", "{}"), `,"_meta":{"progressToken":1}`, "", 1), e.session(era, "{}")
				} else {
					body = strings.Replace(body, `"progressToken":1,`, "", 1)
				}
				resp := e.request(t.Context(), http.MethodPost, body, header...)
				defer resp.Body.Close()
				require.Equal(t, time.Second, time.Since(start), "a silent request becomes a stream soon")
				es := readEvents(t, resp)
				var comments []time.Duration
				for len(comments) < 3 {
					ev, ok := es.next()
					require.True(t, ok)
					if ev.comment {
						comments = append(comments, time.Since(start))
					}
				}
				require.Equal(t, []time.Duration{11 * time.Second, 21 * time.Second, 31 * time.Second}, comments)
				close(l.open)
				require.Contains(t, es.message().data, "opened")
			})
		})
	}
}

func TestACancelledRequestEndsAloneAndIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		mine, other := e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}")
		first := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), mine...)
		defer first.Body.Close()
		second := e.request(t.Context(), http.MethodPost, tool("1", "gate", "{}"), mine...)
		defer second.Body.Close()
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the user left"}}`

		status, _ := e.status(http.MethodPost, cancel, other...) // somebody else's
		require.Equal(t, http.StatusAccepted, status)
		synctest.Wait()
		require.Empty(t, l.ended)

		status, _ = e.status(http.MethodPost, cancel, mine...)
		require.Equal(t, http.StatusAccepted, status)
		err := <-l.ended
		require.ErrorIs(t, err, ErrCancelled)
		require.EqualError(t, err, `the client cancelled the request: "the user left"`)
		require.Len(t, readEvents(t, first).rest(), 1, "only what came before")

		close(l.open)
		require.Contains(t, strings.Join(readEvents(t, second).rest(), ""), "opened", `"1" is not 1`)
	})
}

func TestADroppedConnectionCancelsAfterAGraceInWhichItCanBeResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{ResumeGrace: 10 * time.Second})
		header := e.session("2025-11-25", "{}")
		resp := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), header...)
		seen := readEvents(t, resp).message()
		require.NoError(t, resp.Body.Close())
		time.Sleep(9 * time.Second)
		require.Empty(t, l.ended)

		resumed := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+seen.id)...)
		time.Sleep(20 * time.Second)
		require.Empty(t, l.ended, "somebody listens")
		require.NoError(t, resumed.Body.Close())
		lost := time.Now()
		require.ErrorIs(t, <-l.ended, ErrDropped)
		require.Equal(t, 10*time.Second, time.Since(lost))

		again := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+seen.id)...)
		defer again.Body.Close()
		rest := readEvents(t, again).rest()
		require.Len(t, rest, 1)
		require.Contains(t, rest[0], "detached: the client's connection is lost")
	})
}

func TestAConnectionThatDropsBeforeAnyEventCancelsAtOnce(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			e := serveHTTP(t, l.MCPServer, nil)
			header := e.session(version, "{}")
			ctx, cancel := context.WithCancel(t.Context())
			silent := strings.Replace(tool(1, "gate", "{}"), `"progressToken":1`, "", 1)
			go func() { <-l.entered; cancel() }()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(silent))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			for _, h := range header {
				name, value, _ := strings.Cut(h, ": ")
				r.Header.Set(name, value)
			}
			_, err = e.client.Do(r)
			require.ErrorIs(t, err, context.Canceled)
			start := time.Now()
			require.ErrorIs(t, <-l.ended, ErrDropped)
			require.Zero(t, time.Since(start))
		})
	}
}

func TestClosingTheStreamIsTheCancellationOfAStatelessRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		body, header := modern(1, "gate", `{"name":"mine"}`)
		mine := e.request(t.Context(), http.MethodPost, body, header...)
		body, header = modern(1, "gate", `{"name":"other"}`) // the same id from elsewhere
		other := e.request(t.Context(), http.MethodPost, body, header...)
		defer other.Body.Close()
		first := readEvents(t, mine).message()
		require.Empty(t, first.id, "it cannot be resumed")

		status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, header[0])
		require.Equal(t, http.StatusAccepted, status)
		synctest.Wait()
		require.Empty(t, l.ended, "nobody cancels by message")

		require.NoError(t, mine.Body.Close())
		require.ErrorIs(t, <-l.ended, ErrDropped)
		close(l.open)
		require.Contains(t, strings.Join(readEvents(t, other).rest(), ""), "opened")
	})
}

func TestUnknownEventsAndForeignSessionsAreNotFound(t *testing.T) {
	l := newLab()
	e := serveHTTP(t, l.MCPServer, &Options{Authorize: func(r *http.Request) (string, error) { return r.Header.Get("Who"), nil }})
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

func TestDeleteEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		header := e.session("2025-11-25", "{}")
		call := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), header...)
		defer call.Body.Close()
		listening := e.request(t.Context(), http.MethodGet, "", header...)
		defer listening.Body.Close()
		status, _ := e.status(http.MethodDelete, "", header...)
		require.Equal(t, http.StatusNoContent, status)
		require.ErrorIs(t, <-l.ended, ErrClosed)
		require.Empty(t, readEvents(t, listening).rest())
		require.Contains(t, strings.Join(readEvents(t, call).rest(), ""), "detached")
		status, _ = e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header...)
		require.Equal(t, http.StatusNotFound, status)
	})
}

func TestIdleSessionsEndAndUsedOnesDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{IdleTTL: time.Hour})
		idle, used, listens, runs := e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}")
		listening := e.request(t.Context(), http.MethodGet, "", listens...)
		defer listening.Body.Close()
		go func() { _, _ = io.Copy(io.Discard, listening.Body) }() // comments
		call := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), runs...)
		defer call.Body.Close()
		alive := func(header []string) bool {
			status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header...)
			return status == http.StatusOK
		}
		for range 4 {
			time.Sleep(30 * time.Minute)
			require.True(t, alive(used))
		}
		require.False(t, alive(idle))
		require.True(t, alive(listens))
		_ = call.Body.Close()
		require.ErrorIs(t, <-l.ended, ErrDropped)
		time.Sleep(2 * time.Hour)
		require.False(t, alive(runs))
	})
}

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

		second := e.request(t.Context(), http.MethodGet, "", header...) // takes over, the first stands by
		broadcast(3)
		twos := readEvents(t, second)
		require.Contains(t, twos.message().data, `"n":3`)
		require.NoError(t, second.Body.Close())
		synctest.Wait()
		broadcast(4)
		require.Contains(t, ones.message().data, `"n":4`, "each message on one connection only")
		require.NoError(t, first.Body.Close())
		synctest.Wait()

		again := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+two.id)...)
		defer again.Body.Close()
		replayed := readEvents(t, again)
		require.Contains(t, replayed.message().data, `"n":3`)
		require.Contains(t, replayed.message().data, `"n":4`)
	})
}

func TestASlowReaderHoldsUpNobodyElseAndLosesNothingThatAResumeGets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{Buffer: 4, WriteTimeout: 5 * time.Second, ResumeGrace: time.Minute})
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
		again := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+first.id)...)
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
		e := serveHTTP(t, l.MCPServer, &Options{Buffer: 4, WriteTimeout: time.Second, ResumeGrace: time.Hour})
		header := e.session("2025-11-25", "{}")
		slow := e.request(t.Context(), http.MethodPost, tool("slow", "burst", `{"n":100}`), header...)
		first, _ := readEvents(t, slow).next()
		time.Sleep(2 * time.Second)
		again := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+first.id)...)
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
		e := serveHTTP(t, l.MCPServer, &Options{MaxCalls: 2, MaxSessions: 2, MaxBody: 1000})
		a := e.session("2025-11-25", "{}")
		for i := range 2 {
			resp := e.request(t.Context(), http.MethodPost, tool(i, "gate", "{}"), a...)
			defer resp.Body.Close()
		}
		status, body := e.status(http.MethodPost, tool(3, "nothing", "{}"), a...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, body, `"id":3,"error":{"code":-32600,"message":"2 requests are under way already; wait for one of them to end"}`)
		status, body = e.status(http.MethodPost, tool(1, "nothing", "{}"), a...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, body, "a request with the id 1 is under way already")

		status, body = e.status(http.MethodPost, tool(1, "nothing", `{"x":"`+strings.Repeat("x", 1000)+`"}`), a...)
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
		require.Contains(t, body, "too many sessions")
	})
}

func TestCloseEndsHandlersAndWaitsForTheirAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		header := e.session("2025-11-25", "{}")
		listening := e.request(t.Context(), http.MethodGet, "", header...)
		defer listening.Body.Close()
		old := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), header...)
		defer old.Body.Close()
		body, modernHeader := modern(1, "gate", "{}")
		alone := e.request(t.Context(), http.MethodPost, body, modernHeader...)
		defer alone.Body.Close()
		answers := make(chan string, 2)
		for _, resp := range []*http.Response{old, alone} {
			es := readEvents(t, resp)
			go func() { answers <- strings.Join(es.rest(), "") }()
		}
		require.NoError(t, e.h.Close(t.Context()))
		require.ErrorIs(t, <-l.ended, ErrClosed)
		require.ErrorIs(t, <-l.ended, ErrClosed)
		require.Contains(t, <-answers, "detached: the session is closed")
		require.Contains(t, <-answers, "detached: the session is closed")
		status, _ := e.status(http.MethodPost, tool(2, "nothing", "{}"), header...)
		require.Equal(t, http.StatusServiceUnavailable, status)
	})
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		stubborn := make(chan struct{})
		l.AddTool(stubbornTool(stubborn))
		e := serveHTTP(t, l.MCPServer, nil)
		resp := e.request(t.Context(), http.MethodPost, tool(1, "stubborn", "{}"), e.session("2025-11-25", "{}")...)
		defer resp.Body.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := e.h.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "1 requests are still under way")
		close(stubborn)
	})
}

func TestPanicsBecomeErrors(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	for name, want := range map[string]string{
		"panic":      `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: handling the request panicked; the server's log has more"}}`,
		"unwritable": `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the result cannot be written as JSON"}}`,
	} {
		_, body := e.status(http.MethodPost, tool(1, name, "{}"), header...)
		require.Equal(t, want+"\n", body)
	}
	_, body := e.status(http.MethodPost, tool(1, "nothing", "{}"), header...)
	require.Contains(t, body, "done", "the session goes on")
}

func TestAnAnswerThatIsNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.AddTool(mcp.NewTool("large"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(strings.Repeat("x", 1<<20)), nil
		})
		e := serveHTTP(t, l.MCPServer, &Options{WriteTimeout: 5 * time.Second})
		resp := e.request(t.Context(), http.MethodPost, tool(1, "large", "{}"), e.session("2025-11-25", "{}")...)
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
			// An answer that sets no deadline of its own, to a request that is not sent again by itself.
			status, _ = plain.status(http.MethodPost, "", append(header, "Content-Type: text/plain")...)
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

func TestAnIDCanBeUsedAgainOnceItIsAnswered(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, nil)
	header := e.session("2025-11-25", "{}")
	for range 300 {
		status, body := e.status(http.MethodPost, tool("the same", "burst", "{}"), header...)
		require.Equal(t, http.StatusOK, status, body)
	}
}

func TestAHandlerCanAnswerWithAnErrorOfItsOwn(t *testing.T) {
	l := newLab()
	l.AddTool(mcp.NewTool("refuse"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, Refuse(ctx, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, "this needs forms", map[string]any{"requiredCapabilities": map[string]any{"elicitation": map[string]any{}}})
	})
	l.AddTool(mcp.NewTool("change-its-mind"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = Refuse(ctx, mcp.INVALID_PARAMS, "no", nil)
		return nil, errors.New("something else")
	})
	e := serveHTTP(t, l.MCPServer, nil)
	body, header := modern(1, "refuse", "{}")
	status, got := e.status(http.MethodPost, body, header...)
	require.Equal(t, http.StatusBadRequest, status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"this needs forms","data":{"requiredCapabilities":{"elicitation":{}}}}}`, got)
	body, header = modern(2, "change-its-mind", "{}")
	status, got = e.status(http.MethodPost, body, header...)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"something else"}}`, got)
}

func TestAReaderThatIsSlowButReadsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, era := range []string{"2025-11-25", "2026-07-28"} {
			e := serveHTTP(t, newLab().MCPServer, &Options{Buffer: 2, WriteTimeout: 10 * time.Second})
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

func TestWhatAClientKnowsDecidesWhetherItMayComeBack(t *testing.T) {
	for _, c := range []struct {
		name, version, call string
		grace               time.Duration
	}{
		{"no event yet", "2025-06-18", strings.Replace(tool(1, "gate", "{}"), `"progressToken":1`, "", 1), 0},
		{"an event without data", "2025-11-25", strings.Replace(tool(1, "gate", "{}"), `"progressToken":1`, "", 1), 10 * time.Second},
		{"an event", "2025-06-18", tool(1, "gate", "{}"), 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				e := serveHTTP(t, l.MCPServer, nil)
				resp := e.request(t.Context(), http.MethodPost, c.call, e.session(c.version, "{}")...)
				es := readEvents(t, resp)
				if c.grace > 0 {
					_, ok := es.next()
					require.True(t, ok)
				}
				time.Sleep(2 * time.Second)
				require.NoError(t, resp.Body.Close())
				lost := time.Now()
				require.ErrorIs(t, <-l.ended, ErrDropped)
				require.Equal(t, c.grace, time.Since(lost))
			})
		})
	}
}

func TestASessionWithARequestUnderWayIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{IdleTTL: time.Minute, ResumeGrace: time.Hour})
		header := e.session("2025-11-25", "{}")
		resp := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), header...)
		seen := readEvents(t, resp).message()
		require.NoError(t, resp.Body.Close())
		time.Sleep(30 * time.Minute)
		require.Empty(t, l.ended)
		close(l.open)
		again := e.request(t.Context(), http.MethodGet, "", append(header, "Last-Event-ID: "+seen.id)...)
		defer again.Body.Close()
		require.Contains(t, strings.Join(readEvents(t, again).rest(), ""), "opened")
	})
}

func TestOnePrincipalsSessionsDoNotPushOutAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveHTTP(t, newLab().MCPServer, &Options{
			MaxSessions: 2, Authorize: func(r *http.Request) (string, error) { return r.Header.Get("Who"), nil }})
		ann := e.session("2025-11-25", "{}", "Who: ann")
		time.Sleep(time.Second)
		first := e.session("2025-11-25", "{}", "Who: bob")
		time.Sleep(time.Second)
		second := e.session("2025-11-25", "{}", "Who: bob")
		for _, c := range []struct {
			header []string
			want   int
		}{{ann, http.StatusOK}, {first, http.StatusNotFound}, {second, http.StatusOK}} {
			status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, c.header...)
			require.Equal(t, c.want, status)
		}
	})
}

func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		name, head string
		status     int
	}{
		{"a message", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", http.StatusBadRequest},
		{"what is refused", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", http.StatusForbidden},
		{"what needs none", "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n", http.StatusBadRequest},
		{"what is not known", "PATCH /mcp HTTP/1.1\r\nHost: localhost\r\n", http.StatusMethodNotAllowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := serveHTTP(t, newLab().MCPServer, nil)
				conn, err := e.listener.dial(t.Context())
				require.NoError(t, err)
				defer conn.Close()
				_, err = io.WriteString(conn, c.head+"Content-Length: 100\r\n\r\n{")
				require.NoError(t, err)
				start := time.Now()
				r := bufio.NewReader(conn)
				resp, err := http.ReadResponse(r, nil)
				require.NoError(t, err)
				require.Equal(t, c.status, resp.StatusCode)
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(t, err)
				_, err = r.ReadByte()
				require.ErrorIs(t, err, io.EOF, "the connection is closed")
				require.InDelta(t, readTimeout.Seconds(), time.Since(start).Seconds(), 1)
			})
		})
	}
}

func TestRequestsOfAllClientsTogetherAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, &Options{MaxCalls: 1})
		body, header := modern(1, "gate", "{}")
		for range 8 {
			resp := e.request(t.Context(), http.MethodPost, body, header...)
			defer resp.Body.Close()
		}
		status, got := e.status(http.MethodPost, body, header...)
		require.Equal(t, http.StatusTooManyRequests, status)
		require.Contains(t, got, "8 requests of all clients are under way already")
	})
}

func TestCloseWaitsForAnswersThatAreStillBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		resp := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), e.session("2025-11-25", "{}")...)
		defer resp.Body.Close()
		es := readEvents(t, resp)
		es.message()
		closed := make(chan error, 1)
		go func() { closed <- e.h.Close(context.WithoutCancel(t.Context())) }()
		require.ErrorIs(t, <-l.ended, ErrClosed)
		synctest.Wait()
		require.Empty(t, closed)
		require.Contains(t, strings.Join(es.rest(), ""), "detached")
		require.NoError(t, <-closed)
	})
}

func TestClosedSaysWhyTheCallerIsGoneWhateverEndedTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		before, after := make(chan error, 1), make(chan error, 1)
		l.AddTool(mcp.NewTool("child"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			child, cancel := context.WithCancelCause(ctx)
			cancel(errors.New("time is up"))
			before <- Closed(child)
			<-ctx.Done()
			after <- Closed(child)
			return mcp.NewToolResultText("done"), nil
		})
		e := serveHTTP(t, l.MCPServer, nil)
		body, header := modern(1, "child", "{}")
		resp := e.request(t.Context(), http.MethodPost, body, header...)
		require.NoError(t, <-before)
		require.NoError(t, resp.Body.Close())
		require.ErrorIs(t, <-after, ErrDropped)
	})
}

func TestAPeerTakesNothingAfterItsEndAndEachAnswerOnce(t *testing.T) {
	p := newPeer("p", "")
	id, _ := p.expect()
	answer := &message{ID: json.RawMessage(fmt.Sprint(id)), Result: json.RawMessage("{}")}
	require.True(t, p.answered(answer))
	require.False(t, p.answered(answer))
	p.close(ErrClosed)
	p.close(ErrEOF)
	c := newCall(t.Context(), p, &message{ID: json.RawMessage("1")}, slog.New(slog.DiscardHandler))
	require.EqualError(t, p.begin(c, 1, nil), ErrClosed.Error(), "the first reason")
}
