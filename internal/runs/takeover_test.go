package runs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

var ann = runs.Actor{Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken,
	Name: "Ann"}

// take takes the phone of a session over.
func (w *fixture) take(id string) (runs.Status, error) {
	return w.manager.Stop(w.ctx(),
		runs.StopRequest{SessionID: id, Mode: runs.Takeover, By: ann})
}

// handBack answers the take-over, and gives how the run ends.
func (w *fixture) handBack(id string, typ inquiry.Type, words string) runs.Status {
	w.t.Helper()
	_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
		Reply: &inquiry.Reply{Type: typ, Response: words, Authority: ann.Authority}})
	require.NoError(w.t, err)
	return w.wait(id)
}

// byHand touches the phone as a person, and says whether that was allowed.
func (w *fixture) byHand(what string) error {
	return w.manager.Touch(w.ctx(), runs.ByHand{Serial: "A", By: ann, What: what},
		func(context.Context) error { return nil })
}

func TestAQuestionWhoseAnswerIsAnActHandsThePhoneOver(t *testing.T) {
	for _, c := range []struct {
		typ           inquiry.Type
		words, answer string
		outcome       actions.Outcome
		secret        bool
	}{
		{typ: inquiry.TypeDone, answer: "done", outcome: actions.HandedBack},
		{words: "Done!", answer: "Done!", outcome: actions.HandedBack},
		{typ: inquiry.TypeCouldNot, words: "no code came", answer: "no code came",
			outcome: actions.CouldNot},
		{typ: inquiry.TypeCouldNot, answer: "no reason was given", outcome: actions.CouldNot},
		{words: "use the other account", answer: "use the other account",
			outcome: actions.Answered},
		{words: "482913", answer: "given, and kept secret; to enter it, TYPE exactly {{secret}}",
			outcome: actions.Answered, secret: true},
	} {
		bubble(t, func(t *testing.T, w *fixture) {
			st := w.wait(w.start("tap askhand").Session.ID)
			require.Equal(t, store.WaitingTakeover, st.Run.State)
			require.Equal(t, agentloop.TakeoverNeeded, st.Reason)
			require.Equal(t, inquiry.KindTakeover, st.Question.Kind)
			require.False(t, st.Question.Secret)

			end := w.handBack(st.Session.ID, c.typ, c.words)

			require.Equal(t, store.Completed, end.Run.State)
			require.Equal(t, []actions.Exchange{{Question: st.Question.Text, Answer: c.answer,
				Outcome: c.outcome}}, w.policy.last().Exchanges)
			require.Equal(t, c.secret, w.questions(st.Session.ID)[0].Secret)
			require.Equal(t, []string{"tap"}, w.phones.phones["A"].done(),
				"nothing is typed")
		})
	}
}

func TestAPersonTakesARunningPhoneOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Lang = "zh" }) // the model's, not the person's
		id := w.start("tap forever").Session.ID
		time.Sleep(2500 * time.Millisecond)

		st, err := w.take(id)

		require.NoError(t, err)
		require.Equal(t, store.WaitingTakeover, st.Run.State)
		require.Equal(t, agentloop.TakeoverNeeded, st.Reason)
		touched := len(w.phones.phones["A"].done())
		again, err := w.take(id)
		require.NoError(t, err)
		require.Equal(t, st.Question.ID, again.Question.ID, "taking over again changes nothing")
		time.Sleep(time.Hour)
		require.Len(t, w.phones.phones["A"].done(), touched, "the agent has let go")
		require.Len(t, w.questions(id), 1)

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
			Reply: &inquiry.Reply{Type: inquiry.TypeDone, Authority: ann.Authority}})
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		require.Greater(t, len(w.phones.phones["A"].done()), touched, "it goes on")
		x := w.policy.last().Exchanges[0]
		require.Equal(t, actions.HandedBack, x.Outcome)
		require.Equal(t, "The phone is in a person's hands.", x.Question)
		audit, err := w.store.Audit.List(w.ctx(),
			store.AuditFilter{Event: store.AuditTakenOver})
		require.NoError(t, err)
		require.Len(t, audit, 1)
		require.Equal(t, "Ann", audit[0].By)
	})
}

