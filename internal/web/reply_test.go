package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

func TestABareResponseIsAnAnswerAndTheSameReplyAgainTheSameSuccess(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	path := "/v1/inquiries/" + q.ID + "/reply"
	a := g.post(path, g.ann, `{"response":" large\n","reply_id":"r1"}`)
	require.Equal(t, 200, a.status, a.text)
	m := a.json(t)
	require.Equal(t, "answered", m["status"])
	require.Equal(t, false, m["replayed"])
	res := m["inquiry"].(map[string]any)["resolution"].(map[string]any)
	delete(res, "at")
	require.Equal(t, map[string]any{"type": "answer", "response": "large", "channel": "http",
		"authority": "token", "by": "ann", "reply_id": "r1"}, res)

	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "large", stored.Resolution.Response.Reveal())

	a = g.post(path, g.ann, `{"response":"large","reply_id":"r1","type":"answer"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, true, a.json(t)["replayed"])

	a = g.post(path, g.ann, `{"response":"small","reply_id":"r1"}`)
	require.Equal(t, 422, a.status, a.text)
	require.Contains(t, a.text, "REPLY_ID_REUSED")

	a = g.post(path, g.boss, `{"response":"small","reply_id":"r2"}`)
	require.Equal(t, 409, a.status, a.text)
	require.Equal(t, "ann", a.json(t)["winner"].(map[string]any)["by"])
	require.Equal(t, "large", a.json(t)["winner"].(map[string]any)["response"])
}

func TestTheBeginningOfAQuestionsIDIsEnough(t *testing.T) {
	g := newRig(t, nil)
	q, others := g.waiting("ann", inquiry.Question{}), g.waiting("bob", inquiry.Question{})
	path := "/v1/inquiries/" + q.ID[:8]
	a := g.get(path, g.ann)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, q.ID, a.json(t)["inquiryId"])
	a = g.get("/v1/inquiries/"+others.ID[:8], g.ann)
	require.Equal(t, 404, a.status, a.text)
	a = g.post(path+"/reply", g.ann, `{"response":"large"}`)
	require.Equal(t, 200, a.status, a.text)
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "large", stored.Resolution.Response.Reveal())
}

func TestARefusalNeedsNoWordsAndAGoneQuestionIsGone(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, `{"type":"decline"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "refused", a.json(t)["status"])

	q = g.waiting("ann", inquiry.Question{})
	require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, "the run was stopped"))
	a = g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, `{"response":"x"}`)
	require.Equal(t, 410, a.status, a.text)
	require.Equal(t, "withdrawn", a.json(t)["inquiry"].(map[string]any)["status"])
}

func TestAQuestionIsLeftToTheAgentOrToTheClock(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	path := "/v1/inquiries/" + q.ID + "/reply"
	for range 2 { // on_timeout is pause
		a := g.post(path, g.ann, `{"type":"timeout","reply_id":"r1"}`)
		require.Equal(t, 200, a.status, a.text)
		require.Equal(t, "pending", a.json(t)["status"])
	}
	a := g.post(path, g.ann, `{"type":"delegate","response":"the cheap one"}`)
	require.Equal(t, 400, a.status, a.text)
	a = g.post(path, g.ann, `{"type":"delegate","reply_id":"r2"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "answered", a.json(t)["status"])
	a = g.post(path, g.ann, `{"type":"timeout"}`)
	require.Equal(t, 409, a.status, a.text)
	require.Equal(t, "delegate", a.json(t)["winner"].(map[string]any)["type"])

	q = g.waiting("ann", inquiry.Question{OnTimeout: inquiry.Default, DefaultAnswer: "blue"})
	a = g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, `{"type":"timeout"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "timed_out", a.json(t)["status"])
	require.Contains(t, a.text, `"response":"blue"`)
	require.Contains(t, a.text, `"by":"boss"`)
}

func TestAReplyThatDoesNotFitLeavesTheQuestionOpen(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{Options: []string{"small", "large"}}})
	for body, want := range map[string]string{
		``:                                    "it is empty",
		`[]`:                                  "it is not a JSON object",
		`"large"`:                             "it is not a JSON object",
		`null`:                                "it is not a JSON object",
		`{`:                                   "unexpected EOF",
		`{}`:                                  `there is no \"response\"`,
		`{"response":null}`:                   `there is no \"response\"`,
		`{"response":5}`:                      "neither text nor an object",
		`{"response":["large"]}`:              "neither text nor an object",
		`{"response":true}`:                   "neither text nor an object",
		`{"response":{"size":"large"}}`:       "only the answer to a form",
		`{"response":"large","x":1}`:          `unknown field \"x\"`,
		`{"response":"large"}{}`:              "something after",
		`{"response":"medium"}`:               "none of the options",
		`{"response":"  "}`:                   "the answer is empty",
		`{"response":"large","type":"shout"}`: "unknown type of reply",
		"{\"response\":\"\xff\"}":             "not valid UTF-8",
		`{"response":"a\u0000b"}`:             "NUL",
		`{"response":"large","reply_id":"` + strings.Repeat("r", 201) +
			`"}`: "reply id is not plain text of at most 200 bytes",
	} {
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, body)
		require.Equal(t, 400, a.status, "%q: %s", body, a.text)
		require.Contains(t, a.text, want, "%q", body)
	}
	a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann,
		`{"response":"`+strings.Repeat("x", 64<<10+1)+`"}`)
	require.Equal(t, 413, a.status, a.text)
	a = g.get("/v1/inquiries/"+q.ID, g.ann)
	require.Equal(t, "pending", a.json(t)["status"])
}

