package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
)

// blankPhone is a phone on which nothing ever happens.
type blankPhone struct {
	runs.Phone // never touched
	frame      *screen.Frame
}

func (s blankPhone) List(context.Context) ([]runs.PhoneInfo, error)   { return nil, nil }
func (s blankPhone) Open(context.Context, string) (runs.Phone, error) { return s, nil }
func (s blankPhone) Device() store.Device {
	return store.Device{ID: "blank", Size: s.frame.Size()}
}
func (s blankPhone) Wake(context.Context) (screen.State, error) { return screen.State{}, nil }
func (s blankPhone) Close() error                               { return nil }
func (s blankPhone) Look(context.Context) (screen.Observation, error) {
	return screen.Observation{Frame: s.frame, State: screen.State{On: true, Size: s.frame.Size()},
		At: time.Now()}, nil
}

// askOncePolicy asks one question and is done with whatever becomes of it.
type askOncePolicy struct {
	mu   sync.Mutex
	knew map[string][]actions.Exchange // by task: what it knew when it decided for the last time
}

func (c *askOncePolicy) Next(_ context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.knew[s.Task] = s.Exchanges
	p := agentloop.Proposal{Tries: []agentloop.Try{{Prompt: s.Task}}}
	p.Action = actions.Info{Question: "Which colour?"}
	if len(s.Exchanges) > 0 {
		p.Action = actions.Complete{Report: "done"}
	}
	return p, nil
}

// deadlineEnv is a manager, its store on disk and its people's HTTP server, with a clock for its
// questions.
type deadlineEnv struct {
	t       *testing.T
	policy  *askOncePolicy
	manager *runs.Manager
	clock   atomic.Pointer[time.Time] // nil is the system's
	store   *store.Store
	http    *httptest.Server
	there   chan struct{} // a request has reached the server
}

func newDeadlineEnv(t *testing.T) *deadlineEnv {
	d := &deadlineEnv{t: t, policy: &askOncePolicy{knew: map[string][]actions.Exchange{}},
		there: make(chan struct{}, 1)}
	dir := t.TempDir()
	var err error
	d.store, err = store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.store.Close()) })
	frame, err := screen.NewFrame(image.NewPaletted(image.Rect(0, 0, 54, 120),
		color.Palette{color.White}))
	require.NoError(t, err)
	d.manager = runs.New(&runs.Options{Store: d.store, Phones: blankPhone{frame: frame},
		OnTimeout: inquiry.GoOn,
		NewPolicy: func(runs.Settings) (agentloop.Policy, error) { return d.policy, nil },
		// Swept by the test alone.
		Broker: inquiry.NewBroker(d.store.Questions,
			&inquiry.Options{Every: time.Hour, Now: d.now}),
		Limits: agentloop.Limits{Settle: -1}})
	t.Cleanup(func() { require.NoError(t, d.manager.Close()) })
	page := web.New(&web.Options{Questions: d.manager.Broker(), Sessions: d.store,
		Answers: d.store.Answers, Grants: d.store.Grants,
		Logins:    web.OpenLogins(filepath.Join(dir, "logins.json")),
		Authorize: func(*http.Request) (string, error) { return "ann", nil },
		Rights:    func(string) usecase.Rights { return usecase.Rights{All: true} }})
	d.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.there <- struct{}{}
		page.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		require.NoError(t, page.Close())
		d.http.Close()
	})
	return d
}

func (d *deadlineEnv) now() time.Time {
	if at := d.clock.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// asked is the question of a new run.
func (d *deadlineEnv) asked(task string) inquiry.Question {
	d.t.Helper()
	st, err := d.manager.Start(d.t.Context(), runs.StartRequest{Task: task, KeepEnvironment: true})
	require.NoError(d.t, err)
	st, err = d.manager.Wait(d.t.Context(), runs.WaitRequest{SessionID: st.Session.ID,
		Budget: patience})
	require.NoError(d.t, err)
	require.Equal(d.t, store.WaitingReply, st.Run.State)
	q, err := d.manager.Broker().Get(d.t.Context(), st.Run.QuestionID)
	require.NoError(d.t, err)
	return q
}

// reply answers over HTTP, at whatever time the clock has, and returns the status.
func (d *deadlineEnv) reply(q inquiry.Question, text string) int {
	r, err := http.NewRequestWithContext(d.t.Context(), "POST",
		d.http.URL+"/v1/inquiries/"+q.ID+"/reply", strings.NewReader(`{"response":"`+text+`"}`))
	if err != nil {
		return 0
	}
	r.Header.Set("Authorization", "Bearer x")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Nine in ten answers come in the last millisecond, while the sweep is at the deadline already:
// either may be first. Of the others half come when the sweep is not there yet, and half at the
// deadline itself, so that both ends are sure to be seen.
func TestAHundredAnswersAtTheDeadlineReachTheModelIfAndOnlyIfHTTPSaidSo(t *testing.T) {
	t.Parallel()
	d := newDeadlineEnv(t)
	counts, tight := map[int]int{}, map[int]int{}
	for i := range 100 {
		task, text := fmt.Sprintf("task %d", i), fmt.Sprintf("answer %d", i)
		q := d.asked(task)
		answered, swept := q.AttentionUntil.Add(-time.Millisecond), q.AttentionUntil
		switch i % 20 {
		case 0:
			swept = answered
		case 10:
			answered = swept
		}
		d.clock.Store(&answered)
		var status int
		var sweeping error
		var both sync.WaitGroup
		both.Go(func() { status = d.reply(q, text) })
		both.Go(func() {
			if i%2 == 1 { // so that the request's way does not decide
				<-d.there
			}
			sweeping = d.manager.Broker().Sweep(t.Context(), swept)
		})
		both.Wait()
		if i%2 == 0 {
			<-d.there
		}
		require.NoError(t, sweeping)
		d.clock.Store(nil)
		counts[status]++
		if answered.Before(swept) {
			tight[status]++
		}
		d.came(q, task, text, status)
	}
	t.Logf("%v, of them while either could be first: %v", counts, tight)
	require.Equal(t, 100, counts[200]+counts[410], "%v", counts)
	require.GreaterOrEqual(t, counts[200], 5, "%v", counts)
	require.GreaterOrEqual(t, counts[410], 5, "%v", counts)
}

// came checks that the run has gone on with what HTTP said, and that there is one resolution of
// that kind.
func (d *deadlineEnv) came(q inquiry.Question, task, text string, status int) {
	t := d.t
	t.Helper()
	st, err := d.manager.Wait(t.Context(), runs.WaitRequest{SessionID: q.SessionID,
		QuestionID: q.ID, Budget: patience})
	require.NoError(t, err)
	require.Equal(t, store.Completed, st.Run.State)
	want, event := actions.Exchange{Question: "Which colour?", Outcome: actions.Silence},
		store.AuditTimedOut
	if status == 200 {
		want.Outcome, want.Answer, event = actions.Answered, text, store.AuditAnswered
	}
	d.policy.mu.Lock()
	defer d.policy.mu.Unlock()
	require.Equal(t, []actions.Exchange{want}, d.policy.knew[task], "HTTP %d", status)
	entries, err := d.store.Audit.List(t.Context(), store.AuditFilter{QuestionID: q.ID})
	require.NoError(t, err)
	var story []store.AuditEvent
	for _, e := range entries {
		story = append(story, e.Event)
	}
	require.Equal(t, []store.AuditEvent{store.AuditAsked, event, store.AuditApplied}, story,
		"HTTP %d", status)
}
