package agentloop_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

var errDisk error = agentloop.Unavailable("disk full")

func failing(entry string) func(string) error {
	return func(e string) error {
		if e == entry {
			return errDisk
		}
		return nil
	}
}

func TestTheIntentIsWrittenBeforeThePhoneIsTouched(t *testing.T) {
	r := newRig(tap(1, 1), actions.Wait{For: 1}, actions.Complete{})
	r.phone.touch = func(context.Context) error {
		require.Equal(t, []string{"intent 1 CLICK"}, r.journal.entries)
		return nil
	}

	run(t, r, "x")

	require.Len(t, r.phone.touches, 1)
	require.NotNil(t, r.journal.intents[0].Screen.Frame, "the intent shows what the model saw")
}

func TestWhatCannotBeWrittenDownIsNotDone(t *testing.T) {
	for _, c := range []struct {
		fails   string
		touches int
		steps   int
	}{
		{"intent 1 CLICK", 0, 0},
		{"done 1 CLICK", 1, 0},
		{"intent 2 CLICK", 1, 1},
		{"done 2 CLICK", 2, 1},
		{"done 3 COMPLETE", 2, 2},
	} {
		t.Run(c.fails, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tap(1, 1), tap(500, 500), actions.Complete{Report: "all good"})
				r.journal.fail = failing(c.fails)

				end, progress, err := r.runner.Run(t.Context(), agentloop.Progress{}, 0)

				require.ErrorIs(t, err, errDisk)
				require.Equal(t, agentloop.StoreUnavailable, end.Reason)
				require.Empty(t, end.Answer)
				require.Len(t, r.phone.touches, c.touches)
				require.Equal(t, c.steps, progress.Steps)
				require.Equal(t, c.steps, end.Steps)
			})
		})
	}
}

// A run that dies between intent and outcome is resumed from the progress of the step before, with
// a note.
func TestAGestureOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	r := newRig(tap(1, 1), tap(500, 500), actions.Complete{})
	r.journal.fail = failing("done 2 CLICK")
	synctest.Test(t, func(t *testing.T) {
		_, _, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
		require.ErrorIs(t, err, errDisk)
	})
	require.Len(t, r.phone.touches, 2)
	require.Len(t, r.journal.intents, 2, "the journal knows what was about to be done")

	r.journal.fail = nil
	c := r.journal.progress.Interrupted(r.journal.intents[1], false)
	synctest.Test(t, func(t *testing.T) {
		end, _, err := r.runner.Run(t.Context(), c, c.Steps)
		require.NoError(t, err)
		require.Equal(t, agentloop.TaskCompleted, end.Reason)
	})

	require.Len(t, r.phone.touches, 2)
	require.Contains(t, r.script.notesAt(3)[0], "do not submit it twice")
}

func TestTheLastFactsAreWrittenAlsoAfterACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(tap(1, 1))
		ctx, cancel := context.WithCancelCause(t.Context())
		r.phone.touch = func(context.Context) error { cancel(agentloop.ErrStopped); return nil }

		end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.Cancelled, end.Reason)
		require.Equal(t, []string{"intent 1 CLICK", "done 1 CLICK"}, r.journal.entries)
	})
}
