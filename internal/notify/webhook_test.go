package notify_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/notify"
)

func TestAWebhookIsToldOfAQuestionAndOfItsEndButNotOfTheAnswer(t *testing.T) {
	r := newReceiver(t, nil)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()},
		BaseURL: at("https://phones.example/")})
	w.begin()
	for _, hidden := range []bool{false, true} {
		q := w.open(inquiry.Question{Text: "Which <b>size</b>?",
			Body:      &inquiry.Ask{Options: []string{"41", "42"}, FreeText: true},
			SessionID: "s1", Task: "hush-task", Secret: hidden})
		asked := next(t, r.got)
		require.Equal(t, "inquiry.created", asked.Type)
		require.Equal(t, "msg_"+q.ID+"_created", asked.id)
		require.Equal(t, q.ID, asked.Data.QuestionID)
		require.Equal(t, q.Text, asked.Data.Text)
		require.Equal(t, "https://phones.example/ui#question="+q.ID, asked.Data.URL)

		w.answer(q, "hush-answer")
		settled := next(t, r.got)
		require.Equal(t, "inquiry.resolved", settled.Type)
		require.Equal(t, "answered", settled.Data.Status)
		at := settled.Data.Resolution["at"]
		require.Equal(t, map[string]any{"type": "answer", "channel": "page",
			"authority": "human_token", "by": "laptop", "at": at}, settled.Data.Resolution)
		require.NotContains(t, asked.body+settled.body, "hush")
	}
	q := w.ask("another")
	require.NoError(t, w.broker.Withdraw(t.Context(), q.ID, "stopped"))
	require.Equal(t, "inquiry.created", next(t, r.got).Type)
	require.Equal(t, "inquiry.withdrawn", next(t, r.got).Type)
}

func TestTheTextOfAQuestionMayStayAtHome(t *testing.T) {
	r := newReceiver(t, nil)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()}, HideText: true})
	w.begin()
	w.open(inquiry.Question{Text: "hush?",
		Body: &inquiry.Ask{Options: []string{"hush 1", "hush 2"}}})
	asked := next(t, r.got)
	require.NotContains(t, asked.body, "hush")
	require.Empty(t, asked.Data.URL, "no page, no link")
}

func TestWhatFailsIsSentAgainAsTheSameMessage(t *testing.T) {
	var log bytes.Buffer
	r := newReceiver(t, status(http.StatusInternalServerError, 3))
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()},
		FirstWait: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
	w.begin()
	w.ask("which?")
	first := next(t, r.seen)
	for range 3 {
		again := next(t, r.seen)
		require.Equal(t, first.id, again.id)
		require.Equal(t, first.body, again.body)
	}
	require.Equal(t, first.id, next(t, r.got).id)
	w.end()
	require.Contains(t, log.String(), "did not get through")
	require.Contains(t, log.String(), "HTTP 500")
	require.NotContains(t, log.String(), "hush-path", "an address may be a secret")
	require.NotContains(t, log.String(), "MfKQ9r8")
}

func TestARedirectIsAFailureAndIsNotFollowed(t *testing.T) {
	elsewhere := newReceiver(t, nil)
	r := newReceiver(t, status(http.StatusTemporaryRedirect, 2, "Location", elsewhere.url))
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()},
		FirstWait: time.Millisecond})
	w.begin()
	w.ask("which?")
	next(t, r.got)
	require.Len(t, r.seen, 3)
	require.Empty(t, elsewhere.seen)
}

func TestAnEndpointThatIsGoneIsToldNothingMore(t *testing.T) {
	gone, r := newReceiver(t, status(http.StatusGone, 1000)), newReceiver(t, nil)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{gone.hook(), r.hook()},
		FirstWait: time.Millisecond})
	w.begin()
	w.ask("one")
	next(t, gone.seen)
	next(t, r.got)
	for range 5 {
		w.answer(w.ask("more"), "x")
		next(t, r.got)
		next(t, r.got)
	}
	w.end()
	require.Empty(t, gone.seen)
}

func TestAnEndpointThatHangsHoldsUpNobodyElse(t *testing.T) {
	stuck := make(chan struct{})
	hangs := newReceiver(t, func(http.ResponseWriter, int) bool { <-stuck; return false })
	t.Cleanup(func() { close(stuck) }) // before the server closes, which waits for it
	r := newReceiver(t, nil)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{hangs.hook(), r.hook()}})
	w.begin()
	w.ask("one")
	next(t, hangs.seen)
	next(t, r.got)
	began := time.Now()
	for range 20 {
		w.answer(w.ask("more"), "x")
		next(t, r.got)
		next(t, r.got)
	}
	require.Less(t, time.Since(began), time.Minute)
	w.end() // breaks the hanging request off
	require.Empty(t, hangs.seen, "it is still busy with the first")
}

// jammed is a log that takes no line before it is opened.
type jammed struct {
	lines chan struct{} // holds a token when a line waits
	open  chan struct{}
}

func (j *jammed) Write(b []byte) (int, error) {
	select {
	case j.lines <- struct{}{}:
	default:
	}
	<-j.open
	return len(b), nil
}

