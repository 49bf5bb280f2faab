package agentloop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// run runs a rig in a bubble, so that waiting costs nothing and a goroutine left behind is an
// error.
func run(t *testing.T, r *rig, task string) (end agentloop.Ending, c agentloop.Progress) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		end, c, err = r.runner.Run(t.Context(), agentloop.Progress{Task: task}, 0)
		require.NoError(t, err)
	})
	return end, c
}

func TestARunLooksDecidesActsAndEndsWithTheReport(t *testing.T) {
	r := newRig(tap(500, 250), actions.Type{Text: "milk"},
		actions.Complete{Report: "milk is on the list"})

	end, c := run(t, r, "put milk on the list")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, "milk is on the list", end.Answer)
	require.NoError(t, end.Err)
	require.Equal(t, 3, end.Steps)
	require.Equal(t, []string{"tap (0.500,0.250)", `type "milk"`}, r.phone.touches)
	require.Equal(t, []string{
		"intent 1 CLICK", "done 1 CLICK", "intent 2 TYPE", "done 2 TYPE", "done 3 COMPLETE",
	}, r.journal.entries)
	require.Equal(t, agentloop.Progress{Task: "put milk on the list", Steps: 3, Summary: "did 3"},
		c)
	require.Equal(t, c, r.journal.progress)
	require.Equal(t, []agentloop.EventKind{
		agentloop.Started,
		agentloop.Looking,
		agentloop.Looked, agentloop.Decided, agentloop.Acting, agentloop.Acted, agentloop.Stepped,
		agentloop.Looking,
		agentloop.Settled, agentloop.Decided, agentloop.Acting, agentloop.Acted, agentloop.Stepped,
		agentloop.Looking, agentloop.Settled, agentloop.Decided, agentloop.Stepped,
		agentloop.Ended,
	}, r.kinds())
}

func TestTheModelsOwnSummaryIsShownOnTheNextStep(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})

	run(t, r, "x")

	require.Empty(t, r.script.seen[0].Summary)
	require.Equal(t, "did 1", r.script.seen[1].Summary)
}

func TestWhatThePolicyWantsAgainIsKeptAndShownWithTheAlbum(t *testing.T) {
	r := newRig(actions.Note{Text: "a"}, actions.Complete{})
	r.script.recalls = true

	run(t, r, "x")

	require.Empty(t, r.script.seen[0].History)
	require.Equal(t, []actions.Turn{{Step: 1}}, r.script.seen[1].History)
	require.Equal(t, []actions.Turn{{Step: 2}}, r.journal.progress.History)
	require.Same(t, r.journal, r.script.seen[1].Album)
}

func TestStepsCountAnewInACallAndGoOnInTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(tap(1, 1), actions.Complete{})

		_, c, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "x", Steps: 2}, 7)

		require.NoError(t, err)
		require.Equal(t, 4, c.Steps)
		require.Equal(t, 8, r.script.seen[0].Step)
		require.Equal(t, []int{8, 9}, []int{r.journal.steps[0].Index, r.journal.steps[1].Index})
		require.Equal(t, []int{1, 2}, []int{r.journal.steps[0].Local, r.journal.steps[1].Local})
	})
}

func TestNotesAreRememberedAndTouchNothing(t *testing.T) {
	r := newRig(actions.Note{Text: "the code is 12"}, actions.Note{Text: "and 13"},
		actions.Complete{})

	_, c := run(t, r, "x")

	require.Empty(t, r.phone.touches)
	require.Equal(t, []string{"the code is 12", "and 13"}, c.Remembered)
	require.Equal(t, []string{"the code is 12"}, r.script.seen[1].Remembered)
	require.Equal(t, []string{"done 1 NOTE", "done 2 NOTE", "done 3 COMPLETE"}, r.journal.entries)
}

