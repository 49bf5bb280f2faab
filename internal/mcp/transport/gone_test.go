package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/wire"
)

func TestACancelledRequestEndsAloneAndIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		mine, other := e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}")
		first := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), mine...)
		defer first.Body.Close()
		second := e.request(t.Context(), http.MethodPost, tool("1", "gate", "{}"), mine...)
		defer second.Body.Close()
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` +
			`"reason":"the user left"}}`

		status, _ := e.status(http.MethodPost, cancel, other...) // somebody else's
		require.Equal(t, http.StatusAccepted, status)
		synctest.Wait()
		require.Empty(t, l.ended)

		status, _ = e.status(http.MethodPost, cancel, mine...)
		require.Equal(t, http.StatusAccepted, status)
		err := <-l.ended
		require.ErrorIs(t, err, errCancelled)
		require.EqualError(t, err, `the client cancelled the request: "the user left"`)
		require.Len(t, readEvents(t, first).rest(), 1, "only what came before")

		close(l.open)
		require.Contains(t, strings.Join(readEvents(t, second).rest(), ""), "opened",
			`"1" is not 1`)
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

		resumed := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+seen.id)...)
		time.Sleep(20 * time.Second)
		require.Empty(t, l.ended, "somebody listens")
		require.NoError(t, resumed.Body.Close())
		lost := time.Now()
		require.ErrorIs(t, <-l.ended, ErrDropped)
		require.Equal(t, 10*time.Second, time.Since(lost))

		again := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+seen.id)...)
		defer again.Body.Close()
		rest := readEvents(t, again).rest()
		require.Len(t, rest, 1)
		require.Contains(t, rest[0], "detached: the client's connection is lost")
	})
}

func TestAConnectionEndsWhenItsCredentialIsRevoked(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab()
			var revoked atomic.Bool
			e := serveHTTP(t, l.MCPServer, &Options{KeepAlive: 15 * time.Second,
				Authorize: func(*http.Request) (string, error) {
					if revoked.Load() {
						return "", errors.New("revoked")
					}
					return "kim", nil
				}})
			body, header := modern(1, "gate", "{}")
			if version == "2025-11-25" {
				body, header = tool(1, "gate", "{}"), e.session(version, "{}")
			}
			resp := e.request(t.Context(), http.MethodPost, body, header...)
			defer resp.Body.Close()
			told := make(chan []byte, 1)
			go func() { // ends with the connection
				all, _ := io.ReadAll(resp.Body)
				told <- all
			}()
			<-l.entered
			time.Sleep(time.Minute)
			require.Empty(t, l.ended)

			revoked.Store(true)
			at := time.Now()
			require.ErrorIs(t, <-l.ended, ErrDropped, version)
			require.LessOrEqual(t, time.Since(at), 15*time.Second)
			require.NotContains(t, string(<-told), "detached", "nothing is told any more")
		})
	}
}

func TestQuietConnectionsEndAtOnceWhenTheirCredentialIsRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		var revoked atomic.Bool
		changed := make(chan struct{})
		e := serveHTTP(t, l.MCPServer, &Options{KeepAlive: time.Hour,
			Changed: func() <-chan struct{} { return changed },
			Authorize: func(r *http.Request) (string, error) {
				if name := r.Header.Get("Name"); name == "other" || !revoked.Load() {
					return name, nil
				}
				return "", errors.New("revoked")
			}})
		session := func(name string) []string {
			return append(e.session("2025-11-25", "{}", "Name: "+name), "Name: "+name)
		}
		kim, other := session("kim"), session("other")
		ended := make(chan error, 3)
		listen := func(method, body string) {
			resp := e.request(t.Context(), method, body, kim...)
			go func() { // ends with the connection
				_, err := io.ReadAll(resp.Body)
				ended <- errors.Join(err, resp.Body.Close())
			}()
		}
		listen(http.MethodGet, "")
		listen(http.MethodGet, "") // the first stands by
		listen(http.MethodPost, tool(1, "gate", "{}"))
		stays := e.request(t.Context(), http.MethodGet, "", other...)
		defer stays.Body.Close()
		<-l.entered
		time.Sleep(time.Minute)

		revoked.Store(true)
		at, before := time.Now(), changed
		changed = make(chan struct{})
		close(before)
		for range cap(ended) {
			require.NoError(t, <-ended, "each ends in order")
		}
		require.ErrorIs(t, <-l.ended, ErrDropped)
		require.Zero(t, time.Since(at))
		l.SendNotificationToAllClients("notifications/test", nil)
		require.Contains(t, readEvents(t, stays).message().data, "notifications/test")
	})
}

func TestWhatAClientSaysOfItselfIsKeptShort(t *testing.T) {
	p := newPeer("p", "")
	p.SetClientInfo(mcp.Implementation{Name: strings.Repeat("é", 1000), Version: "1\n\x1b[2J",
		Description: "long"})
	require.Equal(t, mcp.Implementation{Name: strings.Repeat("é", 199) + "…", Version: "1 [2J"},
		p.GetClientInfo())
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
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp",
				strings.NewReader(silent))
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

		status, _ := e.status(http.MethodPost,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			header[0])
		require.Equal(t, http.StatusAccepted, status)
		synctest.Wait()
		require.Empty(t, l.ended, "nobody cancels by message")

		require.NoError(t, mine.Body.Close())
		require.ErrorIs(t, <-l.ended, ErrDropped)
		close(l.open)
		require.Contains(t, strings.Join(readEvents(t, other).rest(), ""), "opened")
	})
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
		idle, used := e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}")
		listens, runs := e.session("2025-11-25", "{}"), e.session("2025-11-25", "{}")
		listening := e.request(t.Context(), http.MethodGet, "", listens...)
		defer listening.Body.Close()
		go func() { _, _ = io.Copy(io.Discard, listening.Body) }() // comments
		call := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"), runs...)
		defer call.Body.Close()
		alive := func(header []string) bool {
			status, _ := e.status(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				header...)
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
		resp := e.request(t.Context(), http.MethodPost, tool(1, "stubborn", "{}"),
			e.session("2025-11-25", "{}")...)
		defer resp.Body.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := e.h.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "1 requests are still under way")
		close(stubborn)
	})
}

func TestWhatAClientKnowsDecidesWhetherItMayComeBack(t *testing.T) {
	for _, c := range []struct {
		name, version, call string
		grace               time.Duration
	}{
		{"no event yet", "2025-06-18", strings.Replace(tool(1, "gate", "{}"), `"progressToken":1`,
			"", 1), 0},
		{"an event without data", "2025-11-25",
			strings.Replace(tool(1, "gate", "{}"), `"progressToken":1`, "", 1), 10 * time.Second},
		{"an event", "2025-06-18", tool(1, "gate", "{}"), 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				e := serveHTTP(t, l.MCPServer, nil)
				resp := e.request(t.Context(), http.MethodPost, c.call,
					e.session(c.version, "{}")...)
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
		again := e.request(t.Context(), http.MethodGet, "",
			append(header, "Last-Event-ID: "+seen.id)...)
		defer again.Body.Close()
		require.Contains(t, strings.Join(readEvents(t, again).rest(), ""), "opened")
	})
}

func TestCloseWaitsForAnswersThatAreStillBeingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		e := serveHTTP(t, l.MCPServer, nil)
		resp := e.request(t.Context(), http.MethodPost, tool(1, "gate", "{}"),
			e.session("2025-11-25", "{}")...)
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
		l.AddTool(mcp.NewTool("child"), func(ctx context.Context,
			_ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
	answer := &wire.Message{ID: json.RawMessage(fmt.Sprint(id)), Result: json.RawMessage("{}")}
	require.True(t, p.answered(answer))
	require.False(t, p.answered(answer))
	p.close(ErrClosed)
	p.close(errEOF)
	c := newCall(t.Context(), p, &wire.Message{ID: json.RawMessage("1")}, new(settings(nil)))
	require.EqualError(t, c.begin(1, nil), ErrClosed.Error(), "the first reason")
}

// Nobody can take up the session of a handshake whose client has left, or go on with it when the
// endpoint closes.
func TestAHandshakeEndsWithItsClientAndWithTheEndpoint(t *testing.T) {
	for name, end := range map[string]func(e *endpoint, leave func()){
		"the client leaves":   func(_ *endpoint, leave func()) { leave() },
		"the endpoint closes": func(e *endpoint, _ func()) { _ = e.h.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := serveHTTP(t, silentServer{newLab().MCPServer}, nil)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				r, err := http.NewRequestWithContext(ctx, http.MethodPost,
					"http://127.0.0.1:8702/mcp",
					strings.NewReader(fmt.Sprintf(handshake, "2025-11-25", "{}")))
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				go func() {
					if resp, err := e.client.Do(r); err == nil {
						resp.Body.Close()
					}
				}()
				synctest.Wait()
				require.Len(t, e.h.sessions, 1)
				start := time.Now()
				end(e, leave)
				synctest.Wait()
				require.Empty(t, e.h.sessions)
				require.NoError(t, e.h.Close(context.Background()))
				require.Zero(t, time.Since(start))
			})
		})
	}
}
