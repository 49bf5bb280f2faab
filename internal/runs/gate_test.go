package runs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// consent is a gate that asks a person about every action: consented once, on one screen.
type consent struct{}

func (consent) Check(
	_ context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	if s.Pending != nil {
		return agentloop.Allow(), nil
	}
	return agentloop.Ask(agentloop.Question{Kind: agentloop.KindApproval, Text: "may it tap?",
		Review: &agentloop.Review{Severity: "critical", Element: "a button", Reason: "it pays",
			Rule: "pay", Bound: s.Screen.State.App + " tap"}}), nil
}

// by is decisions of the person at the server's command line.
func by(list ...inquiry.Decision) *inquiry.Reply {
	return &inquiry.Reply{Type: inquiry.TypeDecisions, Decisions: list,
		Channel:   inquiry.ChannelCommandLine,
		Authority: inquiry.AuthorityLocalOperator, By: "kim"}
}

var (
	yes = inquiry.Decision{Type: inquiry.Approve}
	no  = inquiry.Decision{Type: inquiry.Reject, Message: "too dear"}
)

// decide answers the session's open question.
func (w *fixture) decide(id string, list ...inquiry.Decision) runs.Status {
	w.t.Helper()
	st, err := w.manager.Continue(w.ctx(),
		runs.ContinueRequest{SessionID: id, Reply: by(list...)})
	require.NoError(w.t, err)
	return w.wait(st.Session.ID)
}

// ballot is a gate that has people vote about every action, which is a kind of question that only
// tests have.
type ballot struct{}

func (ballot) Check(
	_ context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	if s.Pending == nil {
		return agentloop.Ask(agentloop.Question{Kind: string(vote.Kind), Text: "may it tap?",
			Body: &vote.Vote{Motion: "that it taps"}}), nil
	}
	if s.Pending.Answer.Answer != "aye" {
		return agentloop.Refuse(s.Pending.Answer.Answer), nil
	}
	return agentloop.Allow(), nil
}

// gateOf is the gate of a task: one that speaks of consent or of votes has one.
func gateOf(task string) func(store.Session, store.Run) agentloop.Gate {
	var g agentloop.Gate
	switch {
	case strings.Contains(task, "consent"):
		g = consent{}
	case strings.Contains(task, "vote"):
		g = ballot{}
	default:
		return nil
	}
	return func(store.Session, store.Run) agentloop.Gate { return g }
}

// TestAGateAsksInAKindOfItsOwn kills a process whose run waits for a vote, and votes in this one.
func TestAGateAsksInAKindOfItsOwn(t *testing.T) {
	for said, taps := range map[string]int{"/aye": 1, "/nay too late": 0} {
		t.Run(said, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			dir := t.TempDir()
			require.LessOrEqual(t, killChild(t, dir, "tap vote", "WAITING_VOTE"), 1)
			w := newFixture(t, dir)
			defer func() { w.close() }()
			w.close()
			w.policy.think, w.opts.NewGate = 0, gateOf("vote")
			w.begin()
			require.NoError(t, w.manager.Recover(w.ctx()))
			sessions, err := w.store.Sessions(w.ctx(), store.Filter{State: "WAITING_VOTE"})
			require.NoError(t, err)
			require.Len(t, sessions, 1)
			st := w.wait(sessions[0].ID)
			require.EqualValues(t, "VOTE_NEEDED", st.Run.StopReason)
			require.Equal(t, &vote.Vote{Motion: "that it taps"}, st.Question.Body)
			require.False(t, st.Question.Secret)

			r, err := st.Question.Read(said)
			require.NoError(t, err)
			_, err = w.manager.Continue(w.ctx(),
				runs.ContinueRequest{SessionID: st.Session.ID, Reply: &r})
			require.NoError(t, err)

			require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
			require.Len(t, w.phones.phones["A"].done(), taps)
		})
	}
}

func TestAGatesQuestionHasABodyThatTheManagerKnows(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate { return stranger{} }
		})

		st := withMode(w, channel.PassToClient, "tap")

		require.Equal(t, agentloop.InternalError, st.Reason)
		require.Contains(t, st.Message, "a body of the type string (want an inquiry.Body)")
		require.Empty(t, w.phones.phones["A"].done())
	})
}

