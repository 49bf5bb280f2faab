package runs_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// begun starts a run and gives it time to ask.
func begun(w *fixture, mode channel.Mode, task string) runs.Status {
	w.t.Helper()
	st, err := w.manager.Start(
		w.ctx(),
		runs.StartRequest{
			Task:            task,
			KeepEnvironment: true,
			Settings:        runs.Settings{ReplyMode: mode},
		},
	)
	require.NoError(w.t, err)
	time.Sleep(20 * time.Second)
	return w.stands(st.Session.ID)
}

func (w *fixture) stands(id string) runs.Status {
	w.t.Helper()
	synctest.Wait()
	st, err := w.manager.Status(w.ctx(), id)
	require.NoError(w.t, err)
	return st
}

func TestChannelsAskOneAfterTheOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := &oracle{}
		w.again(func(opts *runs.Options) {
			opts.Asking.Answerer, opts.Asking.Console, opts.Asking.Channels = o, terminal.New(&person{}, "en"),
				[]string{"page"}
		})
		st := begun(w, "manual_reply (60s) -> auto_reply", "ask tap")
		require.Equal(t, channel.ManualReply, st.Asking)
		require.Equal(t, store.WaitingReply, st.Run.State)
		require.Equal(t, agentloop.StillRunning, st.Reason, "somebody else is being asked")
		require.NotNil(t, st.Question)
		var names []string
		for _, d := range st.Question.Channels {
			names = append(names, d.Name)
		}
		require.Equal(t, []string{"manual_reply", "auto_reply", "page"}, names)
		require.Equal(t, st.Question.AskedAt.Add(time.Minute), st.Question.Channels[0].Until)
		require.Zero(t, st.Question.Channels[1].Until)

		time.Sleep(30 * time.Second)
		require.Equal(t, channel.ManualReply, w.stands(st.Session.ID).Asking)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, actions.ModelAnswer, st.Run.Progress.Exchanges[0].Outcome)
		q := w.questions(st.Session.ID)[0]
		require.Equal(t, "model", q.Resolution.Channel)
		require.WithinRange(t, q.Resolution.At, q.AskedAt.Add(time.Minute),
			q.AskedAt.Add(61*time.Second))
	})
}

func TestAChannelThatHasNoAnswerPassesOnAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.Asking.Console = terminal.New(&person{lines: []string{"green"}},
				"en")
		})
		st := begun(w, "elicit -> manual_reply", "ask tap")
		require.Equal(t, channel.Elicit, st.Asking)
		require.Equal(t, agentloop.InfoNeedsReply, st.Reason,
			"a call that can show a form is wanted")

		w.manager.Desk().Decline(*st.Question, channel.PassToClient, "it is not its turn")
		require.Equal(t, channel.Elicit, w.stands(st.Session.ID).Asking)
		w.manager.Desk().Decline(*st.Question, channel.Elicit, "the client shows no forms")
		require.Equal(t, "done green", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestNobodyLeftLeavesTheQuestionToEverybodyAndSaysWhy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := begun(w, "elicit", "ask tap")
		w.manager.Desk().Decline(*st.Question, channel.Elicit, "the client shows no forms")
		st = w.stands(st.Session.ID)
		require.Empty(t, st.Asking)
		require.Equal(t, "the client shows no forms", st.Message)
		require.Equal(t, store.WaitingReply, st.Run.State)
		w.reply(st.Session.ID, "red")
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestNoReplyAtTheEndTellsTheRunToGoOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := begun(w, "pass_to_client (1m) -> no_reply", "ask tap")
		require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
		time.Sleep(time.Minute)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, actions.Silence, st.Run.Progress.Exchanges[0].Outcome)
	})
}

func TestAnAnswerFromElsewhereKeepsTheCallsSteps(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Asking.Answerer = &oracle{} })
		st, err := w.manager.Start(
			w.ctx(),
			runs.StartRequest{Task: "tap ask tap ask tap", MaxSteps: 5, KeepEnvironment: true,
				Settings: runs.Settings{ReplyMode: channel.AutoReply}},
		)
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, agentloop.MaxStepsReached, st.Reason, "answers bring no new steps")
		require.Equal(t, store.Paused, st.Run.State)
		require.Equal(t, 5, st.Local)
		require.Len(t, st.Steps, 5)
		require.Equal(t, 5, st.Run.MaxSteps)

		// Asked at the last step: the answer is kept, and the next call goes on with it.
		st, err = w.manager.Start(
			w.ctx(),
			runs.StartRequest{Task: "tap ask", MaxSteps: 2, KeepEnvironment: true,
				Settings: runs.Settings{ReplyMode: channel.AutoReply}},
		)
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, agentloop.MaxStepsReached, st.Reason)
		require.Len(t, st.Run.Progress.Exchanges, 1)
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
	})
}

func TestTheConsoleIsAskedAgainAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(&person{}, "en") })
		st := begun(w, channel.ManualReply, "ask tap")
		id := st.Question.ID
		w.again(func(o *runs.Options) {
			o.Asking.Console = terminal.New(&person{lines: []string{"blue"}},
				"en")
		})
		require.NoError(t, w.manager.Recover(w.ctx()))
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
		require.Equal(t, id, w.questions(st.Session.ID)[0].ID)
		require.Len(t, w.questions(st.Session.ID), 1)
	})
}

func TestAQuestionThatNoChannelAnsweredIsAskedAnewAfterARestartOrAPause(t *testing.T) {
	for _, restart := range []bool{true, false} {
		bubble(t, func(t *testing.T, w *fixture) {
			o := &oracle{err: errors.New("connection refused")}
			w.again(func(opts *runs.Options) { opts.Asking.Answerer = o })
			st := begun(w, channel.AutoReply, "ask tap")
			require.Empty(t, st.Asking)
			require.Contains(t, st.Message, "auto_reply had no answer: connection refused")
			o.err = nil
			require.Equal(t, st.Message, w.stands(st.Session.ID).Message,
				"it is not asked again by itself")
			if restart {
				w.again(func(*runs.Options) {})
				require.NoError(t, w.manager.Recover(w.ctx()))
			} else {
				_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID,
					Mode: runs.Pause})
				require.NoError(t, err)
				_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
				require.NoError(t, err)
			}
			require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
			require.Equal(t, 2, o.frames)
		})
	}
}

func TestAPausedRunLeavesTheConsoleAlone(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st := begun(w, channel.ManualReply, "ask tap")
		_, err := w.manager.Stop(w.ctx(),
			runs.StopRequest{SessionID: st.Session.ID, Mode: runs.Pause})
		require.NoError(t, err)
		st = w.stands(st.Session.ID)
		require.Equal(t, store.Paused, st.Run.State)
		require.NotNil(t, st.Question)
		require.Empty(t, st.Asking)

		p.mu.Lock()
		p.lines = []string{"red"}
		p.mu.Unlock()
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
		require.Len(t, p.prompts, 2)
	})
}

func TestSilenceAfterTheLastChannel(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		o := &oracle{err: errors.New("away")}
		w.again(func(opts *runs.Options) {
			opts.Asking.Answerer, opts.OnTimeout, opts.Asking.Attention = o, inquiry.GiveUp, time.Minute
		})
		st := begun(w, "pass_to_client (30s) -> auto_reply", "ask tap")
		require.Equal(t, st.Question.AskedAt.Add(90*time.Second), st.Question.AttentionUntil)
		time.Sleep(time.Hour) // the sweep comes every half an hour here
		st = w.stands(st.Session.ID)
		require.Equal(t, store.Aborted, st.Run.State)
		require.Equal(t, agentloop.QuestionTimedOut, st.Reason)
	})
}

func TestNoReplyComesAsSoonAsNoOtherChannelIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := begun(w, "elicit (60s) -> no_reply", "ask tap")
		began := time.Now()
		w.manager.Desk().Decline(*st.Question, channel.Elicit, "the client shows no forms")
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, actions.Silence, st.Run.Progress.Exchanges[0].Outcome)
		require.Less(t, time.Since(began), 20*time.Second)
	})
}

func TestAQuestionThatIsPersonalIsAskedOfNoModel(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Asking.Answerer = &oracle{} })
		st := begun(w, channel.AutoReply, "askperson tap")
		require.Equal(t, store.WaitingReply, st.Run.State)
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID,
			Reply: &inquiry.Reply{Response: "red"}})
		require.Equal(t, runs.Forbidden, runs.CodeOf(err), "a client's model is none")
		by := runs.ContinueRequest{SessionID: st.Session.ID, Reply: &inquiry.Reply{
			Response: "red", Authority: inquiry.AuthorityLocalOperator}}
		_, err = w.manager.Continue(w.ctx(), by)
		require.ErrorContains(t, err, "does not say which question", "it may be a newer one")
		by.QuestionID = st.Question.ID
		_, err = w.manager.Continue(w.ctx(), by)
		require.NoError(t, err)
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}
