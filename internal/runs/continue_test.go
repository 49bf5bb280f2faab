package runs_test

import (
	"fmt"
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
)

func TestAnAnswerIsAppliedAndTheRunGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("tap ask tap").Session.ID)
		id := st.Session.ID
		require.Equal(t, agentloop.InfoNeedsReply, st.Reason)
		require.Equal(t, "question 1?", st.Question.Text)
		require.Equal(t, []string{"red", "blue"}, inquiry.As[inquiry.Ask](*st.Question).Options)
		require.Equal(t, "tap ask tap", st.Question.Task)
		require.Equal(t, 1, st.Question.Round)
		frame, err := w.store.Frame(w.ctx(), st.Question.Frame)
		require.NoError(t, err)
		require.NotEmpty(t, frame)
		require.Equal(t, 2, st.Local)

		w.reply(id, "red")
		st = w.wait(id)

		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, "done red", st.Run.Answer)
		require.Equal(t, 2, st.Local, "steps count anew in each call")
		require.Equal(t, 4, st.Session.Steps)
		require.Len(t, st.Steps, 2)
		require.Equal(t, []string{"tap", "tap"}, w.phones.phones["A"].done(),
			"the phone is left as it was")
		require.Equal(t,
			[]actions.Exchange{{Question: "question 1?", Answer: "red", Outcome: actions.Answered}},
			st.Run.Progress.Exchanges)
		q, err := w.manager.Broker().Get(w.ctx(), w.questions(id)[0].ID)
		require.NoError(t, err)
		require.Equal(t, "client", q.Resolution.Channel)
		require.Equal(t, "client_model", q.Resolution.Authority)
		require.False(t, q.AppliedAt.IsZero())
	})
}

func (w *fixture) questions(id string) []inquiry.Question {
	qs, err := w.store.Questions.List(w.ctx(), inquiry.Filter{SessionID: id})
	require.NoError(w.t, err)
	return qs
}

func TestTwentyQuestionsInARow(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		task, want := "", "done"
		for i := range 20 {
			task += "ask "
			want += fmt.Sprintf(" answer %d", i+1)
		}
		st := w.start(task)
		for i := range 20 {
			st = w.wait(st.Session.ID)
			require.Equal(t, fmt.Sprintf("question %d?", i+1), st.Question.Text)
			require.Equal(t, i+1, st.Question.Round)
			w.reply(st.Session.ID, fmt.Sprintf("answer %d", i+1))
		}
		st = w.wait(st.Session.ID)
		require.Equal(t, want, st.Run.Answer)
		require.Equal(t, 21, st.Session.Steps)
	})
}

func TestARefusalIsToldAsOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask").Session.ID)
		_, err := w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: st.Session.ID,
				Reply: &inquiry.Reply{Type: inquiry.TypeDecline}})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, actions.Refused, st.Run.Progress.Exchanges[0].Outcome)
	})
}

func TestAnEmptyReplyIsRefusedAndTheQuestionStaysOpen(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask").Session.ID)
		before := w.facts()
		for _, c := range []runs.ContinueRequest{
			{Reply: &inquiry.Reply{Response: "  "}},
			{Reply: &inquiry.Reply{Response: "red"}, MaxSteps: -1},
			{Reply: &inquiry.Reply{Response: "red"}, Settings: &runs.Settings{ReplyMode: "x"}},
			{Reply: &inquiry.Reply{Response: "red"}, Task: "something else"},
		} {
			c.SessionID = st.Session.ID
			_, err := w.manager.Continue(w.ctx(), c)
			require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
			require.Equal(t, before, w.facts())
		}
	})
}