// Whatever the run does, a person gets the phone; what it has asked is withdrawn and told so.
func TestAPersonTakesOverWhateverTheRunDoes(t *testing.T) {
	for name, begin := range map[string]func(w *fixture) string{
		"asks": func(w *fixture) string {
			return w.wait(w.start("ask tap").Session.ID).Session.ID
		},
		"is paused": func(w *fixture) string {
			id := w.start("tap tap").Session.ID
			_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
			require.NoError(w.t, err)
			return id
		},
		"is paused while it asks": func(w *fixture) string {
			id := w.wait(w.start("ask tap").Session.ID).Session.ID
			_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
			require.NoError(w.t, err)
			return id
		},
		"waits for consent": func(w *fixture) string {
			w.again(func(o *runs.Options) { o.NewGate = gateOf("consent") })
			return w.wait(w.start("tap consent").Session.ID).Session.ID
		},
		"asks nobody": func(w *fixture) string {
			id := withMode(w, channel.NoReply, "ask giveup").Session.ID
			require.Equal(w.t, store.Aborted, w.stands(id).Run.State)
			st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap forever",
				Settings: runs.Settings{ReplyMode: channel.NoReply}})
			require.NoError(w.t, err)
			time.Sleep(time.Second)
			return st.Session.ID
		},
	} {
		bubble(t, func(t *testing.T, w *fixture) {
			id := begin(w)
			st, err := w.take(id)
			require.NoError(t, err, name)
			require.Equal(t, store.WaitingTakeover, st.Run.State, name)
			time.Sleep(20 * time.Minute)
			require.Equal(t, store.WaitingTakeover, w.stands(id).Run.State,
				"%s: handing back stays a deliberate act", name)
			require.NoError(t, w.byHand("tap"), name)
			for _, q := range w.questions(id) {
				want := inquiry.Withdrawn
				if q.ID == st.Question.ID {
					want = inquiry.Pending
				}
				require.Equal(t, want, q.Status, name)
			}
			_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
				Reply: &inquiry.Reply{Type: inquiry.TypeCouldNot, Response: "no time",
					Authority: ann.Authority}})
			require.NoError(t, err, name)
			time.Sleep(1500 * time.Millisecond)
			x := w.policy.last().Exchanges
			require.Equal(t, actions.CouldNot, x[len(x)-1].Outcome, name)
			require.Nil(t, w.policy.last().Pending, name)
			_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
			require.NoError(t, err)
		})
	}
}

func TestAPhoneIsTouchedByHandOnlyWhileItIsTakenOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		refused := func(why string) {
			t.Helper()
			require.Equal(t, runs.NothingToTakeOver, runs.CodeOf(w.byHand("tap")), why)
		}
		refused("nobody has the phone")
		id := w.start("tap forever").Session.ID
		refused("the agent has it")
		_, err := w.take(id)
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, w.byHand("tap"))
		}
		require.NoError(t, w.byHand("text"))
		gone := errors.New("the phone does not take it")
		err = w.manager.Touch(w.ctx(), runs.ByHand{Serial: "A", By: ann, What: "text"},
			func(context.Context) error { return gone })
		require.ErrorIs(t, err, gone, "and it is not counted")
		other := "somebody else"
		err = w.manager.Touch(w.ctx(), runs.ByHand{Serial: "A", Owners: store.Owners{other}},
			func(context.Context) error { panic("touched") })
		require.Equal(t, runs.NothingToTakeOver, runs.CodeOf(err))

		// The agent waits for a touch that has begun.
		begun, end := make(chan bool), make(chan bool)
		go func() {
			_ = w.manager.Touch(w.ctx(), runs.ByHand{Serial: "A", By: ann, What: "swipe"},
				func(context.Context) error { close(begun); <-end; return nil })
		}()
		<-begun
		before := len(w.phones.phones["A"].done())
		_, err = w.manager.Broker().Resolve(w.ctx(), w.stands(id).Question.ID,
			inquiry.Reply{Type: inquiry.TypeDone, Channel: inquiry.ChannelPage,
				Authority: ann.Authority})
		require.NoError(t, err)
		time.Sleep(time.Minute)
		require.Len(t, w.phones.phones["A"].done(), before)
		close(end)
		time.Sleep(3 * time.Second)
		require.Greater(t, len(w.phones.phones["A"].done()), before)
		refused("the agent has it back")

		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
		require.NoError(t, err)
		refused("the run has ended")
		synctest.Wait()
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{Event: store.AuditByHand})
		require.NoError(t, err)
		require.Len(t, audit, 1)
		require.Equal(t, "swipe 1, tap 3, text 1", audit[0].Text)
		require.Equal(t, "Ann", audit[0].By)
	})
}

func TestThereHasToBeARunToTakeThePhoneOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.wait(w.start("tap").Session.ID).Session.ID
		_, err := w.take(id)
		require.Equal(t, runs.NothingToTakeOver, runs.CodeOf(err))
		require.Equal(t, store.Completed, w.stands(id).Run.State)

		w.start("tap forever")
		queued, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true})
		require.NoError(t, err)
		_, err = w.take(queued.Session.ID)
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		require.Equal(t, store.Queued, w.stands(queued.Session.ID).Run.State)
	})
}

func TestALockedScreenIsHandedOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.HandOver, o.ConsoleLang = true, "zh" })
		w.phones.phones["A"].wake = screen.ErrLocked
		st := w.wait(w.start("tap").Session.ID)
		require.Equal(t, store.WaitingTakeover, st.Run.State)
		require.Equal(t, "手机已锁屏，请手动解锁。", st.Question.Text)

		still := w.handBack(st.Session.ID, inquiry.TypeDone, "")
		require.Equal(t, store.WaitingTakeover, still.Run.State, "it is locked all the same")
		require.NotEqual(t, st.Question.ID, still.Question.ID)

		w.phones.phones["A"].wake = nil
		end := w.handBack(st.Session.ID, inquiry.TypeDone, "")
		require.Equal(t, store.Completed, end.Run.State)
		require.Equal(t, actions.HandedBack, w.policy.last().Exchanges[0].Outcome)

		w.phones.phones["A"].wake = screen.ErrLocked
		nobody := withMode(w, channel.NoReply, "tap")
		require.Equal(t, agentloop.ScreenLocked, nobody.Reason, "nobody is to be asked")
	})
}

// A person who is asked to take over stops the run instead.
func TestATakeoverThatIsStoppedEndsTheRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("askhand tap").Session.ID)
		end, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID, By: ann})
		require.NoError(t, err)
		require.Equal(t, store.Cancelled, end.Run.State)
		require.Equal(t, inquiry.Withdrawn, w.questions(st.Session.ID)[0].Status)
		require.Empty(t, w.phones.phones["A"].done())
	})
}

// A gate may want a person to do something instead of the agent.
func TestAProgramTakesNoPhoneFromAPerson(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.start("slow")
		_, err := w.take(st.Session.ID)
		require.NoError(t, err)
		for _, authority := range []string{inquiry.AuthorityToken, inquiry.AuthorityClientModel,
			inquiry.AuthorityAgent} {
			by := runs.Actor{Channel: inquiry.ChannelMCP, Authority: authority}
			for _, mode := range []runs.StopMode{runs.Cancel, runs.Pause} {
				_, err := w.manager.Stop(w.ctx(),
					runs.StopRequest{SessionID: st.Session.ID, Mode: mode, By: by})
				require.Equal(t, runs.Forbidden, runs.CodeOf(err))
			}
			_, err := w.manager.Start(w.ctx(),
				runs.StartRequest{Task: "another", Supersede: true, By: by})
			require.Equal(t, runs.Forbidden, runs.CodeOf(err))
		}
		require.NoError(t, w.byHand("tap"))
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID, By: ann})
		require.NoError(t, err)
	})
}

func TestAGateHandsThePhoneOver(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate { return byHandOnly{} }
		})
		st := w.wait(w.start("tap").Session.ID)
		require.Equal(t, store.WaitingTakeover, st.Run.State)
		require.NotNil(t, st.Run.Progress.Pending)

		end := w.handBack(st.Session.ID, inquiry.TypeDone, "paid")

		require.Equal(t, store.Completed, end.Run.State)
		require.Empty(t, w.phones.phones["A"].done(),
			"the agent does not do it a second time")
		last := w.policy.last()
		require.Equal(t, "paid", last.Exchanges[0].Answer)
		require.True(t, strings.HasPrefix(last.Notes[len(last.Notes)-1].Text("en"),
			"The run was stopped before the action CLICK"))
	})
}

type byHandOnly struct{}

func (byHandOnly) Check(_ context.Context, s agentloop.Situation, _ actions.Decision) (
	agentloop.Verdict, error) {
	return agentloop.Ask(agentloop.Question{Kind: agentloop.KindTakeover, Text: "Please pay"}), nil
}

// A server that ends, in whichever way, does not end a take-over.
func TestATakeoverOutlivesTheServer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		before, err := w.take(id)
		require.NoError(t, err)
		touched := len(w.phones.phones["A"].done())
		require.NoError(t, w.byHand("tap"))

		w.again(func(*runs.Options) {})

		require.NoError(t, w.manager.Recover(w.ctx()))
		st := w.stands(id)
		require.Equal(t, store.WaitingTakeover, st.Run.State)
		require.Equal(t, before.Question.ID, st.Question.ID)
		require.NoError(t, w.byHand("tap"), "the phone is the person's still")
		require.Len(t, w.phones.phones["A"].done(), touched)
		end := w.handBack(id, inquiry.TypeDone, "")
		require.Equal(t, store.Completed, end.Run.State)
		require.Len(t, w.phones.phones["A"].done(), 3, "nothing is done twice")
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{Event: store.AuditByHand})
		require.NoError(t, err)
		require.Len(t, audit, 2)
		require.Equal(t, "tap 1", audit[0].Text, "the first server has noted it")
	})
}
