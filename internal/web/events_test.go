package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// idOf is the question that an event is about.
func idOf(t *testing.T, h happening) string {
	t.Helper()
	var q struct {
		ID string `json:"question_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(h.data), &q))
	return q.ID
}

func TestALateListenerGetsASnapshotAndThenWhatHappens(t *testing.T) {
	g := newRig(t, alone)
	old, foreign := g.waiting("ann", inquiry.Question{}), g.waiting("ben", inquiry.Question{})
	s, all := g.listen(g.ann, ""), g.listen(g.boss, "")
	var snapshot struct {
		Inquiries []struct {
			ID string `json:"question_id"`
		}
		Sessions []struct {
			ID  string `json:"session_id"`
			Run struct{ State string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.want("snapshot").data), &snapshot))
	require.Len(t, snapshot.Inquiries, 1)
	require.Equal(t, old.ID, snapshot.Inquiries[0].ID)
	require.Len(t, snapshot.Sessions, 1)
	require.Equal(t, old.SessionID, snapshot.Sessions[0].ID)
	require.Equal(t, "WAITING_REPLY", snapshot.Sessions[0].Run.State)
	require.Contains(t, all.want("snapshot").data, foreign.ID)

	require.NoError(t, g.broker.Withdraw(t.Context(), foreign.ID, "stopped"))
	require.Equal(t, foreign.ID, idOf(t, all.want("inquiry.withdrawn")))
	next := g.waiting("ann", inquiry.Question{})
	require.Equal(t, next.ID, idOf(t, s.want("inquiry.created")),
		"nothing of what is not ann's comes between")
	require.Equal(t, 200, g.post("/v1/inquiries/"+old.ID+"/reply", g.boss,
		`{"response":"x"}`).status)
	h := s.want("inquiry.resolved")
	require.Equal(t, old.ID, idOf(t, h))
	require.Contains(t, h.data, `"by":"boss"`)
	require.NoError(t, g.broker.Sweep(t.Context(), next.ExpiresAt))
	require.Equal(t, next.ID, idOf(t, s.want("inquiry.expired")))
}

func TestAListenerThatComesBackGetsWhatItMissed(t *testing.T) {
	g := newRig(t, alone, func(o *web.Options) { o.Buffer = 4 })
	s := g.listen(g.ann, "")
	first := s.want("snapshot").id
	require.NotEmpty(t, first)
	var ids []string
	for range 3 {
		ids = append(ids, g.waiting("ann", inquiry.Question{}).ID)
	}
	second := s.want("inquiry.created").id
	require.NoError(t, s.body.Close())

	again := g.listen(g.ann, second)
	require.Equal(t, ids[1], idOf(t, again.want("inquiry.created")))
	require.Equal(t, ids[2], idOf(t, again.want("inquiry.created")))
	again = g.listen(g.ann, first)
	require.Equal(t, ids[0], idOf(t, again.want("inquiry.created")))

	g.waiting("ann", inquiry.Question{})
	last := g.waiting("ann", inquiry.Question{})
	probe := g.listen(g.ann, second)
	// until the pump has come so far
	for h := probe.next(); idOf(t, h) != last.ID; h = probe.next() {
		require.Equal(t, "inquiry.created", h.name)
	}
	for name, id := range map[string]string{"too old": first, "of another server": "abc-1",
		"of the future": first[:strings.Index(first, "-")] + "-99",
		"nonsense":      "x", "negative": first[:strings.Index(first, "-")] + "--1"} {
		require.Contains(t, g.listen(g.ann, id).want("snapshot").data, last.ID, name)
	}
}

func TestStepsAndStatesOfASessionAreTold(t *testing.T) {
	g := newRig(t, alone)
	q := g.waiting("ann", inquiry.Question{})
	s := g.listen(g.ann, "")
	s.want("snapshot")
	g.web.Changed(q.SessionID)
	require.Contains(t, s.want("step").data, `"index":1`)
	require.Contains(t, s.want("session.state").data, `"state":"WAITING_REPLY"`)

	run, err := g.store.Runs.Transition(t.Context(), q.RunID, store.Change{To: store.Running})
	require.NoError(t, err)
	g.step(run, 2)
	g.step(run, 3)
	g.web.Changed("nobodys")
	g.web.Changed(q.SessionID)
	require.Contains(t, s.want("step").data, `"index":2`)
	require.Contains(t, s.want("step").data, `"index":3`)
	require.Contains(t, s.want("session.state").data, `"state":"RUNNING"`)

	g.web.Changed(q.SessionID) // nothing is new, so nothing is told
	other := g.waiting("ann", inquiry.Question{})
	require.Equal(t, other.ID, idOf(t, s.want("inquiry.created")))
}

// A step that asked about its action is told again when that was carried out.
func TestAStepThatWasCarriedOutAfterItsQuestionIsToldAgain(t *testing.T) {
	g := newRig(t, alone)
	q := g.waiting("ann", inquiry.Question{})
	s := g.listen(g.ann, "")
	s.want("snapshot")
	run, err := g.store.Runs.Transition(t.Context(), q.RunID, store.Change{To: store.Running})
	require.NoError(t, err)
	st := agentloop.Step{Index: 2, Local: 1, StartedAt: time.Now(), Asks: "approval",
		Refusal:  "not carried out yet",
		Proposal: agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{}}}}
	require.NoError(t, g.store.Journal(run).Done(t.Context(), st, agentloop.Progress{Steps: 2,
		Pending: &agentloop.Pending{Decision: st.Proposal.Decision, Step: 2}}))
	g.web.Changed(q.SessionID)
	require.Contains(t, s.want("step").data, `"refusal":"not carried out yet"`)
	s.want("session.state")

	run, err = g.store.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	st.Asks, st.Refusal = "", ""
	require.NoError(t, g.store.Journal(run).Done(t.Context(), st, agentloop.Progress{Steps: 2}))
	g.web.Changed(q.SessionID)
	told := s.want("step").data
	require.Contains(t, told, `"index":2`)
	require.NotContains(t, told, "refusal")
}

func TestARunOfAnotherProcessIsTold(t *testing.T) {
	g := newRig(t, func(o *web.Options) { o.Elsewhere = 5 * time.Millisecond })
	s := g.listen(g.ann, "")
	s.want("snapshot")
	q := g.waiting("ann", inquiry.Question{}) // in the store: Changed is not called
	until := func(state string) (before []string) {
		for h := s.next(); h.name != "session.state" ||
			!strings.Contains(h.data, `"state":"`+state); h = s.next() {
			require.NotEmpty(t, h.name, "the stream has ended")
			before = append(before, h.name)
		}
		return before
	}
	require.Contains(t, until("WAITING_REPLY"), "step")
	_, err := g.store.Runs.Transition(t.Context(), q.RunID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	until("CANCELLED")
}