func TestTheLongestAnswerFitsWhateverItsEscapesAndALongerOneIsTooLarge(t *testing.T) {
	g := newRig(t, nil)
	const most = 64 << 10
	draft, form := inquiry.Question{Body: &inquiry.Ask{Draft: "# Plan\n"}},
		inquiry.Question{Body: &inquiry.Form{Fields: trip()}}
	for name, c := range map[string]struct {
		q      inquiry.Question
		body   string
		status int
	}{
		"two bytes a character": {draft, `{"response":"` + strings.Repeat(`\n`, most-1) + `x"}`,
			200},
		"three bytes a byte": {draft, `{"response":"` +
			strings.Repeat(`\ud83d\ude00`, most/4) + `"}`, 200},
		"one byte too many": {draft, `{"response":"` + strings.Repeat("x", most+1) + `"}`,
			413},
		"a form that is too long": {form, `{"response":{"name":"` + strings.Repeat("x", most) +
			`"}}`, 413},
		"a reason for not telling": {draft, `{"type":"decline","response":"` +
			strings.Repeat("x", most+1) + `"}`, 413},
	} {
		q := g.waiting("ann", c.q)
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, c.body)
		require.Equal(t, c.status, a.status, "%s: %.300s", name, a.text)
		if c.status == 413 {
			require.Contains(t, a.text, "TOO_LARGE", name)
			g.untouched(q)
		}
	}
}

func TestTwoHundredAnswersAtOnceHaveOneWinnerWhomTheOthersAreTold(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	const n = 200
	answers := make([]answer, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			answers[i] = g.post("/v1/inquiries/"+q.ID+"/reply", g.ann,
				fmt.Sprintf(`{"response":"answer %d","reply_id":"r%d"}`, i, i))
		})
	}
	close(start)
	wg.Wait()
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	counts := map[int]int{}
	for i, a := range answers {
		counts[a.status]++
		if a.status == 200 {
			require.Equal(t, fmt.Sprintf("answer %d", i), stored.Resolution.Response.Reveal())
			continue
		}
		require.Equal(t, stored.Resolution.ReplyID,
			a.json(t)["winner"].(map[string]any)["reply_id"])
	}
	require.Equal(t, map[int]int{200: 1, 409: n - 1}, counts)
}

func TestAnAnswerAtTheDeadlineIsAcceptedOrGoneNeverBoth(t *testing.T) {
	g := newRig(t, nil)
	counts := map[inquiry.Status]int{}
	for range 100 {
		q, err := g.broker.Open(t.Context(), inquiry.Question{Text: "Which size?",
			OnTimeout: inquiry.GoOn})
		require.NoError(t, err)
		start := make(chan struct{})
		var a answer
		var swept error
		var wg sync.WaitGroup
		// the timer
		wg.Go(func() { <-start; swept = g.broker.Sweep(t.Context(), q.AttentionUntil) })
		wg.Go(func() {
			<-start
			a = g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, `{"response":"x"}`)
		})
		close(start)
		wg.Wait()
		require.NoError(t, swept)
		stored, err := g.broker.Get(t.Context(), q.ID)
		require.NoError(t, err)
		counts[stored.Status]++
		switch stored.Status {
		case inquiry.Answered:
			require.Equal(t, 200, a.status, a.text)
		case inquiry.TimedOut:
			require.Equal(t, 410, a.status, a.text)
		default:
			t.Fatalf("the question is %s", stored.Status)
		}
	}
	t.Log(counts)
}

