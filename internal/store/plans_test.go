package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// Nothing reads a table from end to end, or sorts what grows with the sessions: SQLite says how it
// goes about each query that the calls come down to.
func TestNoQueryReadsAWholeTable(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	plans, err := s.Explain()
	require.NoError(t, err)
	ctx := t.Context()
	r := started(t, s)
	st := step(t, 1, actions.Home{})
	client, broker := "c", inquiry.NewBroker(s.Questions, nil)
	var q inquiry.Question
	for name, call := range map[string]func() error{
		"Sessions":           list(s, store.Filter{Limit: 20}),
		"Sessions of client": list(s, store.Filter{Owners: store.Owners{client}, Limit: 20}),
		"Sessions of clients": list(s, store.Filter{Owners: store.Owners{client, "d"}, Limit: 20,
			Offset: 20}),
		"Sessions in state": list(s, store.Filter{State: store.Failed, Limit: 20}),
		"Sessions of client in state": list(s, store.Filter{Owners: store.Owners{client},
			State: store.Failed, Limit: 20}),
		"Sessions on phone": list(s, store.Filter{Owners: store.Owners{client}, Serial: "x", Limit: 1}),
		"Sessions waiting":  list(s, store.Filter{Waiting: true}),
		"Sessions to take up": list(s, store.Filter{State: store.Paused,
			Reason: agentloop.ServerRestarted}),
		"Find": func() error {
			_, err := s.Find(ctx, r.SessionID[:8], store.Owners{client})
			return none(err)
		},
		"Recover": func() error { _, err := s.Runs.Recover(ctx); return err },
		"Status": func() error {
			_, err := s.Snapshot(ctx, r.SessionID, behind(0))
			return err
		},
		"Steps":       func() error { _, err := s.Steps(ctx, r.SessionID, 5); return err },
		"Trajectory":  func() error { _, err := s.Trajectory(ctx, r.SessionID); return err },
		"Runs":        func() error { _, err := s.Runs.Of(ctx, r.SessionID); return err },
		"by key":      func() error { _, err := s.SessionByKey(ctx, "a", "b"); return none(err) },
		"Lease":       func() error { return s.Leases.Take(ctx, "emu-1", r.ID) },
		"Holder":      func() error { _, _, err := s.Leases.Holder(ctx, "emu-1"); return err },
		"Secrets":     func() error { _, err := s.Secrets.Of(ctx, r.ID); return err },
		"Begin":       func() error { started(t, s); return nil },
		"Prune":       func() error { _, err := s.Prune(ctx, time.Unix(1, 0), store.AuditEntry{}); return err },
		"Append":      func() error { return s.Audit.Append(ctx, store.AuditEntry{Event: "x"}) },
		"Audit":       audited(s, store.AuditFilter{Limit: 20}),
		"Audit since": audited(s, store.AuditFilter{Since: time.Now(), Limit: 20}),
		"Audit of session": audited(s, store.AuditFilter{SessionID: "x", Limit: 20,
			Since: time.Now()}),
		"Audit of question": audited(s, store.AuditFilter{QuestionID: "x"}),
		"Step": func() error {
			j := s.Journal(r)
			require.NoError(t, j.Intent(ctx, st))
			require.NoError(t, j.Done(ctx, st, agentloop.Progress{Steps: 1}))
			_, err := s.Frame(ctx, r.FrameID(1))
			return err
		},
		"Ask": func() (err error) {
			q, err = broker.Open(ctx, inquiry.Question{SessionID: r.SessionID, RunID: r.ID,
				Fence: r.Fence, Text: "?", Client: "c", Key: "k"})
			require.NoError(t, err)
			_, err = broker.Resolve(ctx, q.ID, inquiry.Reply{Response: "x", Channel: "http"})
			require.NoError(t, err)
			_, err = broker.Apply(ctx, q.ID, r.Fence)
			return err
		},
		"Questions pending":    asked(s, inquiry.Filter{Status: inquiry.Pending}),
		"Questions brief":      asked(s, inquiry.Filter{Status: inquiry.Pending, Brief: true}),
		"Questions of session": asked(s, inquiry.Filter{SessionID: "x"}),
		"Questions of run":     asked(s, inquiry.Filter{RunID: "x"}),
		"Questions of client":  asked(s, inquiry.Filter{Client: new("x"), Status: inquiry.Pending}),
		"Questions of nobody":  asked(s, inquiry.Filter{Client: new(""), Status: inquiry.Pending}),
		"Questions under key":  asked(s, inquiry.Filter{Client: new("x"), Key: "k"}),
		"Questions unread":     asked(s, inquiry.Filter{Unapplied: true, NoRun: true}),
	} {
		plans.Take()
		require.NoError(t, call(), name)
		for _, p := range plans.Take() {
			if !flat(name, p) {
				t.Errorf("%s: %s", name, p)
			}
		}
	}
	plans.Take()
	_, err = s.Runs.Transition(ctx, r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	require.NoError(t, s.Delete(ctx, r.SessionID, store.AuditEntry{}))
	for _, p := range plans.Take() {
		require.True(t, flat("", p), p)
	}
}

func list(s *store.Store, f store.Filter) func() error {
	return func() error { _, err := s.Sessions(context.Background(), f); return err }
}

func audited(s *store.Store, f store.AuditFilter) func() error {
	return func() error { _, err := s.Audit.List(context.Background(), f); return err }
}

func asked(s *store.Store, f inquiry.Filter) func() error {
	return func() error { _, err := s.Questions.List(context.Background(), f); return err }
}

// none takes it for a success that nothing was found.
func none(err error) error {
	if err != nil && strings.Contains(err.Error(), "not found") {
		return nil
	}
	return err
}

// flat reports whether a line of a plan is of a query that costs the same however much there is.
func flat(name, line string) bool {
	switch line, _, _ = strings.Cut(line, "   of "); {
	case strings.Contains(line, "TEMP B-TREE"):
		return !strings.HasPrefix(name, "Sessions") || name == "Sessions waiting"
	case !strings.Contains(line, "SCAN"), line == "SCAN CONSTANT ROW":
		return true
	case name == "Sessions": // up to the limit
		return line == "SCAN s USING INDEX sessions_recent"
	case name == "Sessions waiting": // an index of them alone
		return line == "SCAN r USING INDEX runs_waiting"
	case name == "Recover": // an index of those alone
		return line == "SCAN r USING INDEX runs_going"
	case name == "Prune": // beside the folders, of which all are read
		return line == "SCAN sessions USING COVERING INDEX sqlite_autoindex_sessions_1"
	}
	return false
}