func TestTheTaskMayBeRepeatedWithTheReply(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap").Session.ID)
		_, err := w.manager.Continue(
			w.ctx(),
			runs.ContinueRequest{
				SessionID: st.Session.ID,
				Task:      " ask  tap ",
				Reply:     &inquiry.Reply{Response: "red"},
			},
		)
		require.NoError(t, err)
		require.Equal(t, "done red", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestTheSameReplyAgainIsTheSameSuccess(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.wait(w.start("ask tap tap tap").Session.ID).Session.ID
		req := runs.ContinueRequest{SessionID: id, Reply: &inquiry.Reply{Response: "red", ID: "r1"}}
		first, err := w.manager.Continue(w.ctx(), req)
		require.NoError(t, err)
		require.False(t, first.Replayed)

		for range 3 {
			again, err := w.manager.Continue(w.ctx(), req)
			require.NoError(t, err)
			require.True(t, again.Replayed)
			time.Sleep(1500 * time.Millisecond)
		}
		req.Reply = &inquiry.Reply{Response: "blue", ID: "r1"}
		_, err = w.manager.Continue(w.ctx(), req)
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))

		st := w.wait(id)
		require.Equal(t, "done red", st.Run.Answer)
		require.Len(t, st.Run.Progress.Exchanges, 1, "applied once")
	})
}

func TestAReplyToASettledQuestionNamesTheWinner(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap tap").Session.ID)
		_, err := w.manager.Broker().
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "blue", Channel: "http",
				Authority: "human_token"})
		require.NoError(t, err)
		synctest.Wait()
		before := w.facts()

		_, err = w.manager.Continue(
			w.ctx(),
			runs.ContinueRequest{
				SessionID: st.Session.ID,
				Reply:     &inquiry.Reply{Response: "red"}, QuestionID: st.Question.ID,
			},
		)

		var e *runs.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runs.QuestionAlreadyResolved, e.Code)
		require.Equal(t, "http", e.Question.Resolution.Channel)
		require.ErrorContains(t, err, "answered by http (human_token)")
		require.Equal(t, before, w.facts())
		_, err = w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: st.Session.ID, Reply: &inquiry.Reply{Response: "red"}})
		require.Equal(t, runs.NoOpenQuestion, runs.CodeOf(err))
		require.ErrorContains(t, err, "the last one was answered through http")
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestAReplyToAnOlderQuestionNamesTheCurrentOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.wait(w.start("ask ask").Session.ID)
		w.reply(first.Session.ID, "red")
		second := w.wait(first.Session.ID)
		require.NotEqual(t, first.Question.ID, second.Question.ID)
		before := w.facts()

		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: first.Session.ID,
			Reply: &inquiry.Reply{Response: "blue"}, QuestionID: first.Question.ID})

		var e *runs.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runs.QuestionSuperseded, e.Code)
		require.Equal(t, second.Question.ID, e.Question.ID)
		require.Equal(t, before, w.facts())

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: first.Session.ID,
			Reply: &inquiry.Reply{Response: "blue"}, QuestionID: "made up"})
		require.Equal(t, runs.NoOpenQuestion, runs.CodeOf(err))
		require.Equal(t, before, w.facts())
	})
}

func TestAQuestionOfAnotherSessionCannotBeAnswered(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.phones["B"] = newFakePhones("B").phones["B"]
		a, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Serial: "A"})
		require.NoError(t, err)
		b, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Serial: "B"})
		require.NoError(t, err)
		theirs := w.wait(b.Session.ID).Question.ID
		w.wait(a.Session.ID)

		_, err = w.manager.Continue(
			w.ctx(),
			runs.ContinueRequest{
				SessionID: a.Session.ID,
				Reply:     &inquiry.Reply{Response: "red"}, QuestionID: theirs,
			},
		)

		require.Equal(t, runs.NoOpenQuestion, runs.CodeOf(err))
		require.True(t, w.questions(b.Session.ID)[0].Open())
	})
}