func TestWaitingReturnsWithTheAnswerOrWithTheQuestionAsItIs(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	a := g.get("/v1/inquiries/"+q.ID+"?wait_seconds=1", g.ann)
	require.Equal(t, 200, a.status)
	require.Equal(t, "pending", a.json(t)["status"])

	waited := make(chan answer)
	go func() { waited <- g.get("/v1/inquiries/"+q.ID+"?wait_seconds=30", g.ann) }()
	require.Equal(t, 200, g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, `{"response":"x"}`).status)
	require.Equal(t, "answered", (<-waited).json(t)["status"])

	for _, bad := range []string{"-1", "x", "1e3", "86401"} {
		require.Equal(t, 400, g.get("/v1/inquiries/"+q.ID+"?wait_seconds="+bad, g.ann).status, bad)
	}
}

func TestClosingAnswersThoseWhoWait(t *testing.T) {
	g := newRig(t, alone)
	q := g.waiting("ann", inquiry.Question{})
	s := g.listen(g.ann, "")
	s.want("snapshot")
	waited := make(chan answer)
	go func() { waited <- g.get("/v1/inquiries/"+q.ID+"?wait_seconds=60", g.ann) }()
	require.NoError(t, g.web.Close())
	a := <-waited
	require.Equal(t, 503, a.status, a.text)
	require.Empty(t, s.next().name)
	require.Equal(t, 503, g.get("/v1/events", g.ann).status)
}

func TestTheListIsOfTheStatusThatIsAskedFor(t *testing.T) {
	g := newRig(t, nil)
	open, done := g.waiting("ann", inquiry.Question{}), g.waiting("ann", inquiry.Question{})
	g.waiting("ben", inquiry.Question{})
	require.Equal(t, 200, g.post("/v1/inquiries/"+done.ID+"/reply", g.ann,
		`{"response":"x"}`).status)
	ids := func(path, token string) (ids []string) {
		for _, x := range g.get(path, token).json(t)["inquiries"].([]any) {
			require.Equal(t, x.(map[string]any)["question_id"], x.(map[string]any)["inquiryId"])
			ids = append(ids, x.(map[string]any)["question_id"].(string))
		}
		return ids
	}
	require.Equal(t, []string{open.ID}, ids("/v1/inquiries?status=open", g.ann))
	require.Equal(t, []string{done.ID}, ids("/v1/inquiries?status=answered", g.ann))
	require.Equal(t, []string{open.ID, done.ID}, ids("/v1/inquiries", g.ann))
	require.Equal(t, []string{done.ID}, ids("/v1/inquiries?limit=1", g.ann))
	require.Equal(t, []string{done.ID}, ids("/v1/inquiries?session_id="+done.SessionID, g.ann))
	require.Len(t, ids("/v1/inquiries", g.boss), 3)
	require.Equal(t, 400, g.get("/v1/inquiries?status=lost", g.ann).status)
}

func TestAListIsBoundedUnlessItIsOfWhatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := bubble(t, nil)
		var last inquiry.Question
		for range 1001 {
			var err error
			last, err = b.Open(t.Context(), inquiry.Question{Text: "x"})
			require.NoError(t, err)
		}
		list := func(query string) []any {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET",
				"http://localhost/v1/inquiries"+query, nil))
			return answer{w.Code, w.Header(), w.Body.String()}.json(t)["inquiries"].([]any)
		}
		require.Len(t, list("?status=open"), 1001)
		require.Len(t, list("?status=open&limit=2"), 2)
		all := list("")
		require.Len(t, all, 1000)
		require.Equal(t, last.ID, all[999].(map[string]any)["question_id"], "the newest")
	})
}