func TestALogThatHangsHoldsUpNoOtherEndpoint(t *testing.T) {
	for name, queue := range map[string]int{"a failure": 1000, "an overflow": 1} {
		t.Run(name, func(t *testing.T) {
			log := &jammed{lines: make(chan struct{}, 1), open: make(chan struct{})}
			fails, r := newReceiver(t, status(http.StatusInternalServerError, 1000)),
				newReceiver(t, nil)
			w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{fails.hook(), r.hook()},
				FirstWait: time.Hour, LastWait: time.Hour, Queue: queue,
				Log: slog.New(slog.NewTextHandler(log, nil))})
			w.begin()
			t.Cleanup(func() { close(log.open) })
			for range 5 {
				w.ask("which?")
				next(t, r.got)
			}
			<-log.lines
			for range 5 {
				w.ask("and now?")
				next(t, r.got)
			}
		})
	}
}

// refusing is a receiver that refuses while it is down, and tells of each refusal.
func refusing(t *testing.T, down *atomic.Bool) (*receiver, <-chan struct{}) {
	refused := make(chan struct{}, 100)
	r := newReceiver(t, func(w http.ResponseWriter, _ int) bool {
		if !down.Load() {
			return true
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		refused <- struct{}{}
		return false
	})
	return r, refused
}

func TestARestartTellsWhatWasNotToldAndNothingTwice(t *testing.T) {
	var down atomic.Bool
	r, refused := refusing(t, &down)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()}})
	w.begin()
	told, settled := w.ask("told"), w.ask("settled while nobody is there")
	require.Equal(t, told.ID, next(t, r.got).Data.QuestionID)
	require.Equal(t, settled.ID, next(t, r.got).Data.QuestionID)
	down.Store(true)
	missed := w.ask("the endpoint is down")
	<-refused
	w.end()
	w.answer(settled, "x")
	down.Store(false)

	w.begin()
	got := []string{next(t, r.got).id, next(t, r.got).id}
	require.ElementsMatch(t, []string{"msg_" + missed.ID + "_created",
		"msg_" + settled.ID + "_resolved"}, got)
	last := w.ask("last")
	require.Equal(t, last.ID, next(t, r.got).Data.QuestionID, "and nothing else")
	unsure := w.ask("whoever is told of this has said that he got the last one")
	next(t, r.got)
	w.end() // perhaps before he said so of this

	w.begin()
	w.answer(last, "x")
	x := next(t, r.got)
	if x.Data.QuestionID == unsure.ID {
		x = next(t, r.got)
	}
	require.Equal(t, "msg_"+last.ID+"_resolved", x.id)
}

func TestANoticeThatWasNotDeliveredIsAfterARestart(t *testing.T) {
	var down atomic.Bool
	r, refused := refusing(t, &down)
	w := newFixture(t, notify.Options{Webhooks: []notify.Webhook{r.hook()},
		Events: []string{"run.*"}, BaseURL: at("https://phones.example/")})
	w.begin()
	of := func(run, event string) notify.Notice {
		return notify.Notice{Event: event, At: time.Now(), SessionID: "s", RunID: run}
	}
	w.tell(of("told", notify.RunCompleted))
	told := next(t, r.got)
	require.Equal(t, notify.RunCompleted, told.Type)
	require.Equal(t, "https://phones.example/ui/sessions/s", told.Data.URL)
	w.tell(of("not chosen", notify.PhoneLost))
	down.Store(true)
	w.tell(of("missed", notify.RunFailed))
	<-refused
	w.end()
	down.Store(false)

	w.begin()
	missed := next(t, r.got)
	require.Equal(t, notify.RunFailed, missed.Type)
	require.Contains(t, missed.body, `"run_id":"missed"`)
	w.tell(of("last", notify.RunPaused))
	last := next(t, r.got)
	require.Contains(t, last.body, `"run_id":"last"`, "and nothing else")
	require.NotEqual(t, missed.id, last.id)
}

// Answers are sent only where that is configured, and a run that begins is no event.
func TestWhatOfANoticeIsSentIsConfigured(t *testing.T) {
	for _, answers := range []bool{false, true} {
		n, err := notify.New(&notify.Options{Events: []string{"*"}, Answers: answers})
		require.NoError(t, err)
		about, is := n.Chosen(notify.Notice{Event: notify.RunCompleted, Answer: "4 new mails"})
		require.True(t, is)
		require.Equal(t, answers, about.Answer != "")
		_, is = n.Chosen(notify.Notice{State: "RUNNING"})
		require.False(t, is)
	}
}

func TestWhatCannotWorkIsRefusedWithAHint(t *testing.T) {
	hook := func(url, secret string) notify.Options {
		return notify.Options{Webhooks: []notify.Webhook{{URL: url, Secret: secret}}}
	}
	topic := func(url, token string) notify.Options {
		return notify.Options{Ntfy: notify.Ntfy{URL: url, Token: token}}
	}
	const at, topicAt = "https://a.example/hush", "https://ntfy.example/"
	const injected = "hush\r\nx: y"
	for want, o := range map[string]notify.Options{
		"a webhook: its address is not an HTTP URL":                hook("ftp://a.example", secret),
		"the webhook at a.example: it does not begin with whsec_":  hook(at, "hush"),
		"the webhook at a.example: it is not base64":               hook(at, "whsec_hush-hush"),
		"the webhook at a.example: it has 3 bytes (want 24 to 64)": hook(at, "whsec_aHVz"),
		"the ntfy topic: its address is not an HTTP URL":           topic("hush", ""),
		"the ntfy address at ntfy.example names no topic":          topic(topicAt, ""),
		"the token of the ntfy topic holds characters that no":     topic(topicAt+"hush", injected),
	} {
		_, err := notify.New(&o)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hush")
		require.NotEmpty(t, hint.Of(err))
	}
}
