//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/store"
)

// openAs starts a server with a token for its client.
func (b *testEnv) openAs(name string, e era) (*clientProcess, string) {
	b.t.Helper()
	token := b.token(name)
	p, url := b.serve()
	return &clientProcess{p, connect(b.t, e, over(b.t, url, bearer(token))), url}, token
}

func TestWhoGoesAstrayIsToldWhatThereIs(t *testing.T) {
	t.Parallel()
	_, url := newTestEnv(t, demoTask, "").serve()
	const plain, asJSON = "text/plain; charset=utf-8", "application/json; charset=utf-8"
	for path, want := range map[string][2]string{
		"/nothing":    {plain, "MCP at /mcp"},
		"/v1/nothing": {asJSON, `"mend":"there are GET /v1/inquiries`},
	} {
		res, err := http.Get(strings.TrimSuffix(url, "/mcp") + path)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, errors.Join(err, res.Body.Close()))
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
		require.Equal(t, want[0], res.Header.Get("Content-Type"), path)
		require.Contains(t, string(text), want[1], path)
	}
}

func TestAnAnswerOverHTTPLetsTheRunGoOn(t *testing.T) {
	t.Parallel()
	for _, e := range []era{modern, legacy} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			b := newTestEnv(t, demoTask, "")
			s, token := b.openAs("laptop", e)
			v := newHTTPClient(t, s.url, token)
			asked := s.asks(b.task.Goal)

			status, list := v.send("GET", "/v1/inquiries?status=open", "")
			require.Equal(t, 200, status)
			require.Len(t, list["inquiries"], 1)
			var channels []string
			for _, d := range b.questions()[0].Channels {
				channels = append(channels, d.Name)
			}
			require.Equal(t, []string{"pass_to_client", "page", "command_line"}, channels)
			require.Equal(t, asked.Question.ID,
				list["inquiries"].([]any)[0].(map[string]any)["question_id"])
			require.Equal(t,
				strings.TrimSuffix(s.url, "/mcp")+"/v1/inquiries/"+asked.Question.ID+"/reply",
				asked.Question.ReplyURL)
			v.base = ""
			status, body := v.send("POST", asked.Question.ReplyURL, `{"response":"42"}`)
			require.Equal(t, 200, status, "%v", body)
			require.Equal(t, "answered", body["status"])
			v = newHTTPClient(t, s.url, token)

			done := s.follow(s.call("ask_agent_wait",
				map[string]any{"session_id": asked.SessionID}))
			require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
			b.done(tripTouches)

			status, body = v.answer(asked.Question.ID, "43")
			require.Equal(t, 409, status, "the loser is told who won")
			winner := body["winner"].(map[string]any)
			require.Equal(t, "http", winner["channel"])
			require.Equal(t, "laptop", winner["by"])
			require.Equal(t, "42", winner["response"])
			lost := s.refused("QUESTION_ALREADY_RESOLVED", "ask_agent_continue",
				map[string]any{"session_id": asked.SessionID, "reply_from_client": "43",
					"question_id": asked.Question.ID})
			require.Contains(t, lost.Error.Message, "laptop through http")
		})
	}
}

func TestOnlyWhoMayAnswerGetsInOverHTTP(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_OPERATORS=boss")
	s, token := b.openAs("laptop", legacy)
	foreign, boss := b.token("other"), b.token("boss")
	asked := s.asks(b.task.Goal)
	me := newHTTPClient(t, s.url, token)
	for name, c := range map[string]struct {
		v      *httpClient
		status int
	}{
		"without a token":  {newHTTPClient(t, s.url, ""), 401},
		"with a wrong one": {newHTTPClient(t, s.url, token[:len(token)-1]+"_"), 401},
		"with an empty one": {newHTTPClient(t, s.url, "").with("Authorization", ""),
			401},
		"somebody else":                 {newHTTPClient(t, s.url, foreign), 404},
		"from a stranger's page":        {me.with("Origin", "https://evil.example"), 403},
		"from a page of no origin":      {me.with("Origin", "null"), 403},
		"under a name that points here": {me.with("Host", "evil.example"), 403},
		"with a made-up login": {newHTTPClient(t, s.url, "").with("X-Taploop-Login",
			"made-up"), 401},
		"with a login, from a stranger's page": {newHTTPClient(t, s.url, "").with(
			"X-Taploop-Login", "made-up").with("Sec-Fetch-Site", "cross-site"), 403},
	} {
		status, body := c.v.answer(asked.Question.ID, "43")
		require.Equal(t, c.status, status, "%s: %v", name, body)
		require.NotContains(t, body["error"].(map[string]any)["message"], "Which size", name)
	}
	require.Equal(t, "WAITING_REPLY", s.look(asked.SessionID).State, "none of them has answered")
	require.NotContains(t, s.stderr.String(), token, "no log tells a token")

	status, list := newHTTPClient(t, s.url, boss).send("GET", "/v1/inquiries", "")
	require.Equal(t, 200, status)
	require.Len(t, list["inquiries"], 1, "an operator sees everybody's questions")
	status, _ = newHTTPClient(t, s.url, boss).answer(asked.Question.ID, "42")
	require.Equal(t, 200, status)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
}