// What a model notes beside its action is kept like the text of a NOTE, and each text once.
func TestWhatIsNotedBesideAnActionIsRememberedOnce(t *testing.T) {
	r := newRig(actions.Back{}, actions.Home{}, actions.Note{Text: "42"}, actions.Back{},
		actions.Complete{})
	r.script.notes = []string{"costs 89", "costs 89", "costs 79", "", "all seen"}

	_, c := run(t, r, "x")

	require.Equal(t, []string{"costs 89", "costs 79", "42", "all seen"}, c.Remembered)
	require.Equal(t, []string{"costs 89"}, r.script.seen[1].Remembered)
}

func TestHowARunEnds(t *testing.T) {
	for _, c := range []struct {
		name    string
		acts    []actions.Action
		arrange func(r *rig)
		want    agentloop.StopReason
		says    string // in the error
		steps   int
		touches int
		looks   int // 0 does not look
	}{
		{name: "aborted by the model, with its reason as the answer",
			acts: []actions.Action{actions.Abort{Reason: "no such app"}},
			want: agentloop.TaskAborted, steps: 1},
		{name: "out of steps", acts: []actions.Action{tap(1, 1), tap(500, 1), tap(900, 1)},
			want:    agentloop.MaxStepsReached,
			arrange: func(r *rig) { r.runner.Limits.Steps = 2 }, says: "all 2 steps", steps: 2,
			touches: 2},
		{name: "out of time while the model thinks",
			acts: []actions.Action{tap(1, 1), tap(500, 1),
				tap(900, 1)}, want: agentloop.TimeLimitReached,
			arrange: func(r *rig) {
				r.runner.Limits.Time, r.script.took = 25*time.Second, 10*time.Second
			}, says: "time for this call", steps: 2, touches: 2},
		{name: "display off at first", acts: []actions.Action{tap(1, 1)},
			want:    agentloop.ManualStop,
			arrange: func(r *rig) { r.phone.state.On = false }, says: "display is off", looks: 1},
		{name: "display switched off in the middle", acts: []actions.Action{tap(1, 1), tap(2, 2)},
			want: agentloop.ManualStop,
			arrange: func(r *rig) {
				r.journal.on = func(e string) {
					if e == "done 1 CLICK" {
						r.phone.state.On = false
					}
				}
			}, says: "display is off", steps: 1, touches: 1, looks: 3},
		{name: "locked", acts: []actions.Action{tap(1, 1)}, want: agentloop.ScreenLocked,
			arrange: func(r *rig) { r.phone.state.Locked = true }, says: "locked"},
		{name: "locked as an error", acts: []actions.Action{tap(1, 1)},
			want: agentloop.ScreenLocked,
			arrange: func(r *rig) {
				r.phone.lookErr = func(int) error {
					return fmt.Errorf("capturing: %w",
						screen.ErrLocked)
				}
			}, says: "locked"},
		{name: "secure window", acts: []actions.Action{tap(1, 1)}, want: agentloop.SecureScreen,
			arrange: func(r *rig) {
				r.phone.lookErr = func(int) error {
					return fmt.Errorf("capturing: %w",
						screen.ErrSecure)
				}
			}, says: "forbids capture"},
		{name: "phone lost while looking", acts: []actions.Action{tap(1, 1)},
			want: agentloop.DeviceDisconnected,
			arrange: func(r *rig) {
				r.phone.lookErr = func(int) error {
					return fmt.Errorf("capturing: %w",
						screen.ErrDisconnected)
				}
			}, says: "step 1: looking: capturing: the phone is disconnected"},
		{name: "phone that cannot be looked at", acts: []actions.Action{tap(1, 1)},
			want: agentloop.DeviceError,
			arrange: func(r *rig) {
				r.phone.lookErr = func(int) error { return errors.New("screencap: no memory") }
			}, says: "no memory", looks: 1},
		{name: "phone lost during a gesture", acts: []actions.Action{tap(1, 1)},
			want: agentloop.DeviceDisconnected,
			arrange: func(r *rig) {
				r.phone.touch = func(context.Context) error {
					return fmt.Errorf("tapping: %w",
						screen.ErrDisconnected)
				}
			}, says: "carrying out CLICK", steps: 1},
		{name: "display that goes dark in the middle of a gesture",
			acts: []actions.Action{actions.OpenApp{App: "Clock"}, tap(1, 1)},
			want: agentloop.ManualStop,
			arrange: func(r *rig) {
				r.phone.touch = func(context.Context) error {
					return fmt.Errorf("launching: %w", screen.ErrDark)
				}
			}, says: "the phone's display is off", steps: 1},
		{name: "model that cannot be understood", want: agentloop.ModelOutputInvalid,
			arrange: func(r *rig) {
				r.script.err = func(int) error {
					return fmt.Errorf("three tries: %w",
						agentloop.ErrUnreadable)
				}
			}, says: "three tries", steps: 1},
		{name: "model that is gone after an unreadable reply", want: agentloop.ModelError,
			arrange: func(r *rig) {
				r.script.err = func(int) error { return errors.New("connection refused") }
			}, says: "refused"},
		{name: "replay that meets another screen", want: agentloop.ReplayDiverged,
			arrange: func(r *rig) {
				r.script.err = func(int) error {
					return hint.Add(fmt.Errorf("%w: page", agentloop.ErrDiverged), "record anew")
				}
			}, says: "not the one that was recorded: page"},
		{name: "policy that decides nothing", acts: []actions.Action{nil},
			want: agentloop.ModelOutputInvalid, says: "neither an action nor an error", steps: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(c.acts...)
			if c.arrange != nil {
				c.arrange(r)
			}

			end, progress := run(t, r, "x")

			require.Equal(t, c.want, end.Reason)
			require.Equal(t, c.steps, end.Steps)
			require.Equal(t, c.steps, progress.Steps)
			require.Len(t, r.journal.steps, c.steps, "every step is in the journal")
			require.Len(t, r.phone.touches, c.touches)
			if c.looks > 0 {
				require.Equal(t, c.looks, r.phone.looks)
			}
			if c.says == "" {
				require.NoError(t, end.Err)
				return
			}
			require.ErrorContains(t, end.Err, c.says)
			require.NotEmpty(t, hint.Of(end.Err), "an error without a hint: %v", end.Err)
		})
	}
}