// stranger is a gate whose question has something in it that is no body.
type stranger struct{}

func (stranger) Check(
	context.Context, agentloop.Situation, actions.Decision,
) (agentloop.Verdict, error) {
	return agentloop.Ask(agentloop.Question{Kind: "vote", Text: "?", Body: "tea"}), nil
}

func TestAModelIsNotAskedForConsent(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		model := &oracle{}
		w.again(func(o *runs.Options) { o.Asking.Answerer, o.NewGate = model, gateOf("consent") })

		st := withMode(w, channel.AutoReply, "tap consent")

		require.Equal(t, store.WaitingApproval, st.Run.State)
		require.Equal(t, inquiry.KindApproval, st.Question.Kind)
		require.Empty(t, w.phones.phones["A"].done())
		require.Zero(t, model.frames, "the model is shown nothing")
		waiting, err := w.store.Sessions(w.ctx(), store.Filter{Waiting: true})
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		require.Equal(t, store.Completed, w.decide(st.Session.ID, yes).Run.State)
		require.Len(t, w.phones.phones["A"].done(), 1)
		waiting, err = w.store.Sessions(w.ctx(), store.Filter{Waiting: true})
		require.NoError(t, err)
		require.Empty(t, waiting)
	})
}

// TestKilledAtTheGate kills a process that waits for consent, or that has got it, and goes on in
// this one: what was allowed is done once at most, and what was not is never done.
func TestKilledAtTheGate(t *testing.T) {
	const task = "tap consent"
	for _, c := range []struct {
		name  string
		at    string // where the process that asks is killed
		then  string // where a second one, which approves, is killed; "" is not begun
		reply inquiry.Decision
		more  int // touches of this process
		note  agentloop.NoteKind
	}{
		{name: "parked, then allowed", at: "WAITING_APPROVAL", reply: yes, more: 1},
		{name: "parked, then refused", at: "WAITING_APPROVAL", reply: no,
			note: agentloop.NoteRejected},
		{name: "while it parks, then allowed", at: "asking", reply: yes, more: 1},
		{name: "while it parks, then refused", at: "asking", reply: no,
			note: agentloop.NoteRejected},
		{name: "between the answer and the touch", at: "WAITING_APPROVAL", then: "QUEUED", more: 1,
			note: agentloop.NoteResumed},
		{name: "in the touch", at: "WAITING_APPROVAL", then: "touch 1",
			note: agentloop.NoteOutcomeUnknown},
		{name: "after the touch", at: "WAITING_APPROVAL", then: "think 3",
			note: agentloop.NoteResumed},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			dir := t.TempDir()
			require.LessOrEqual(t, killChild(t, dir, task, c.at), 1)
			w := newFixture(t, dir)
			defer func() { w.close() }()
			sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
			require.NoError(t, err)
			id := sessions[0].ID
			if c.then != "" {
				w.close()
				killChild(t, dir, task, c.then, "TAPLOOP_TEST_SESSION="+id)
				w = newFixture(t, dir)
			}
			w.close()
			w.policy.think, w.opts.NewGate = 0, gateOf(task)
			w.begin()
			require.NoError(t, w.manager.Recover(w.ctx()))
			req := runs.ContinueRequest{SessionID: id}
			if c.then == "" {
				require.Equal(t, store.WaitingApproval, w.wait(id).Run.State)
				req.Reply = by(c.reply)
			}

			_, err = w.manager.Continue(w.ctx(), req)
			require.NoError(t, err)
			st := w.wait(id)

			require.Equal(t, store.Completed, st.Run.State, "%s %s", st.Reason, st.Message)
			require.Len(t, w.phones.phones["A"].done(), c.more)
			require.Len(t, w.questions(id), 1, "nobody is asked twice")
			require.Nil(t, st.Run.Progress.Pending)
			require.Empty(t, st.Run.Progress.Exchanges, "the model has asked nothing")
			var notes []agentloop.NoteKind
			for _, n := range w.policy.seen[0].Notes {
				notes = append(notes, n.Kind)
			}
			if c.note == "" {
				require.Empty(t, notes)
			} else {
				require.Contains(t, notes, c.note)
			}
		})
	}
}