// While there is no token yet, programs of this machine may use the tools. An answer is a person's
// word, and wants one.
func TestWithoutAnyTokenNobodyAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{http: true, era: legacy})
	asked := s.asks(b.task.Goal)
	status, _ := newHTTPClient(t, s.url, "").answer(asked.Question.ID, "43")
	require.Equal(t, 401, status)
	status, _ = newHTTPClient(t, s.url, "").send("GET", "/v1/inquiries", "")
	require.Equal(t, 401, status)
}

// browser logs a client in as the page does.
func (b *testEnv) browser(url, link string) (*httpClient, int) {
	base, code, found := strings.Cut(link, "/ui#login=")
	require.True(b.t, found, "%s", link)
	require.Equal(b.t, strings.TrimSuffix(url, "/mcp"), base)
	v := newHTTPClient(b.t, url, "").with("Origin", base).with("Sec-Fetch-Site", "same-origin")
	return v.login(code)
}

// link is what taploop ui prints.
func (b *testEnv) link(args ...string) string {
	out, errs, code := b.run(append([]string{"ui"}, args...)...)
	require.Zero(b.t, code, "%s", errs)
	require.Regexp(b.t, `^http://127\.0\.0\.1:\d+/ui#login=[A-Za-z0-9_-]{43}\n$`, out,
		"the link and nothing else")
	return strings.TrimSuffix(out, "\n")
}

// A client on stdio has its page, too: it is opened when somebody wants a link, once for all such
// servers of a data folder, and follows the runs of each.
func TestAServerOnStdioOpensThePageForALink(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{era: legacy})
	link := b.link()
	url, _, _ := strings.Cut(link, "/ui#")
	ann, status := b.browser(url+"/mcp", link)
	require.Equal(t, 200, status)
	events := ann.listen()
	require.Equal(t, "snapshot", (<-events).name)
	asked := s.asks(b.task.Goal)
	until(t, events, func(h sseEvent) bool { return h.name == "inquiry.created" })
	status, _ = ann.answer(asked.Question.ID, "42")
	require.Equal(t, 200, status)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
	require.EqualValues(t, "COMPLETED", done.State)
	require.True(t, strings.HasPrefix(b.link(), url+"/ui#"), "it stays open")
}

func TestALinkLogsOneBrowserInOnce(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{http: true, era: legacy})
	page := newHTTPClient(t, s.url, "").open("GET", "/ui", "")
	require.Equal(t, 200, page.StatusCode, "the page itself is no secret")
	require.Contains(t, page.Header.Get("Content-Type"), "text/html")

	link := b.link("--name", "Ann on her phone")
	ann, status := b.browser(s.url, link)
	require.Equal(t, 200, status)
	_, status = b.browser(s.url, link)
	require.Equal(t, 401, status, "the link works once")
	require.NotContains(t, s.stderr.String(), link[strings.Index(link, "=")+1:],
		"no log tells the link")

	events := ann.listen()
	require.Equal(t, "snapshot", (<-events).name)
	asked := s.asks(b.task.Goal)
	created, waits := false, false // in either order
	names := until(t, events, func(h sseEvent) bool {
		created = created || h.name == "inquiry.created"
		waits = waits || h.name == "session.state" && strings.Contains(h.data, "WAITING_REPLY")
		return created && waits
	})
	require.Contains(t, names, "step", "the page follows the run")
	status, _ = ann.with("Origin", "http://127.0.0.1:1").answer(asked.Question.ID, "43")
	require.Equal(t, 403, status, "what no page of ours has sent")
	status, _ = ann.answer(asked.Question.ID, "42")
	require.Equal(t, 200, status)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID}))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)

	entry := b.audit("--question", asked.Question.ID)[1]
	require.Equal(t, []string{"answered", "page", "human_token", "Ann on her phone", "42"},
		[]string{string(entry.Event), entry.Channel, entry.Authority, entry.By, entry.Answer})
	s.kill()
	next := b.open(route{http: true, era: legacy})
	again := newHTTPClient(t, next.url, "").with("X-Taploop-Login",
		ann.header.Get("X-Taploop-Login"))
	status, _ = again.send("GET", "/v1/inquiries", "")
	require.Equal(t, 200, status, "a browser stays logged in over a restart")
}