func TestMoreStepsGoOnFromWhereTheRunStopped(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(
			w.ctx(),
			runs.StartRequest{Task: "tap tap tap tap", MaxSteps: 2, KeepEnvironment: true,
				Settings: runs.Settings{ReplyMode: channel.NoReply}},
		)
		require.NoError(t, err)
		id := st.Session.ID
		require.Equal(t, agentloop.MaxStepsReached, w.wait(id).Reason)

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		st = w.wait(id)
		require.Equal(t, agentloop.MaxStepsReached, st.Reason,
			"the same limit as in the call before")
		require.Equal(t, []int{1, 2}, []int{st.Steps[0].Local, st.Steps[1].Local})
		require.Equal(t, []int{3, 4}, []int{st.Steps[0].Index, st.Steps[1].Index})
		require.Equal(t, channel.NoReply, st.Settings.ReplyMode)

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id, MaxSteps: 7})
		require.NoError(t, err)
		st = w.wait(id)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, 5, st.Session.Steps)
		require.Equal(t, agentloop.NoteResumed, w.policy.last().Notes[0].Kind)
		require.Len(t, w.phones.phones["A"].done(), 4)
	})
}

func TestARelatedTaskRunsInTheSameSession(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask noted").Session.ID)
		id := st.Session.ID
		w.reply(id, "red")
		w.wait(id)

		_, err := w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: id, Task: "tap", Serial: "A"})
		require.NoError(t, err)
		st = w.wait(id)

		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, 2, st.Run.Seq)
		require.Equal(t, "tap", st.Run.Task)
		require.Equal(t, 2, st.Local)
		require.Equal(t, 5, st.Session.Steps)
		require.Equal(t, []string{"tap"}, w.phones.phones["A"].done(), "environment kept")
		first := w.policy.seen[len(w.policy.seen)-2]
		require.Equal(
			t,
			[]agentloop.Note{
				{Kind: agentloop.NoteEarlierTask, Action: "ask noted", Detail: "done red"},
			},
			first.Notes,
		)
		require.Equal(t, []string{"noted"}, first.Remembered)
		require.Equal(t, "red", first.Exchanges[0].Answer)
		require.Zero(t, first.Questions)

		_, err = w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: id, Task: "tap", ResetEnvironment: true})
		require.NoError(t, err)
		w.wait(id)
		require.Equal(t, []string{"tap", "key home", "tap"}, w.phones.phones["A"].done())
	})
}

func TestAWaitingSessionKeepsItsPhoneForAWhile(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		asking := w.wait(w.start("ask tap").Session.ID)
		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))

		time.Sleep(31 * time.Minute)
		other, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "forever", KeepEnvironment: true})
		require.NoError(t, err)
		before := w.questions(asking.Session.ID)

		_, err = w.manager.Continue(w.ctx(),
			runs.ContinueRequest{SessionID: asking.Session.ID,
				Reply: &inquiry.Reply{Response: "red"}})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		require.Equal(t, before, w.questions(asking.Session.ID))

		// Through another channel the answer is taken, and the run waits for its turn.
		_, err = w.manager.Broker().
			Resolve(w.ctx(), asking.Question.ID, inquiry.Reply{Response: "blue", Channel: "http"})
		require.NoError(t, err)
		time.Sleep(time.Second)
		st, err := w.manager.Status(w.ctx(), asking.Session.ID)
		require.NoError(t, err)
		require.Equal(t, store.Queued, st.Run.State)
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: other.Session.ID})
		require.NoError(t, err)
		require.Equal(t, "done blue", w.wait(asking.Session.ID).Run.Answer)
	})
}

func TestCallsAtTheSameMomentAreCarriedOutOneAfterTheOther(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.wait(w.start("ask tap").Session.ID).Session.ID
		errs := make(chan error, 20)
		for i := range 20 {
			go func() {
				_, err := w.manager.Continue(
					w.ctx(),
					runs.ContinueRequest{
						SessionID: id,
						Reply:     &inquiry.Reply{Response: fmt.Sprint("answer ", i)},
					},
				)
				errs <- err
			}()
		}
		won := 0
		for range 20 {
			err := <-errs
			if err == nil {
				won++
				continue
			}
			require.Equal(t, runs.NoOpenQuestion, runs.CodeOf(err))
		}
		require.Equal(t, 1, won)
		require.Len(t, w.wait(id).Run.Progress.Exchanges, 1)
	})
}
