package simulation_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/verify"
)

// learned is the skill of a task that was walked, and how many steps it took. What is entered key
// by key is none: no step has the whole of a parameter.
func learned(t *testing.T, task sandbox.Task) (*skill.Skill, int) {
	t.Helper()
	h := hold(morning, image.Point{})
	task.Setup(h.Simulator)
	if verifies := strings.HasSuffix(task.ID, "Verify"); !verifies {
		require.Error(t, task.Check(h.Simulator), "%s is done before it begins", task.ID)
	}
	src := record(t, h, task, walkOf(t, task))
	require.NoError(t, task.Check(h.Simulator), task.ID)
	s, _, err := skill.Make(src, skill.MakeOptions{Name: skill.NameOf(task.ID, "skill"),
		Params: named(task)})
	if task.ID == "ClockTimerEntry" {
		require.ErrorContains(t, err, "the run used no such text in its steps")
		return nil, len(src.Steps)
	}
	require.NoError(t, err, task.ID)
	return s, len(src.Steps)
}

// What a model claims to be done, and is not, is not verified; what is done is never contradicted.
func TestClaimsAreHeldAgainstTheScreen(t *testing.T) {
	t.Parallel()
	caught, claimed, right, wrong := 0, 0, 0, 0
	for seed := range uint64(3) {
		for _, task := range sandbox.New(nil).Drawn(seed) {
			walk := walkOf(t, task)
			judge := func(walk []string) agentloop.Verified {
				h := hold(morning, image.Point{})
				task.Setup(h.Simulator)
				record(t, h, task, walk)
				v, err := (&verify.Verifier{Mode: verify.ByScreen}).Verify(t.Context(),
					agentloop.Situation{Reader: h, Progress: agentloop.Progress{Task: task.Goal}}, "")
				require.NoError(t, err)
				says, why := v.Verdict, v.Evidence
				done := task.Check(h.Simulator) == nil
				switch {
				case done && says == agentloop.Contradicted:
					t.Logf("%s is done: %s", task.ID, why)
				case !done && says == agentloop.IsVerified:
					t.Logf("%s is not done: %s", task.ID, why)
				}
				require.Equal(t, done, len(walk) == len(walkOf(t, task)) ||
					strings.HasSuffix(task.ID, "Verify"), task.ID)
				return says
			}
			right++
			if judge(walk) == agentloop.Contradicted {
				wrong++
			}
			if !strings.HasSuffix(task.ID, "Verify") {
				claimed++
				if judge(walk[:len(walk)-1]) != agentloop.IsVerified {
					caught++
				}
			}
		}
	}
	t.Logf("%d of %d false claims are caught, %d of %d true ones contradicted", caught, claimed,
		wrong, right)
	require.GreaterOrEqual(t, claimed, 40)
	require.GreaterOrEqual(t, float64(caught), 0.9*float64(claimed))
	require.Zero(t, wrong)
}

// What a step brings about and is there already is left alone: a note that is first or last is not
// dragged, a like is not taken back, a row that says On is found when it says Off. A run that
// cannot go on without a touch in such a place asks the model.
func TestWhatIsSoAlreadyIsLeftAlone(t *testing.T) {
	t.Parallel()
	const notesApp = "open com.taploop.sandbox.notes"
	for id, c := range map[string]struct {
		walk  []string
		asked bool // the second time
	}{
		"notes-order":  {[]string{notesApp, "drag Packing list to Ideas"}, false},
		"like-message": {[]string{smsApp, "tap Tom", "twice See you on Sunday"}, true},
		"dark-mode-wifi-off": {[]string{settingsApp, "tap row_display", "tap pref_ui_night_mode",
			"tap up", "tap row_network", "tap pref_wifi_on"}, false},
	} {
		task := listed(t, id)
		first := hold(morning, image.Point{})
		src := record(t, first, task, c.walk)
		require.NoError(t, task.Check(first.Simulator), id)
		s, notes, err := skill.Make(src, skill.MakeOptions{Name: id})
		require.NoError(t, err)
		require.Empty(t, notes, id)
		again := hold(evening, image.Point{})
		require.True(t, repeat(t, again, s), id)
		require.NoError(t, task.Check(again.Simulator), id)
		for range 2 {
			again.do(t, actions.Back{})
		}
		require.Equal(t, !c.asked, repeat(t, again, s), id)
		require.NoError(t, task.Check(again.Simulator), "%s: the second time", id)
	}
}

// The end of a drag is a place in the order of a list, whatever is there: another note on top is
// no reason to drop it behind that one.
func TestADragEndsAtAPlaceInTheOrder(t *testing.T) {
	t.Parallel()
	task := listed(t, "notes-order")
	const notesApp = "open com.taploop.sandbox.notes"
	made := func(goal string, walk ...string) (*skill.Skill, []string) {
		task := task
		task.Goal = goal
		src := record(t, hold(morning, image.Point{}), task, append([]string{notesApp}, walk...))
		s, notes, err := skill.Make(src, skill.MakeOptions{Name: "order"})
		require.NoError(t, err)
		return s, notes
	}
	top, notes := made(task.Goal, "drag Packing list to Ideas")
	require.Empty(t, notes)
	h := hold(evening, image.Point{})
	record(t, h, task, []string{notesApp, "tap new_note", "type Zeta", "tap save"})
	require.True(t, repeat(t, h, top))
	require.Equal(t, []string{"Packing list", "Zeta", "Ideas", "Wi-Fi guests"}, notesOf(t, h))
	last, notes := made("Move Ideas to the end", "drag Ideas to Packing list")
	require.Empty(t, notes)
	require.True(t, repeat(t, h, last))
	require.Equal(t, []string{"Packing list", "Zeta", "Wi-Fi guests", "Ideas"}, notesOf(t, h))
	for goal, walk := range map[string]string{
		`Move "Packing list" above "Ideas"`: "drag Packing list to Ideas", // not: to the top
	} {
		s, notes := made(goal, walk)
		require.Len(t, notes, 1)
		require.Contains(t, notes[0], "step 2: where it is dropped")
		require.False(t, repeat(t, h, s))
	}
}

// listed is one of the tasks that the simulated phone always has.
func listed(t *testing.T, id string) sandbox.Task {
	t.Helper()
	all := sandbox.New(nil).Tasks()
	i := slices.IndexFunc(all, func(task sandbox.Task) bool { return task.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return all[i]
}

// notesOf are the notes on the screen, from above.
func notesOf(t *testing.T, h *held) (list []string) {
	t.Helper()
	all, err := h.Elements(t.Context())
	require.NoError(t, err)
	for _, e := range all {
		if slices.Contains([]string{"Packing list", "Zeta", "Ideas", "Wi-Fi guests"}, e.Text) {
			list = append(list, e.Text)
		}
	}
	return list
}