func TestASecretAnswerIsShownNowhere(t *testing.T) {
	g := newRig(t, alone)
	const code = "834-secret-217"
	q := g.waiting("ann", inquiry.Question{Text: "The code?", Secret: true})
	s := g.listen(g.ann, "")
	s.want("snapshot")
	seen := []string{}
	for _, body := range []string{`{"response":"` + code + `","reply_id":"r"}`,
		`{"response":"` + code + `","reply_id":"r"}`,
		`{"response":"else","reply_id":"r"}`, `{"response":"else"}`} {
		seen = append(seen, g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, body).text)
	}
	seen = append(seen, s.want("inquiry.resolved").data, g.get("/v1/inquiries/"+q.ID, g.ann).text,
		g.get("/v1/inquiries", g.ann).text)
	for _, text := range seen {
		require.NotContains(t, text, code)
	}
	require.Contains(t, seen[0], inquiry.Masked)
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, code, stored.Resolution.Response.Reveal())
}

func TestStopAndPauseReachTheRunOfTheSession(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	a := g.post("/v1/sessions/"+q.SessionID+"/pause", g.ann, "")
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "PAUSED", a.json(t)["state"], "as the tools tell it")
	a = g.post("/v1/sessions/"+q.SessionID+"/stop", g.ann, "{}")
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, "CANCELLED", a.json(t)["state"])
	require.Equal(t, []string{"pause " + q.SessionID + " for ann (token) through http",
		"cancel " + q.SessionID + " for ann (token) through http"}, g.runs.calls)
	require.Equal(t, 410, g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, `{"response":"x"}`).status,
		"a stop beats a later answer")
}

func TestSessionsStepsAndFramesAreReadFromTheStore(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	list := g.get("/v1/sessions", g.ann).json(t)["sessions"].([]any)
	require.Len(t, list, 1)
	one := g.get("/v1/sessions/"+q.SessionID, g.ann).json(t)
	require.Equal(t, list[0], one)
	require.Equal(t, one, g.get("/v1/sessions/"+q.SessionID[:8], g.ann).json(t),
		"the beginning of an id is enough")
	require.Equal(t, 404, g.get("/v1/sessions/"+q.SessionID[:8], g.ben).status)
	require.Len(t, g.get("/v1/inquiries?session_id="+q.SessionID[:8],
		g.ann).json(t)["inquiries"], 1)
	require.Empty(t, g.get("/v1/inquiries?session_id=nothing", g.ann).json(t)["inquiries"])
	require.Equal(t, "WAITING_REPLY", one["run"].(map[string]any)["state"])
	require.Equal(t, q.ID, one["run"].(map[string]any)["question_id"])
	require.Empty(t, g.get("/v1/sessions?state=RUNNING", g.ann).json(t)["sessions"])
	require.Equal(t, 400, g.get("/v1/sessions?state=ASLEEP", g.ann).status)

	steps := g.get("/v1/sessions/"+q.SessionID+"/steps?last=5", g.ann).json(t)["steps"].([]any)
	require.Len(t, steps, 1)
	step := steps[0].(map[string]any)
	require.Equal(t, "open <i>the menu</i>", step["explain"])
	require.Equal(t, "BACK", step["verb"])
	require.Equal(t, "DONE", step["state"])
	require.Empty(t, g.get("/v1/sessions/"+q.SessionID+"/steps?after=1", g.ann).json(t)["steps"])

	a := g.get(step["screenshot_url"].(string), g.ann)
	require.Equal(t, 200, a.status)
	require.Equal(t, "image/jpeg", a.header.Get("Content-Type"))
	require.Equal(t, "image/jpeg", http.DetectContentType([]byte(a.text)))
	asked := g.get("/v1/inquiries/"+q.ID, g.ann).json(t)
	require.Equal(t, 200, g.get(asked["screenshot_url"].(string), g.ann).status)
	require.Equal(t, 404, g.get("/v1/sessions/"+q.SessionID+"/frames/"+q.SessionID+".9.9",
		g.ann).status)
}

func TestWhatSteersATerminalIsNoPartOfAnAnswer(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	a := g.post("/v1/inquiries/"+q.ID+"/reply", g.ann,
		`{"response":"\u001b[2Jlar\u202ege\n\tor so"}`)
	require.Equal(t, 200, a.status, a.text)
	q, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "[2Jlarge\n\tor so", q.Resolution.Response.Reveal())
}

