package web_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

func TestWhatHasHappenedIsSentBeforeTheServerCloses(t *testing.T) {
	for range 20 { // the pumps and the end are in a race
		g := newRig(t, nil)
		q := g.waiting("ann", inquiry.Question{})
		s := g.listen(g.ann, "")
		s.want("snapshot")
		require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, "enough"))
		_, err := g.runs.stop(t.Context(), q.SessionID, runs.Pause, runs.Actor{})
		require.NoError(t, err)
		g.web.Changed(q.SessionID)
		require.NoError(t, g.web.Close())
		var names []string
		for h := s.next(); h.name != ""; h = s.next() {
			names = append(names, h.name)
			if h.name == "session.state" {
				require.Contains(t, h.data, "PAUSED")
			}
		}
		require.Contains(t, names, "inquiry.withdrawn")
		require.Contains(t, names, "session.state")
	}
}

// A run of another process that begins and ends between two looks is heard of, too.
func TestARunOfAnotherProcessThatIsOverAtOnceIsHeardOf(t *testing.T) {
	g := newRig(t, func(o *web.Options) { o.Elsewhere = 10 * time.Millisecond })
	begin := func(to store.State) string {
		_, run, err := g.store.Begin(t.Context(), store.Session{Serial: "emu-1"},
			store.Run{Task: "order tea", MaxSteps: 20})
		require.NoError(t, err)
		_, err = g.store.Runs.Transition(t.Context(), run.ID, store.Change{To: to})
		require.NoError(t, err)
		return run.SessionID
	}
	heard := func(id string) {
		t.Helper()
		for h := g.probe.next(); !strings.Contains(h.data, id); h = g.probe.next() {
			require.NotEmpty(t, h.name, "the stream has ended")
		}
	}
	heard(begin(store.Running)) // by then it has looked once
	heard(begin(store.Cancelled))
}

type allSessions = web.Sessions

// lookedAt counts how often a session is read, and how often all are listed.
type lookedAt struct {
	allSessions
	found, rounds atomic.Int64
}

func (s *lookedAt) Sessions(c ctx, f store.Filter) ([]store.Overview, error) {
	if f.ID == "" {
		s.rounds.Add(1)
	}
	return s.allSessions.Sessions(c, f)
}

func (s *lookedAt) Find(c ctx, id string, of store.Owners) (store.Session, error) {
	s.found.Add(1)
	return s.allSessions.Find(c, id, of)
}

func TestASessionInWhichNothingHappensIsNotReadAgain(t *testing.T) {
	var seen *lookedAt
	g := newRig(t, func(o *web.Options) {
		seen = &lookedAt{allSessions: o.Sessions}
		o.Sessions, o.Elsewhere = seen, time.Millisecond
	})
	run := g.running("order tea", 1)
	_, err := g.store.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Paused})
	require.NoError(t, err)
	s := g.listen(g.boss, "")
	for h := s.next(); !strings.Contains(h.data, `"PAUSED"`); h = s.next() {
		require.NotEmpty(t, h.name, "the stream has ended")
	}
	rounds := func(n int64) {
		from := seen.rounds.Load()
		require.Eventually(t, func() bool { return seen.rounds.Load() > from+n }, patient.Lid,
			time.Millisecond)
	}
	rounds(5)
	before := seen.found.Load()
	rounds(50)
	require.LessOrEqual(t, seen.found.Load()-before, int64(2))

	run, err = g.store.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	g.step(run, 2) // as another process does
	for h := s.next(); !strings.Contains(h.data, `"index":2`); h = s.next() {
		require.NotEmpty(t, h.name, "the stream has ended")
	}
}

// Of the settled questions, which only grow in number, no more are looked up than are shown.
func TestOnlyTheQuestionsThatAreShownAreLookedUp(t *testing.T) {
	var seen *lookedAt
	g := newRig(t, func(o *web.Options) {
		seen = &lookedAt{allSessions: o.Sessions}
		o.Sessions = seen
	})
	var newest inquiry.Question
	for range 5 {
		newest = g.waiting("ann", inquiry.Question{})
		a := g.post("/v1/inquiries/"+newest.ID+"/reply", g.boss, `{"response":"x"}`)
		require.Equal(t, 200, a.status, a.text)
	}
	for h := g.probe.next(); h.name != "inquiry.resolved" || idOf(t, h) != newest.ID; {
		h = g.probe.next() // what the feed reads is read
	}
	before := seen.found.Load()
	a := g.get("/v1/inquiries?status=all&limit=1", g.kim)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, newest.ID)
	require.LessOrEqual(t, seen.found.Load()-before, int64(1))
}
