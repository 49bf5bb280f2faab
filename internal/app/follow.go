package app

import (
	"context"
	"errors"
	"io"
	"os/user"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

// UserName is the name of this user, or "" if the system does not tell.
func UserName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return text.Line(u.Username)
}

// Operator is this user, for the audit.
func Operator() runs.Actor {
	return runs.Actor{Channel: inquiry.ChannelCommandLine,
		Authority: inquiry.AuthorityLocalOperator, Name: UserName()}
}

// AskHere says how WaitForEnd puts questions to the person at the terminal.
type AskHere struct {
	How  *runs.ContinueRequest // continues the run with the answer to the first question
	Left func() bool           // whether the person has left, so that nothing more is asked
}

// WaitForEnd waits until the run ends, pauses or waits for an answer. Unless here is nil, it asks
// the run's questions at the terminal and continues. When ctx ends it pauses a run that is under
// way.
func WaitForEnd(ctx context.Context, m *runs.Manager, st runs.Status, here *AskHere) (
	runs.Status, error) {
	id := st.Session.ID
	var how *runs.ContinueRequest
	if here != nil {
		how = here.How
	}
	for first := true; ; first = false {
		open := here != nil && st.Question != nil && st.Run.State.Waiting()
		if open && (first || st.Reason != agentloop.StillRunning) && !here.Left() {
			err := m.AskHere(ctx, *st.Question, how)
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				st.Reason = st.Run.StopReason
				return st, nil
			}
			if how = nil; err != nil {
				return st, err
			}
		} else if st.Reason != agentloop.StillRunning {
			return st, nil
		}
		next, err := m.Wait(ctx, runs.WaitRequest{SessionID: id, Budget: time.Hour})
		if ctx.Err() != nil {
			return m.Stop(context.WithoutCancel(ctx),
				runs.StopRequest{SessionID: id, Mode: runs.Pause, By: Operator()})
		}
		if err != nil {
			return st, err
		}
		st = next
	}
}

// PlayOut runs a task on a phone that is gone afterwards, and answers its questions. It returns the
// status that the run had before it was stopped for good.
func PlayOut(ctx context.Context, m *runs.Manager, r runs.StartRequest,
	began func(runs.Status), answer func(question string) (string, error)) (
	st runs.Status, err error) {
	if st, err = m.Start(ctx, r); err != nil {
		return st, err
	}
	began(st)
	defer func() { // nothing may wait for the phone
		if _, stop := m.Stop(context.WithoutCancel(ctx),
			runs.StopRequest{SessionID: st.Session.ID}); stop != nil {
			err = errors.Join(err, stop)
		}
	}()
	for {
		st, err = WaitForEnd(ctx, m, st, nil)
		if err != nil || !st.Run.State.Waiting() {
			return st, err
		}
		words, err := answer(st.Question.Text)
		if err != nil {
			return st, err
		}
		st, err = m.Continue(ctx, runs.ContinueRequest{SessionID: st.Session.ID,
			QuestionID: st.Question.ID, Reply: &inquiry.Reply{Response: words,
				Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator}})
		if err != nil {
			return st, err
		}
	}
}