func TestEveryErrorSaysWhatCanBeDone(t *testing.T) {
	g := newRig(t, nil)
	open := g.waiting("ann", inquiry.Question{})
	settled := g.waiting("ann", inquiry.Question{})
	gone := g.waiting("ann", inquiry.Question{})
	require.Equal(t, 200, g.post("/v1/inquiries/"+settled.ID+"/reply", g.ann,
		`{"response":"x","reply_id":"r"}`).status)
	require.NoError(t, g.broker.Withdraw(t.Context(), gone.ID, "stopped"))
	ended := g.waiting("ann", inquiry.Question{})
	require.Equal(t, 200, g.post("/v1/inquiries/"+ended.ID+"/reply", g.ann,
		`{"response":"x"}`).status)
	_, err := g.store.Runs.Transition(t.Context(), ended.RunID,
		store.Change{To: store.Cancelled})
	require.NoError(t, err)
	reply := func(q inquiry.Question) string { return "/v1/inquiries/" + q.ID + "/reply" }
	for name, c := range map[string]struct {
		answer        answer
		status        int
		message, hint string
	}{
		"an unknown question": {g.get("/v1/inquiries/none", g.ann), 404, "it does not exist",
			"GET /v1/inquiries"},
		"an unknown path": {g.get("/v1/inquirys", g.ann), 404, "nothing at /v1/inquirys",
			"POST /v1/inquiries/{id}/reply"},
		"another method": {g.post("/v1/inquiries", g.ann, `{}`), 405, "takes GET only",
			"send it as GET"},
		"too late": {g.post(reply(settled), g.ann, `{"response":"y"}`), 409, "",
			"it goes on with that answer"},
		"too late, and the run has ended": {g.post(reply(ended), g.ann, `{"response":"y"}`),
			409, "", "the run has ended since (CANCELLED)"},
		"a used id": {g.post(reply(settled), g.ann, `{"response":"y","reply_id":"r"}`),
			422, "", "reply id of its own"},
		"a gone question": {g.post(reply(gone), g.ann, `{"response":"y"}`), 410, "",
			"paused or stopped"},
		"an unknown key": {g.post(reply(open), g.ann, `{"foo":"y"}`), 400,
			`unknown field "foo" (want reply_id, type, response, remember, decisions, resume, ` +
				"command, edited_action, editedAction, message)",
			"nothing has changed"},
		"a key to stop": {g.post("/v1/sessions/"+open.SessionID+"/stop", g.ann, `{"foo":1}`),
			400, `unknown field "foo" (want {} or no body)`, ""},
		"no words": {g.post(reply(open), g.ann, `{"response":" "}`), 400, "",
			"still open"},
		"a strange number": {g.get("/v1/sessions?limit=x", g.ann), 400, "whole number",
			"docs/http.md"},
		"a strange key of a query": {g.get("/v1/sessions?status=RUNNING", g.ann), 400,
			`no query parameter "status"`, "pass it as state; those of GET /v1/sessions are: " +
				"state, limit"},
		"a key of the body": {g.post(reply(open)+"?response=y", g.ann, `{"response":"y"}`), 400,
			`no query parameter "response"`, "pass it in the body; "},
		"no token": {g.get("/v1/inquiries", ""), 401, "", "taploop token create"},
		"a strange host": {g.send("GET", "/v1/inquiries", g.ann, "", func(r *http.Request) {
			r.Host = "evil.example"
		}), 403, "evil.example", "http.hosts"},
		"a strange origin": {g.send("GET", "/v1/inquiries", g.ann, "", func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		}), 403, "evil.example", "http.origins"},
	} {
		require.Equal(t, c.status, c.answer.status, "%s: %s", name, c.answer.text)
		told := c.answer.json(t)["error"].(map[string]any)
		require.Contains(t, told["message"], c.message, name)
		require.NotEmpty(t, told["mend"], name)
		require.Contains(t, told["mend"], c.hint, name)
	}
	for _, a := range []answer{g.get("/v1/models?status=x", g.ann),
		g.get("/v1/models/taploop?status=x", g.ann),
		g.post("/v1/chat/completions?status=x", g.ann, `{}`)} {
		require.Equal(t, 400, a.status, a.text)
		require.Contains(t, a.text, `there is no query parameter \"status\"`)
	}
	require.Equal(t, 200, g.get("/v1/models?api-version=2024-10-21", g.ann).status)
	a := g.get("/nothing", "")
	require.Equal(t, 404, a.status)
	require.Contains(t, a.text, "/ui")
	require.Contains(t, a.text, "/v1")
}