// noSessions is a store with nothing in it.
type noSessions struct{ *store.Store }

func (noSessions) Find(ctx, string, store.Owners) (store.Session, error) {
	return store.Session{}, store.ErrNotFound
}
func (noSessions) Sessions(ctx, store.Filter) ([]store.Overview, error) { return nil, nil }
func (noSessions) LatestRun(ctx, string) (store.Run, error) {
	return store.Run{}, store.ErrNotFound
}
func (noSessions) Frame(ctx, string) ([]byte, error) { return nil, store.ErrNotFound }
func (noSessions) Steps(ctx, string, int) ([]store.StepRecord, error) {
	return nil, nil
}

// sink is a response writer inside a synctest bubble. Writes wait while it is blocked.
type sink struct {
	header  http.Header
	blocked chan struct{} // closed when writes go through

	mu   sync.Mutex
	text strings.Builder
}

func newSink() *sink {
	s := &sink{header: http.Header{}, blocked: make(chan struct{})}
	close(s.blocked)
	return s
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Flush()              {}
func (s *sink) Write(b []byte) (int, error) {
	s.mu.Lock()
	blocked := s.blocked
	s.mu.Unlock()
	<-blocked
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// names are the events so far, in order.
func (s *sink) names() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(s.text.String()) {
		if name, found := strings.CutPrefix(line, "event: "); found {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

func operator(string) usecase.Rights { return usecase.Rights{All: true, Decides: true} }

// bubble is a server inside a synctest bubble.
func bubble(t *testing.T, change func(*web.Options)) (*web.Server, *inquiry.Broker) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	o := &web.Options{Questions: b, Sessions: noSessions{},
		Logins: web.OpenLogins(t.TempDir() + "/logins"),
		Authorize: func(*http.Request) (string, error) {
			return "boss", nil
		}, Rights: operator}
	if change != nil {
		change(o)
	}
	s := web.New(o)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, b
}

func listenTo(t *testing.T, s *web.Server, to *sink) {
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/v1/events", nil)
	go s.ServeHTTP(to, r)
	synctest.Wait()
}

func TestAQuietStreamIsPingedUntilTheCredentialIsRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		s, _ := bubble(t, func(o *web.Options) {
			o.Authorize = func(*http.Request) (string, error) {
				if revoked.Load() {
					return "", fmt.Errorf("revoked")
				}
				return "boss", nil
			}
		})
		to := newSink()
		listenTo(t, s, to)
		require.Equal(t, []string{"snapshot"}, to.names())
		time.Sleep(46 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"snapshot", "ping", "ping", "ping"}, to.names())
		revoked.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, to.names(), 4)
	})
}