func TestNothingIsCompletedBecauseTheModelFellSilent(t *testing.T) {
	r := newRig(tap(1, 1))

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.ModelError, end.Reason)
	require.Empty(t, end.Answer)
}

func TestEveryTryOfAnUnreadableModelIsJournaled(t *testing.T) {
	r := newRig()
	r.script.err = func(int) error { return agentloop.ErrUnreadable }

	run(t, r, "x")

	require.Len(t, r.journal.steps, 1)
	require.Equal(t, "reply", r.journal.steps[0].Proposal.Tries[0].Reply)
	require.Nil(t, r.journal.steps[0].Proposal.Action)
}

func TestARefusalIsToldToTheModelOnce(t *testing.T) {
	r := newRig(actions.OpenApp{App: "Nope"}, tap(1, 1), actions.Complete{})
	refuse := true
	r.phone.touch = func(context.Context) error {
		if !refuse {
			return nil
		}
		refuse = false
		return hint.Add(errors.New(`no app is called "Nope"`), "near ones are Notes and Shop")
	}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, `not carried out: no app is called "Nope" (near ones are Notes and Shop)`,
		r.journal.steps[0].Refusal)
	require.Len(t, r.script.notesAt(2), 1)
	require.Contains(t, r.script.notesAt(2)[0], `open "Nope"`)
	require.Contains(t, r.script.notesAt(2)[0], "near ones are Notes and Shop")
	require.Empty(t, r.script.notesAt(3))
}

func TestWhatWasCarriedOutInPartIsToldAsThat(t *testing.T) {
	at := screen.Point{X: 0.5, Y: 0.5}
	r := newRig(actions.Type{Text: "x", At: &at}, actions.Complete{})
	touches := 0
	r.phone.touch = func(context.Context) error {
		if touches++; touches == 2 {
			return hint.Add(errors.New("no text field has the focus"), "tap the field first")
		}
		return nil
	}

	run(t, r, "x")

	why := "the point was tapped, but then: no text field has the focus (tap the field first)"
	require.Equal(t, agentloop.PartialRefusal+why, r.journal.steps[0].Refusal)
	require.Equal(t, []string{`The last action, TYPE (tap (0.500,0.500), type "x"), was carried ` +
		"out only in part: " + why + ". Look at the screen first, and do not repeat what is done."},
		r.script.notesAt(2))
}