func TestALinkNeedsAServerThatListens(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, errs, code := b.run("ui")
	require.Equal(t, exitError, code)
	require.Contains(t, errs, "listens over HTTP")
	require.Contains(t, errs, "try: start one: taploop serve --http")

	p, url := b.serve()
	b.link()
	p.kill()
	_, errs, code = b.run("ui")
	require.Equal(t, exitError, code, "what a dead server has left behind is no server")
	require.Contains(t, errs,
		"the last one, at "+strings.TrimSuffix(url, "/mcp")+", ended without a word")

	first, url := b.serve()
	require.Contains(t, b.link(), strings.TrimSuffix(url, "/mcp"))
	second, newer := b.serve()
	out, errs, _ := b.run("ui")
	require.Contains(t, out, strings.TrimSuffix(newer, "/mcp"), "the newest of two")
	require.Contains(t, errs, strings.TrimSuffix(url, "/mcp"))
	for _, p := range []*process{second, first} {
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		require.Zero(t, p.ends(), "%s", p.stderr)
	}
	_, errs, code = b.run("ui")
	require.Equal(t, exitError, code)
	require.NotContains(t, errs, "ended without a word", "who ends in order leaves nothing behind")

	for _, args := range [][]string{{"--name", "two\nlines"}, {"--name", strings.Repeat("x", 65)},
		{"--open=maybe"}} {
		_, _, code = b.run(append([]string{"ui"}, args...)...)
		require.Equal(t, exitUsage, code, "%q", args)
	}
}

func TestLinksLeadToWherePeopleReachTheServer(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_URL=https://phones.example/",
		"TAPLOOP_HTTP_HOSTS=phones.example", "TAPLOOP_HTTP_ORIGINS=https://phones.example")
	_, url := b.serve()
	out, _, _ := b.run("ui")
	code, found := strings.CutPrefix(out, "https://phones.example/ui#login=")
	require.True(t, found, "%s", out)
	behind := newHTTPClient(t, url, "").with("Host", "phones.example").with("Origin",
		"https://phones.example").with("Sec-Fetch-Site", "same-origin")
	ann, status := behind.login(strings.TrimSpace(code))
	require.Equal(t, 200, status, "through a proxy")
	status, _ = ann.send("GET", "/v1/inquiries", "")
	require.Equal(t, 200, status)
}

func TestStreamsEndWithTheirTokenAtOnce(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	laptop, other := b.token("laptop"), b.token("other")
	p, url := b.serve()
	listens := func(token string) (*http.Response, <-chan sseEvent) {
		code, _, got := post(t, url, handshake, bearer(token))
		require.Equal(t, 200, code)
		v := newHTTPClient(t, url, token).with("Accept", "text/event-stream")
		mine := v.with(mcp.HeaderSessionID, got.Get(mcp.HeaderSessionID)).open("GET", "/mcp", "")
		require.Equal(t, 200, mine.StatusCode)
		events := v.listen()
		require.Equal(t, "snapshot", (<-events).name)
		return mine, events
	}
	stream, events := listens(laptop)
	_, stays := listens(other)
	page, status := b.browser(url, b.link())
	require.Equal(t, 200, status)
	shown := page.listen()
	require.Equal(t, "snapshot", (<-shown).name)

	_, errs, code := b.run("token", "revoke", "laptop") // another process
	require.Zero(t, code, errs)
	watch := p.stopwatch()
	_, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	require.Empty(t, until(t, events, func(sseEvent) bool { return false }))
	watch.within(10 * time.Second) // not with the next sign, after 15 s

	status, _ = page.send("POST", "/ui/logout", "")
	require.Equal(t, 200, status)
	watch = p.stopwatch()
	require.Empty(t, until(t, shown, func(sseEvent) bool { return false }))
	watch.within(10 * time.Second)
	select {
	case h, more := <-stays:
		require.Fail(t, "the stream of another token", "%v %v", h, more)
	default:
	}
}

func TestOpenEventStreamsDoNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	g := b.holdAt("2/8")
	s := b.open(route{http: true, era: legacy})
	ann, status := b.browser(s.url, b.link())
	require.Equal(t, 200, status)
	var streams []<-chan sseEvent
	for range 20 {
		events := ann.listen()
		require.Equal(t, "snapshot", (<-events).name)
		streams = append(streams, events)
	}
	silent := ann.open("GET", "/v1/events", "") // a listener that does not read
	require.Equal(t, 200, silent.StatusCode)
	// One that never finishes its request.
	slow, err := net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(s.url, "/mcp"), "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = slow.Close() })
	_, err = fmt.Fprint(slow, "POST /ui/login HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Length: 1000\r\n\r\n{")
	require.NoError(t, err)
	begun := s.start(b.task.Goal)
	g.await(t)

	watch := s.stopwatch()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, s.ends(), "%s", s.stderr)
	watch.within(termBound)
	for _, events := range streams {
		var last sseEvent
		until(t, events, func(h sseEvent) bool {
			if h.name == "session.state" {
				last = h
			}
			return false
		})
		var view struct {
			ID  string `json:"session_id"`
			Run struct {
				State store.State `json:"state"`
			} `json:"run"`
		}
		require.NoError(t, json.Unmarshal([]byte(last.data), &view), "%s", last.data)
		require.Equal(t, begun.SessionID, view.ID)
		require.Equal(t, store.Paused, view.Run.State, "the page sees how it ended")
	}
}

func TestStopsByPeopleAreInTheAudit(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s, token := b.openAs("laptop", legacy)
	v := newHTTPClient(t, s.url, token)
	asked := s.asks(b.task.Goal)
	for range 2 { // the second changes nothing
		status, body := v.send("POST", "/v1/sessions/"+asked.SessionID+"/pause", "")
		require.Equal(t, 200, status, "%v", body)
	}
	_, errs, code := b.run("stop", asked.SessionID)
	require.Zero(t, code, "%s", errs)
	var story [][4]string
	for _, e := range b.audit("--session", asked.SessionID) {
		story = append(story, [4]string{string(e.Event), e.Channel, e.Authority, e.By})
	}
	require.Equal(t, [][4]string{
		{"asked", "pass_to_client, page, command_line", "", "laptop"},
		{"paused", "http", "token", "laptop"},
		{"withdrawn", "run", "", ""},
		{"stopped", "command_line", "local_operator", app.UserName()},
	}, story)
	status, _ := v.answer(asked.Question.ID, "42")
	require.Equal(t, 410, status, "a stop beats a later answer")
	_, errs, code = b.run("reply", asked.Question.ID, "42")
	require.Equal(t, exitError, code)
	require.Contains(t, errs, "withdrawn")
}

// An answer on its way is taken or refused by the store, and never lost between two servers.
func TestAnAnswerThatComesWhileNobodyServesIsAppliedLater(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{http: true, era: legacy})
	asked := s.asks(b.task.Goal)
	s.kill()
	out, errs, code := b.run("reply", asked.Question.ID, "42")
	require.Zero(t, code, "%s", errs)
	require.Equal(t, "answered\n", out)
	require.Contains(t, errs, "taploop continue "+asked.SessionID)

	next := b.open(route{http: true, era: legacy})
	done := next.await(asked.SessionID,
		func(x listedSession) bool { return x.State == "COMPLETED" || x.State == "PAUSED" })
	require.Equal(t, "COMPLETED", done.State, "the next server goes on by itself")
	b.done(tripTouches)
	require.WithinDuration(t, time.Now(), b.audit("--limit", "1")[0].At, time.Minute)
}

func TestAConnectionHasItsOwnOptions(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, url := b.serve()
	for _, e := range []era{modern, legacy} {
		ours := connect(t, e, over(t, url+"?description=Ask+Ann+about+anything.&wait_seconds=0",
			nil))
		list, err := ours.c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		i := slices.IndexFunc(list.Tools, func(x mcp.Tool) bool { return x.Name == "send_inquiry" })
		require.Contains(t, list.Tools[i].Description, "Ask Ann about anything.")
		plain := connect(t, e, over(t, url, nil))
		list, err = plain.c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		require.NotContains(t, list.Tools[i].Description, "Ask Ann",
			"of other connections it is as it was")
	}
}

// The client of a stdio server has no page. Another server of the same data folder has one, and
// shows what the first one asks.
func TestThePageOfOneServerAnswersForAnother(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, url := b.serve()
	ann, status := b.browser(url, b.link())
	require.Equal(t, 200, status)
	events := ann.listen()
	s := b.open(route{era: modern})
	asked := s.asks(b.task.Goal)
	var created sseEvent
	until(t, events, func(h sseEvent) bool { created = h; return h.name == "inquiry.created" })
	require.Contains(t, created.data, asked.Question.ID)
	status, body := ann.answer(asked.Question.ID, "42")
	require.Equal(t, 200, status, "%v", body)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID,
		"question_id": asked.Question.ID}))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
	b.done(tripTouches)
}