func TestAStreamEndsAtOnceWhenItsCredentialIsRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		changed := make(chan struct{})
		s, _ := bubble(t, func(o *web.Options) {
			o.Changed = func() <-chan struct{} { return changed }
			o.Authorize = func(r *http.Request) (string, error) {
				if name := r.Header.Get("Name"); name == "other" || !revoked.Load() {
					return name, nil
				}
				return "", fmt.Errorf("revoked")
			}
		})
		ends := map[string]chan struct{}{"ann": make(chan struct{}), "other": make(chan struct{})}
		for name, ended := range ends {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/v1/events",
				nil)
			r.Header.Set("Name", name)
			go func() { s.ServeHTTP(newSink(), r); close(ended) }()
		}
		synctest.Wait()
		revoked.Store(true)
		before := changed
		changed = make(chan struct{})
		close(before)
		began := time.Now()
		<-ends["ann"]
		require.Zero(t, time.Since(began), "not with the next ping")
		synctest.Wait()
		select {
		case <-ends["other"]:
			require.Fail(t, "the stream of another has ended, too")
		default:
		}
	})
}

func TestWhoWaitedIsToldNothingOnceTheCredentialIsRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		s, b := bubble(t, func(o *web.Options) {
			o.Authorize = func(*http.Request) (string, error) {
				if revoked.Load() {
					return "", fmt.Errorf("revoked")
				}
				return "boss", nil
			}
		})
		q, err := b.Open(t.Context(), inquiry.Question{Text: "Deploy?"})
		require.NoError(t, err)
		got, ended := httptest.NewRecorder(), make(chan struct{})
		r := httptest.NewRequestWithContext(t.Context(), "GET",
			"http://localhost/v1/inquiries/"+q.ID+"?wait_seconds=60", nil)
		go func() { s.ServeHTTP(got, r); close(ended) }()
		synctest.Wait()
		revoked.Store(true)
		_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "next Friday"})
		require.NoError(t, err)
		<-ended
		require.Equal(t, 401, got.Code)
		require.NotContains(t, got.Body.String(), "Friday")
	})
}

func TestACallThatWaitsEndsAtOnceWhenItsCredentialIsRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		changes := wait.Broadcast{}
		s, b := bubble(t, func(o *web.Options) {
			o.Changed = changes.Next
			o.Authorize = func(*http.Request) (string, error) {
				if revoked.Load() {
					return "", fmt.Errorf("revoked")
				}
				return "boss", nil
			}
		})
		q, err := b.Open(t.Context(), inquiry.Question{Text: "Deploy?"})
		require.NoError(t, err)
		got, ended := httptest.NewRecorder(), make(chan struct{})
		r := httptest.NewRequestWithContext(t.Context(), "GET",
			"http://localhost/v1/inquiries/"+q.ID+"?wait_seconds=60", nil)
		began := time.Now()
		go func() { s.ServeHTTP(got, r); close(ended) }()
		synctest.Wait()
		changes.Send()
		synctest.Wait()
		require.Empty(t, got.Body.String(), "another's credential has changed")
		revoked.Store(true)
		changes.Send()
		<-ended
		require.Zero(t, time.Since(began))
		require.Equal(t, 401, got.Code)
		require.Contains(t, got.Body.String(), "UNAUTHORIZED")
	})
}