func TestWhatIsDoneIsToldAsDoneAndAPersonIsWarnedOfWhatItLeft(t *testing.T) {
	typing := actions.Type{Text: "ü"}
	r := newRig(typing, typing, actions.Complete{})
	r.phone.touch = func(context.Context) error {
		return actions.Done(hint.Add(fmt.Errorf("the keyboard stays: %w", screen.ErrDisconnected),
			"run: ime set"))
	}

	end, p := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	for _, s := range r.journal.steps {
		require.Empty(t, s.Refusal)
	}
	require.Empty(t, r.script.notesAt(2))
	require.Empty(t, r.script.notesAt(3))
	require.Equal(t, []agentloop.Warning{{Setting: "phone",
		Text: "the keyboard stays: the phone is disconnected (run: ime set)"}}, p.Warnings, "once")
	require.Equal(t, p.Warnings, r.journal.progress.Warnings)
}

func TestWhatThePhoneEndedHasAnUnknownOutcome(t *testing.T) {
	killed := actions.Unknown(errors.New("killed"))
	for _, c := range []struct {
		err           error
		refusal, note string
	}{
		{killed, "outcome unknown: killed", "Whether it took effect is unknown"},
		{actions.Partial(fmt.Errorf("after 2 of 3 characters: %w", killed)),
			agentloop.PartialRefusal + "after 2 of 3 characters: killed", "only in part: after 2"},
	} {
		r := newRig(actions.Type{Text: "abc"}, actions.Complete{})
		r.phone.touch = func(context.Context) error { return c.err }

		end, _ := run(t, r, "x")

		require.Equal(t, agentloop.TaskCompleted, end.Reason)
		require.Equal(t, c.refusal, r.journal.steps[0].Refusal)
		require.Contains(t, r.script.notesAt(2)[0], c.note)
	}
}

func TestAnInvalidGestureNeverReachesThePhone(t *testing.T) {
	r := newRig(tap(1200, 1), actions.Complete{})

	run(t, r, "x")

	require.Empty(t, r.phone.touches)
	require.Equal(t, []string{"done 1 CLICK", "done 2 COMPLETE"}, r.journal.entries,
		"no intent: the phone was not to be touched")
	require.Contains(t, r.script.notesAt(2)[0], "off the screen")
}

func TestAGestureThatHangsHasAnUnknownOutcome(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})
	r.phone.touch = func(ctx context.Context) error {
		if len(r.script.seen) > 1 {
			return nil
		}
		<-ctx.Done()
		return fmt.Errorf("tapping: %w", ctx.Err())
	}

	run(t, r, "x")

	require.Equal(t, time.Minute, r.journal.steps[0].Timing.Touch)
	require.Contains(t, r.script.notesAt(2)[0], "Whether it took effect is unknown")
}

func TestWhatTheModelWasNotShownYetIsKeptForTheNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		c := agentloop.Progress{Task: "x", ReplyJustIn: true,
			Notes: []agentloop.Note{{Kind: agentloop.NoteResumed}}}

		_, got, err := r.runner.Run(t.Context(), c, 0)

		require.NoError(t, err)
		require.True(t, got.ReplyJustIn)
		require.Equal(t, c.Notes, got.Notes)
	})
}

func TestTheCallersProgressIsNotWrittenTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(actions.Note{Text: "b"}, actions.Complete{})
		backing := make([]string, 1, 8)
		backing[0] = "a"

		_, _, err := r.runner.Run(t.Context(), agentloop.Progress{Remembered: backing}, 0)

		require.NoError(t, err)
		require.Equal(t, []string{"a", ""}, backing[:2])
	})
}
