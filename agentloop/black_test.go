package agentloop_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

func TestAWindowInFrontThatForbidsCaptureIsNotActedOn(t *testing.T) {
	for _, black := range []bool{true, false} { // a status bar above it shows
		r := newRig(actions.Complete{})
		r.phone.state.Secure, r.phone.black = true, black
		end, _ := run(t, r, "x")
		require.Equal(t, agentloop.SecureScreen, end.Reason)
		require.ErrorIs(t, end.Err, screen.ErrSecure)
		require.Empty(t, r.script.seen, "the model is not asked about a screen that cannot be seen")
	}
}

// blackFrom makes every picture from the nth look on black, up to the mth.
func blackFrom(r *rig, n, m int) {
	r.phone.lookErr = func(look int) error {
		r.phone.black = look >= n && (m == 0 || look <= m)
		return nil
	}
}

func TestABlackPictureIsLookedAtAgain(t *testing.T) {
	r := newRig(actions.Complete{})
	blackFrom(r, 1, 2)

	end, progress := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Empty(t, r.script.notesAt(1))
	require.False(t, r.script.seen[0].Screen.Frame.Black())
	require.False(t, progress.Blind)
}

func TestABlackPictureIsToldToTheModelOnceAndThenStopsTheRun(t *testing.T) {
	for _, a := range []actions.Action{tap(1, 1), actions.Back{}, actions.Wait{For: 1},
		actions.Note{Text: "x"}} {
		r := newRig(tap(5, 5), a, tap(9, 9), actions.Complete{})
		blackFrom(r, 2, 0)

		end, progress := run(t, r, "x")

		require.Equal(t, agentloop.SecureScreen, end.Reason)
		require.ErrorIs(t, end.Err, screen.ErrSecure)
		require.ErrorContains(t, end.Err, "wholly black")
		require.Empty(t, r.script.notesAt(1))
		require.Len(t, r.script.seen, 2)
		require.Contains(t, r.script.notesAt(2)[0], "wholly black")
		require.LessOrEqual(t, len(r.phone.touches), 2, "one on what was seen, one on black")
		require.True(t, progress.Blind)

		before := len(r.phone.touches)
		synctest.Test(t, func(t *testing.T) {
			end, _, err := r.runner.Run(t.Context(), progress.Resumed(), 3)
			require.NoError(t, err)
			require.Equal(t, agentloop.SecureScreen, end.Reason, "continued on the same screen")
		})
		require.Len(t, r.phone.touches, before)
	}
}

func TestAModelThatGoesBackFromABlackScreenGoesOn(t *testing.T) {
	r := newRig(actions.Back{}, tap(1, 1), actions.Complete{})
	r.phone.black = true
	r.journal.on = func(entry string) { r.phone.black = entry == "intent 1 BACK" }

	end, progress := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Len(t, r.script.notesAt(1), 1)
	require.Empty(t, r.script.notesAt(2))
	require.False(t, progress.Blind)
}

func TestAModelThatCouldNotBeAskedIsToldOfTheBlackScreenNextTime(t *testing.T) {
	r := newRig(tap(1, 1))
	r.phone.black = true
	r.script.err = func(n int) error {
		if n == 1 {
			return errors.New("no answer")
		}
		return nil
	}

	end, progress := run(t, r, "x")
	require.Equal(t, agentloop.ModelError, end.Reason)

	r.script.actions = []actions.Action{nil, actions.Abort{}}
	synctest.Test(t, func(t *testing.T) {
		end, _, err := r.runner.Run(t.Context(), progress, 1)
		require.NoError(t, err)
		require.Equal(t, agentloop.TaskAborted, end.Reason)
	})
	require.Len(t, r.script.notesAt(2), 1, "once, not twice")
}

func TestAPendingActionIsNotCarriedOutOnABlackScreen(t *testing.T) {
	r := newRig()
	r.phone.black = true
	synctest.Test(t, func(t *testing.T) {
		end, progress, err := r.runner.Run(t.Context(), agentloop.Progress{
			Pending: &agentloop.Pending{Decision: actions.Decision{Action: tap(1, 1)},
				Answer: &actions.Exchange{}}}, 0)
		require.NoError(t, err)
		require.Equal(t, agentloop.SecureScreen, end.Reason)
		require.NotNil(t, progress.Pending, "it is still to be done")
	})
	require.Empty(t, r.phone.touches)
}