func TestWhoAsksWhileTheTokensAreAwayIsToldToComeBack(t *testing.T) {
	s, _ := bubble(t, func(o *web.Options) {
		o.Authorize = func(*http.Request) (string, error) {
			return "", agentloop.Unavailable("the tokens cannot be read")
		}
	})
	got := httptest.NewRecorder()
	s.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), "GET",
		"http://localhost/v1/inquiries", nil))
	require.Equal(t, 503, got.Code)
	require.Contains(t, got.Body.String(), "STORE_UNAVAILABLE")
	require.NotEmpty(t, got.Header().Get("Retry-After"))
}

func TestASlowListenerHoldsUpNobodyAndGetsASnapshotAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := bubble(t, func(o *web.Options) { o.Buffer, o.Ping = 8, time.Hour })
		slow, quick := newSink(), newSink()
		listenTo(t, s, slow)
		listenTo(t, s, quick)
		slow.mu.Lock()
		slow.blocked = make(chan struct{})
		slow.mu.Unlock()
		for i := range 20 {
			_, err := b.Open(t.Context(), inquiry.Question{Text: fmt.Sprint("question ", i)})
			require.NoError(t, err)
			synctest.Wait()
		}
		require.Len(t, quick.names(), 21)
		close(slow.blocked)
		synctest.Wait()
		require.Equal(t, []string{"snapshot", "inquiry.created", "snapshot"}, slow.names())
		require.Contains(t, slow.text.String(), "question 19")
	})
}

func TestNobodysListenersTakeThePlacesOfOthers(t *testing.T) {
	g := newRig(t, func(o *web.Options) { o.MaxListeners = 9 }) // one is the rig's own
	q := g.waiting("ann", inquiry.Question{})
	wait := "/v1/inquiries/" + q.ID + "?wait_seconds=1"
	for range 4 {
		g.listen(g.ann, "").want("snapshot")
	}
	for _, path := range []string{"/v1/events", wait} {
		a := g.get(path, g.ann)
		require.Equal(t, 503, a.status)
		require.Contains(t, a.text, "TOO_MANY_LISTENERS")
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	require.Equal(t, 200, g.get("/v1/inquiries", g.ann).status, "whatever does not wait goes on")
	for range 2 {
		g.listen(g.ben, "").want("snapshot")
	}
	code := g.send("POST", "/ui/login", "", `{"code":"`+g.code()+`"}`, nil).json(t)["login"]
	page := func(r *http.Request) { r.Header.Set("X-Taploop-Login", code.(string)) }
	require.Equal(t, 200, g.send("GET", wait, "", "", page).status, "the page has its place")
	g.listen(g.boss, "").want("snapshot")
	g.listen(g.boss, "").want("snapshot")
	require.Equal(t, 503, g.send("GET", wait, "", "", page).status, "there is none at all")
}

func TestHostileTextStaysInsideItsEvent(t *testing.T) {
	g := newRig(t, alone)
	s := g.listen(g.boss, "")
	s.want("snapshot")
	const evil = "</script><script>alert(1)</script>\n\nevent: inquiry.resolved\ndata: " +
		"{}\r\n\r\u2028\u2029\u202e \U0001F642"
	q, err := g.broker.Open(t.Context(), inquiry.Question{Text: evil})
	require.NoError(t, err)
	h := s.want("inquiry.created")
	var got inquiry.Question
	require.NoError(t, json.Unmarshal([]byte(h.data), &got))
	require.Equal(t, evil, got.Text)
	require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, evil))
	s.want("inquiry.withdrawn")
}
