package runs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

func TestATaskRunsToItsEndByItself(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap"})
		require.NoError(t, err)
		require.Equal(t, agentloop.StillRunning, st.Reason)
		require.Equal(t, "A", st.Session.Serial)

		st = w.wait(st.Session.ID)

		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, agentloop.TaskCompleted, st.Reason)
		require.Equal(t, "done ", st.Run.Answer)
		require.Equal(t, []string{"key home", "tap", "tap"}, w.phones.phones["A"].done())
		require.Equal(t, 3, st.Local)
		require.Equal(t, 3, st.Session.Steps)
		require.Len(t, st.Steps, 3)
		require.Equal(t, "COMPLETE", st.Last.Proposal.Action.Verb())
		require.Equal(
			t,
			store.Usage{
				Steps:            3,
				Calls:            3,
				PromptTokens:     30,
				CompletionTokens: 3,
				Timing:           st.Usage.Timing,
			},
			st.Usage,
		)
		require.Equal(t, 3*time.Second, st.Usage.Timing.Decide)
		require.Equal(t, 40, st.Run.MaxSteps)
		require.Empty(t, st.Message)
		_, held, err := w.store.Leases.Holder(w.ctx(), "A")
		require.NoError(t, err)
		require.False(t, held)
	})
}

func TestTheRunOutlivesTheCallThatStartedIt(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		ctx, cancel := contextWithCancel(w)
		st, err := w.manager.Start(ctx, runs.StartRequest{Task: "tap"})
		require.NoError(t, err)
		cancel()

		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
	})
}

func TestACallThatCannotBeCarriedOutChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		req  runs.StartRequest
		code runs.Code
		says string
	}{
		{"no task", runs.StartRequest{Task: " \n"}, runs.InvalidArgument, "task is empty"},
		{"not text", runs.StartRequest{Task: "a\xff"}, runs.InvalidArgument, "not text"},
		{"negative steps", runs.StartRequest{Task: "tap", MaxSteps: -1}, runs.InvalidArgument,
			"max_steps is -1"},
		{"unknown mode", runs.StartRequest{Task: "tap",
			Settings: runs.Settings{ReplyMode: "telepathy"}}, runs.InvalidArgument,
			`unknown reply mode "telepathy"`},
		{"no console", runs.StartRequest{Task: "tap",
			Settings: runs.Settings{ReplyMode: channel.ManualReply}}, runs.InvalidArgument,
			"needs a console"},
		{"no answering model", runs.StartRequest{Task: "tap",
			Settings: runs.Settings{ReplyMode: channel.AutoReply}}, runs.InvalidArgument,
			"needs a model"},
		{"settings that are no JSON", runs.StartRequest{Task: "tap",
			Settings: runs.Settings{Client: []byte("{")}}, runs.InvalidArgument, "not JSON"},
		{"no such phone", runs.StartRequest{Task: "tap", Serial: "Z"}, runs.DeviceNotFound,
			`no phone "Z"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				_, err := w.manager.Start(w.ctx(), c.req)

				require.Equal(t, c.code, runs.CodeOf(err))
				require.ErrorContains(t, err, c.says)
				require.Empty(t, w.facts())
				require.Empty(t, w.phones.phones["A"].done())
			})
		})
	}
}

func TestTheLimitOfStepsIsTheSmallerOne(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for asked, want := range map[int]int{0: 40, 3: 3, 40: 40, 500: 40} {
			st, err := w.manager.Start(w.ctx(),
				runs.StartRequest{Task: "forever", MaxSteps: asked, KeepEnvironment: true})
			require.NoError(t, err)

			st = w.wait(st.Session.ID)

			require.Equal(t, agentloop.MaxStepsReached, st.Reason)
			require.Equal(t, store.Paused, st.Run.State)
			require.Equal(t, want, st.Local)
			require.Contains(t, st.Message, "steps of this call are used up")
			require.Contains(t, st.Hint, "more steps")
		}
	})
}

func TestSettingsReachThePolicy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		s := runs.Settings{
			ReplyMode: channel.NoReply,
			Captions:  true,
			Client:    []byte(`{"logs":true}`),
		}
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask", Settings: s})
		require.NoError(t, err)

		st = w.wait(st.Session.ID)

		require.Equal(t, []runs.Settings{s}, w.policy.settings)
		require.Equal(t, s, st.Settings)
		require.Equal(t, store.Completed, st.Run.State)
	})
}

func TestAPhoneThatCannotBeGotReadyStopsTheRun(t *testing.T) {
	for _, c := range []struct {
		err    error
		reason agentloop.StopReason
		state  store.State
	}{
		{screen.ErrLocked, agentloop.ScreenLocked, store.Paused},
		{screen.ErrDisconnected, agentloop.DeviceDisconnected, store.Paused},
		{screen.ErrDark, agentloop.ManualStop, store.Cancelled}, // put out while home is pressed
	} {
		bubble(t, func(t *testing.T, w *fixture) {
			w.phones.phones["A"].wake = c.err

			st := w.wait(w.start("tap").Session.ID)

			require.Equal(t, c.state, st.Run.State)
			require.Equal(t, c.reason, st.Reason)
			require.Contains(t, st.Message, "waking the phone")
			require.NotEmpty(t, st.Hint)
		})
	}
}

func TestAPanicEndsTheRunAndNotTheServer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.phones["A"].panics = true

		st := w.wait(w.start("tap").Session.ID)

		require.Equal(t, store.Paused, st.Run.State)
		require.Equal(t, agentloop.InternalError, st.Reason)
		require.Contains(t, st.Message, "out of paint")
		_, held, err := w.store.Leases.Holder(w.ctx(), "A")
		require.NoError(t, err)
		require.False(t, held)
	})
}

func TestALostModelPausesAndTheRunGoesOnWhenItIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.fails = errUnreachable
		st := w.wait(w.start("tap").Session.ID)
		require.Equal(t, store.Paused, st.Run.State)
		require.Equal(t, agentloop.ModelError, st.Reason)
		require.Contains(t, st.Message, "connection refused")

		w.policy.fails = nil
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)

		require.Equal(t, store.Completed, st.Run.State)
	})
}

func TestALostPhonePausesAndTheRunGoesOnWhenItIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		h := w.phones.unplug("A")

		st := w.wait(id)
		require.Equal(t, agentloop.DeviceDisconnected, st.Reason)
		require.Equal(t, store.Paused, st.Run.State)
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.Equal(t, runs.DeviceNotFound, runs.CodeOf(err))

		h.refuse = nil
		w.phones.phones["A"] = h
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestAModelThatIsNotReadyIsMetBeforeThePhoneIsTouched(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.policy.unready = errUnreachable
		st := w.wait(w.start("tap").Session.ID)
		require.Equal(t, store.Paused, st.Run.State)
		require.Equal(t, agentloop.ModelError, st.Reason)
		require.Contains(t, st.Message, "connection refused")
		require.Zero(t, st.Session.Steps)
		require.Empty(t, w.phones.phones["A"].done(), "not even the home key")

		w.policy.unready = nil
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, []string{"tap"}, w.phones.phones["A"].done())
	})
}

func TestTheFirstAppOfANewTaskBeginsAnew(t *testing.T) {
	for name, c := range map[string]struct {
		task string
		keep bool   // the phone as it is
		apps bool   // Options.KeepApps
		was  string // in front when the task began
		want []string
	}{
		"the first app only": {task: "tap open:Notes open:Clock open:Notes",
			want: []string{"key home", "tap", "relaunch Notes unless []", "launch Clock",
				"launch Notes"}},
		"an app that the task has used by then goes on": {task: "tap open:Chat", was: "Chat",
			want: []string{"key home", "tap", "relaunch Chat unless [Chat]"}},
		"a phone that is left as it is": {task: "open:Notes", keep: true,
			want: []string{"launch Notes"}},
		"apps that are kept": {task: "open:Notes", apps: true,
			want: []string{"key home", "launch Notes"}},
		"nothing after a question": {task: "ask open:Notes",
			want: []string{"key home", "launch Notes"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				require.NoError(t, w.manager.Close())
				require.NoError(t, w.store.Close())
				w.opts.KeepApps = c.apps
				w.begin()
				w.phones.phones["A"].front = c.was
				st, err := w.manager.Start(w.ctx(),
					runs.StartRequest{Task: c.task, KeepEnvironment: c.keep})
				require.NoError(t, err)
				if st = w.wait(st.Session.ID); st.Run.State.Waiting() {
					w.reply(st.Session.ID, "red")
					st = w.wait(st.Session.ID)
				}
				require.Equal(t, store.Completed, st.Run.State)
				require.Equal(t, c.want, w.phones.phones["A"].done())
			})
		})
	}
}

func TestAnAppThatIsNotThereDoesNotCountAsTheFirst(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		refusals := 0
		w.phones.phones["A"].onTouch = func(context.Context) error {
			if refusals++; refusals == 2 { // the first touch is the home key
				return errors.New("no installed app is called that")
			}
			return nil
		}
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "open:Nots open:Notes"})
		require.NoError(t, err)
		w.wait(st.Session.ID)
		require.Equal(t, []string{"key home", "relaunch Notes unless []"},
			w.phones.phones["A"].done())
	})
}

func TestANewTaskOfAContinuedSessionStopsNoApp(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.wait(w.start("tap").Session.ID).Session.ID
		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id,
			Task: "open:Notes", ResetEnvironment: true})
		require.NoError(t, err)
		w.wait(id)
		require.Equal(t, []string{"tap", "key home", "launch Notes"},
			w.phones.phones["A"].done())
	})
}
