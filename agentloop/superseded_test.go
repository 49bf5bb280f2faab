package agentloop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// teller is a phone whose last look before a touch shows what its state has become.
type teller struct {
	*phone
	now func(s *screen.State) error
}

func (p *teller) Look(ctx context.Context) (screen.Observation, error) {
	look, err := p.phone.Look(ctx)
	if err == nil && p.decided.Load() {
		err = p.now(&look.State)
	}
	return look, err
}

func TestWhatHappensWhileTheModelThinks(t *testing.T) {
	for _, c := range []struct {
		name    string
		now     func(s *screen.State) error
		want    agentloop.StopReason
		touches int
		note    string // on the second step
		refusal string // of the first
	}{
		{name: "nothing", now: func(*screen.State) error { return nil },
			want: agentloop.TaskCompleted, touches: 1},
		{name: "the display is switched off",
			now:     func(s *screen.State) error { s.On = false; return nil },
			want:    agentloop.ManualStop,
			refusal: "not carried out: the phone's display is off"},
		{name: "the phone is locked",
			now:     func(s *screen.State) error { s.Locked = true; return nil },
			want:    agentloop.ScreenLocked,
			refusal: "not carried out: the phone is locked"},
		{name: "a call comes in", now: func(s *screen.State) error { s.App = "dialer"; return nil },
			want:    agentloop.TaskCompleted,
			note:    "dialer came to the front in the meantime",
			refusal: "not carried out: dialer came to the front in the meantime"},
		{name: "the phone is turned",
			now:     func(s *screen.State) error { s.Size = s.Size.Turned(); return nil },
			want:    agentloop.TaskCompleted,
			note:    "the display became 120x54 in the meantime",
			refusal: "not carried out: the display became 120x54 in the meantime"},
		{name: "a private window opens",
			now:  func(s *screen.State) error { s.Secure = true; return nil },
			want: agentloop.TaskCompleted,
			note: "a window that forbids capture came to the front in the meantime",
			refusal: "not carried out: a window that forbids capture came to the front in the " +
				"meantime"},
		{name: "an app that is not told",
			now:  func(s *screen.State) error { s.App = ""; return nil },
			want: agentloop.TaskCompleted, touches: 1},
		{name: "the phone is lost",
			now:  func(*screen.State) error { return screen.ErrDisconnected },
			want: agentloop.DeviceDisconnected},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(tap(1, 1), actions.Complete{}) // whose look is fresh
			r.runner.Phone = &teller{phone: r.phone, now: c.now}

			end, progress := run(t, r, "x")

			require.Equal(t, c.want, end.Reason)
			require.Len(t, r.phone.touches, c.touches)
			require.Equal(t, len(r.journal.steps), progress.Steps)
			if c.refusal != "" {
				require.Equal(t, c.refusal, r.journal.steps[0].Refusal)
				require.Equal(t, "done 1 CLICK", r.journal.entries[1])
			}
			if c.note != "" {
				require.Contains(t, r.script.notesAt(2)[0], c.note)
			}
		})
	}
}

// dark is a phone whose display the person switches off once the model has seen it.
func dark(r *rig) *teller {
	return &teller{phone: r.phone, now: func(s *screen.State) error { s.On = false; return nil }}
}

func TestNothingIsDoneOnADisplayThatWasSwitchedOff(t *testing.T) {
	for _, a := range []actions.Action{
		tap(1, 1), actions.DoubleClick{}, actions.LongPress{}, actions.Type{Text: "x"},
		actions.OpenApp{App: "Clock"}, actions.HotKey{Key: actions.KeyPower},
		actions.HotKey{Key: actions.KeyWakeUp}, actions.HotKey{Key: actions.KeyMenu},
		actions.Back{}, actions.Home{}, actions.Recents{},
	} {
		t.Run(actions.Describe(a), func(t *testing.T) {
			r := newRig(a, actions.Complete{})
			r.runner.Phone = dark(r)

			end, progress := run(t, r, "x")

			require.Equal(t, agentloop.ManualStop, end.Reason)
			require.Empty(t, r.phone.touches)
			require.Equal(t, "not carried out: the phone's display is off",
				r.journal.steps[0].Refusal)
			require.Equal(t, agentloop.NoteNotDone, progress.Notes[0].Kind)
		})
	}
}

func TestADisplayThatIsSwitchedOffWhileTheIntentIsWrittenStopsTheRun(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})
	off := false
	r.journal.on = func(entry string) { off = off || entry == "intent 1 CLICK" }
	r.runner.Phone = &teller{phone: r.phone,
		now: func(s *screen.State) error { s.On = !off; return nil }}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.ManualStop, end.Reason)
	require.Empty(t, r.phone.touches)
	require.Equal(t, []string{"intent 1 CLICK", "done 1 CLICK"}, r.journal.entries)
}

func TestAWaitNeedsNoScreenInFront(t *testing.T) {
	r := newRig(actions.Wait{For: time.Second}, actions.Complete{})
	p := &teller{phone: r.phone, now: func(*screen.State) error { return nil }}
	r.runner.Phone = p

	run(t, r, "x")

	require.Zero(t, p.checks)
}

func TestAStopWhileThePhoneIsAskedOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(tap(1, 1))
		ctx, cancel := context.WithCancelCause(t.Context())
		r.runner.Phone = &teller{phone: r.phone,
			now: func(*screen.State) error { cancel(agentloop.ErrPaused); return ctx.Err() }}

		end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.UserPaused, end.Reason)
		require.Empty(t, r.phone.touches)
	})
}
