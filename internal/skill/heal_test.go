package skill

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// asked is the question that a replay puts on a screen, after these notes.
func (r *replayed) asked(how mutation, notes ...agentloop.NoteKind) actions.Info {
	r.t.Helper()
	a, err := r.next(how, notes...)
	require.NoError(r.t, err)
	require.IsType(r.t, actions.Info{}, a)
	return a.(actions.Info)
}

// hears has a question answered.
func (r *replayed) hears(q actions.Info, said string, o actions.Outcome) {
	r.heard = append(r.heard, actions.Exchange{Question: q.Question, Answer: said, Outcome: o})
}

// A step that came to nothing is not done again, whatever is said about its heal, and on whatever
// screen.
func TestAStepThatCameToNothingIsHealedOnly(t *testing.T) {
	t.Parallel()
	for _, note := range []agentloop.NoteKind{agentloop.NoteRefused, agentloop.NoteNotAllowed,
		agentloop.NoteOutcomeUnknown} {
		for _, said := range []string{"Yes", "No", "Perhaps"} {
			r, m := replay(t, HealAsk, actions.Back{})
			for range 2 {
				_, err := r.next(home)
				require.NoError(t, err)
			}
			on := home
			on.otherPage = note == agentloop.NoteOutcomeUnknown
			q := r.asked(on, note)
			r.hears(q, said, actions.Answered)
			a, err := r.next(home)
			switch said {
			case "Yes":
				require.NoError(t, err)
				require.Equal(t, actions.Back{}, a)
				require.Contains(t, m.asked[0], "tap it", note)
				a, err = r.next(home)
				require.NoError(t, err)
				tapped(t, a, home, 301)
			case "No":
				require.ErrorIs(t, err, agentloop.ErrSkillDiverged, note)
				require.Empty(t, m.asked)
			default:
				require.NoError(t, err)
				require.Equal(t, q, a, note)
			}
		}
	}
}

// Only what a person says is a yes, and no model is asked.
func TestOnlyAPersonHasAStepHealed(t *testing.T) {
	t.Parallel()
	other := home
	other.otherApp = true
	for _, o := range []actions.Outcome{actions.ModelAnswer, actions.DefaultAnswer,
		actions.Remembered, actions.Delegated, actions.Silence, actions.Answered} {
		r, m := replay(t, HealAsk, actions.Back{})
		r.waits(other)
		q := r.asked(other)
		require.True(t, q.Personal)
		r.hears(q, "Yes", o)
		a, err := r.next(other)
		if o == actions.Answered {
			require.NoError(t, err)
			require.Equal(t, actions.Back{}, a)
			continue
		}
		require.ErrorIs(t, err, agentloop.ErrSkillDiverged, o)
		require.Empty(t, m.asked)
	}
}
