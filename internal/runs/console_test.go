package runs_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// openWithoutConsole leaves a question that a client was to answer, and gives the manager a person.
func openWithoutConsole(t *testing.T, w *fixture, p *person) runs.Status {
	t.Helper()
	st := withMode(w, channel.PassToClient, "ask tap tap tap tap")
	require.Equal(t, store.WaitingReply, st.Run.State)
	w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
	st, err := w.manager.Continue(w.ctx(),
		runs.ContinueRequest{SessionID: st.Session.ID, Here: true})
	require.NoError(t, err)
	return st
}

func TestAQuestionIsAskedHereWhoeverWasToAnswerIt(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := openWithoutConsole(t, w, &person{lines: []string{"2"}})
		err := w.manager.AskHere(w.ctx(), *st.Question,
			&runs.ContinueRequest{SessionID: st.Session.ID, MaxSteps: 3})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, agentloop.MaxStepsReached, st.Reason, "as the caller wished")
		require.Equal(t, "blue", st.Run.Progress.Exchanges[0].Answer)
		q := w.questions(st.Session.ID)[0]
		require.Equal(t, "console", q.Resolution.Channel)
		require.Equal(t, "local_operator", q.Resolution.Authority)
	})
}

func TestAQuestionThatIsLeftHereIsAsOpenAsBefore(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := openWithoutConsole(t, w, &person{gone: true})
		before := w.questions(st.Session.ID)
		err := w.manager.AskHere(w.ctx(), *st.Question, nil)
		require.ErrorIs(t, err, io.EOF)
		require.EqualError(t, err, "the input at the terminal has ended")
		require.Equal(t, before, w.questions(st.Session.ID))
		w.again(func(o *runs.Options) { o.Asking.Console = nil })
		require.ErrorIs(t, w.manager.AskHere(w.ctx(), *st.Question, nil), io.EOF, "no console")
	})
}

// What is typed for a question of another kind is no answer.
func TestAStrayCommandIsNoAnswer(t *testing.T) {
	for task, c := range map[string]struct {
		lines  []string
		answer string
	}{
		"askhand": {[]string{"/approve", "/cannot no code came"}, "no code came"},
		"ask tap": {[]string{"/done", "/reject no", "/home"}, "/home"},
	} {
		t.Run(task, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				p := &person{lines: c.lines}
				w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
				st := withMode(w, channel.ManualReply, task)
				require.Equal(t, store.Completed, st.Run.State, "%s", st.Message)
				require.Contains(t, p.prompts[1], "is for another kind of question")
				q := w.questions(st.Session.ID)[0]
				require.Equal(t, c.answer, q.Resolution.Response.Reveal())
			})
		})
	}
}

func TestAQuestionThatIsSettledElsewhereIsTakenFromHere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{}
		st := openWithoutConsole(t, w, p)
		time.AfterFunc(time.Minute, func() { w.reply(st.Session.ID, "red") })
		require.NoError(t, w.manager.AskHere(w.ctx(), *st.Question, nil))
		require.ErrorContains(t, p.left, "the question was answered elsewhere")
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}
