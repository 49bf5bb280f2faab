package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/session"
)

// ByHand is what a person does on a phone that was taken over.
type ByHand struct {
	Serial string
	Client *string // whose session has to have the phone; nil is anybody's
	By     Actor
	What   string // the kind of touch, which is counted; nothing else is kept of it
}

// HeldBy says which run has the phone; false when it is free, or when a session of another client
// has it.
func (m *Manager) HeldBy(
	ctx context.Context, serial string, client *string,
) (h session.Hold, held bool, err error) {
	h, held, err = m.store.Holder(ctx, serial)
	if err != nil || !held {
		return session.Hold{}, false, err
	}
	_, err = m.store.Find(ctx, h.SessionID, client)
	if errors.Is(err, session.ErrNotFound) {
		return session.Hold{}, false, nil
	}
	return h, err == nil, err
}

// Touch lets do touch the phone while a person has it: the run that holds it waits in
// WAITING_TAKEOVER, and does not go on before do has returned. Otherwise the error is
// NothingToTakeOver.
func (m *Manager) Touch(ctx context.Context, r ByHand, do func(context.Context) error) error {
	h, held, err := m.HeldBy(ctx, r.Serial, r.Client)
	if err != nil {
		return err
	}
	if !held || h.State != session.WaitingTakeover {
		return notTakenOver(r.Serial)
	}
	s, done := m.states.use(h.SessionID)
	defer done()
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	run, err := m.store.LatestRun(ctx, h.SessionID)
	if err != nil {
		return err
	}
	if run.State != session.WaitingTakeover || run.ID != h.RunID {
		return notTakenOver(r.Serial)
	}
	if err := do(ctx); err != nil {
		return err
	}
	if m.touches.count(touched{run.ID, h.SessionID, r.By}, r.What) {
		m.noteTouches(ctx, run.ID)
	}
	return nil
}

// touches counts what people do on phones that they have taken over. How often is in the audit, and
// what it was is nowhere.
type touches struct {
	mu     sync.Mutex
	counts map[touched]map[string]int
	since  map[string]time.Time // of the first touch of a run that is not in the audit yet
}

// touched is whose touches belong together.
type touched struct {
	runID, sessionID string
	by               Actor
}

// noteAfter is how long touches are counted before they are in the audit, at most: what is counted
// when the process is killed is lost.
const noteAfter = time.Minute

// count adds a touch, and reports whether it is time to note those of the run.
func (t *touches) count(who touched, what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts, t.since = map[touched]map[string]int{}, map[string]time.Time{}
	}
	if t.counts[who] == nil {
		t.counts[who] = map[string]int{}
	}
	t.counts[who][what]++
	if t.since[who.runID].IsZero() {
		t.since[who.runID] = time.Now()
	}
	return time.Since(t.since[who.runID]) >= noteAfter
}

// take takes the counts of a run, of all when runID is "".
func (t *touches) take(runID string) (list []session.AuditEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for who, counts := range t.counts {
		if runID != "" && who.runID != runID {
			continue
		}
		var words []string
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			words = append(words, fmt.Sprintf("%s %d", what, counts[what]))
		}
		list = append(list, session.AuditEntry{Event: session.AuditByHand, RunID: who.runID,
			SessionID: who.sessionID, Channel: who.by.Channel, Authority: who.by.Authority,
			By: who.by.Name, Text: strings.Join(words, ", ")})
		delete(t.counts, who)
		delete(t.since, who.runID)
	}
	return list
}

// noteTouches writes the counts of a run's touches into the audit, those of all runs for "".
func (m *Manager) noteTouches(ctx context.Context, runID string) {
	for _, e := range m.touches.take(runID) {
		if err := m.store.AppendAudit(ctx, e); err != nil {
			m.log.ErrorContext(ctx, "noting what was touched by hand", "run", e.RunID, "err", err)
		}
	}
}

func notTakenOver(serial string) error {
	return Refuse(NothingToTakeOver,
		"take it over first: on the inbox page, or with POST /v1/sessions/{id}/takeover",
		"no person has phone %q: it can be touched only while it is taken over", serial)
}
