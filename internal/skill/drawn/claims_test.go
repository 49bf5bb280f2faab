package drawn_test

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
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

// walked is a run that has taken these steps so far.
type walked []agentloop.Step

// Frame implements agentloop.Album.
func (w walked) Frame(context.Context, int) (*screen.Frame, error) { return nil, store.ErrNotFound }

// Steps implements agentloop.Album.
func (w walked) Steps(context.Context) ([]agentloop.Step, error) { return w, nil }

// verdictOf is what a run that has walked so is held to be when it claims this goal.
func verdictOf(t *testing.T, h *held, so []store.StepRecord, goal string) (agentloop.Verified, string) {
	t.Helper()
	var past walked
	for _, st := range so {
		past = append(past, st.Step)
	}
	v, err := (&verify.Verifier{Mode: verify.ByScreen}).Verify(t.Context(), agentloop.Situation{
		Reader: h, Album: past, Progress: agentloop.Progress{Task: goal}}, "")
	require.NoError(t, err)
	return v.Verdict, v.Evidence
}

// What a model claims to be done, and is not, is not verified, whether nothing was done at all, a
// part of it, or the same for something else. What is done is never contradicted.
func TestClaimsAreHeldAgainstTheScreen(t *testing.T) {
	const nothing, part, most, other = "nothing", "a part", "all but the last", "something else"
	caught, claimed := map[string]int{}, map[string]int{}
	right, seen, wrong := 0, 0, 0
	claim := func(kind string, h *held, task sandbox.Task, so []store.StepRecord) {
		if task.Check(h.Simulator) == nil {
			return
		}
		claimed[kind]++
		if says, why := verdictOf(t, h, so, task.Goal); says != agentloop.IsVerified {
			caught[kind]++
		} else {
			t.Logf("%s, %s: %s", task.ID, kind, why)
		}
	}
	for seed := range uint64(3) {
		next := sandbox.New(nil).Drawn(seed + 1)
		for i, task := range sandbox.New(nil).Drawn(seed) {
			walk := walkOf(t, task)
			h := hold(morning, image.Point{})
			task.Setup(h.Simulator)
			h.after = func(moves int, so skill.Source) {
				kind := part
				switch moves {
				case len(walk):
					return
				case 1:
					kind = nothing
				case len(walk) - 1:
					kind = most
				}
				claim(kind, h, task, so.Steps)
			}
			src := record(t, h, task, walk)
			require.NoError(t, task.Check(h.Simulator), task.ID)
			right++
			switch says, why := verdictOf(t, h, src.Steps[:len(src.Steps)-1], task.Goal); says {
			case agentloop.Contradicted:
				wrong++
				t.Logf("%s is done: %s", task.ID, why)
			case agentloop.IsVerified:
				seen++
			}
			if next[i].Goal != task.Goal {
				h := hold(morning, image.Point{})
				next[i].Setup(h.Simulator)
				src := record(t, h, next[i], walkOf(t, next[i]))
				claim(other, h, task, src.Steps[:len(src.Steps)-1])
			}
		}
	}
	t.Logf("of %v false claims %v are caught; of %d true ones %d are verified, %d contradicted",
		claimed, caught, right, seen, wrong)
	for _, kind := range []string{nothing, part, most, other} {
		require.GreaterOrEqual(t, claimed[kind], 40, kind)
		require.GreaterOrEqual(t, float64(caught[kind]), 0.9*float64(claimed[kind]), kind)
	}
	require.Zero(t, wrong)
}

// standing are goals that name what is on the phone before, and walks that do nothing of them, though
// they end where it stands.
var standing = []struct {
	goals []string
	walks [][]string
}{
	{[]string{`Move the note "Packing list" to the top of the notes.`, `Move "Packing list" above "Ideas"`,
		`Change the text of the note "Ideas" to "Packing list".`, `Make a copy of the note "Ideas".`,
		`Write a second note with the title "Ideas".`, `Share the note "Ideas"`, `Pin "Packing list"`,
		`Write a note "Ideas" with the text "Plant basil on the balcony".`, "新建便签“Ideas”", `Delete "Ideas"`},
		[][]string{{notesApp}, {notesApp, "tap Ideas"}, {notesApp, "tap Ideas", "tap up"},
			{notesApp, "tap new_note"}}},
	{[]string{`Like the message "See you on Sunday".`, `Send Tom the message "See you on Sunday".`,
		`Reply "The bicycle is yours if you want it" to Tom`, `Delete "See you on Sunday" in Messages`,
		`Forward "See you on Sunday" to Anna Berg`, "Send Tom this message: See you on Sunday"},
		[][]string{{smsApp}, {smsApp, "tap Tom"}, {smsApp, "tap Tom", "tap compose_message_text"},
			{smsApp, "tap Tom", "tap up"}}},
	{[]string{`Mark "Anna Berg" as unread.`, `Call "Anna Berg"`, `Pin the conversation "Anna Berg"`},
		[][]string{{smsApp}, {smsApp, "tap Anna Berg"}, {smsApp, "tap Tom", "tap up"}}},
	{[]string{`In the Shop, put "Merino T-shirt" into the cart.`, `Buy one "Merino T-shirt" in the Shop`},
		[][]string{{shopApp}, {shopApp, "tap search", "type merino t-shirt", "tap search_button"},
			{shopApp, "tap search", "type Merino T-shirt", "tap search_button", "tap product"}}},
	{[]string{"Set an alarm for 6:00.", "Set another alarm for 8:15", "Set an alarm for 06:00"},
		[][]string{{clockApp}, {clockApp, "tap add_alarm"}}},
	{[]string{`Put "Choir" into the calendar once more`, `Add the event "Dentist" to the calendar`},
		[][]string{{"open Calendar"}, {"open Calendar", "tap new_event"}}},
}

// What stood on the screens of a run before it did anything proves nothing.
func TestWhatStoodThereBeforeProvesNothing(t *testing.T) {
	states := 0
	for _, c := range standing {
		for _, walk := range c.walks {
			h := hold(morning, image.Point{})
			src := record(t, h, sandbox.Task{ID: c.goals[0]}, walk)
			for _, goal := range c.goals {
				states++
				says, why := verdictOf(t, h, src.Steps[:len(src.Steps)-1], goal)
				require.NotEqual(t, agentloop.IsVerified, says, "%s after %s: %s", goal, walk, why)
			}
		}
	}
	for _, task := range sandbox.New(nil).Tasks() {
		for _, app := range []string{settingsApp, clockApp, smsApp, notesApp, shopApp} {
			h := hold(morning, image.Point{})
			src := record(t, h, task, []string{app})
			require.Error(t, task.Check(h.Simulator))
			states++
			says, why := verdictOf(t, h, src.Steps[:len(src.Steps)-1], task.Goal)
			require.NotEqual(t, agentloop.IsVerified, says, "%s: %s", task.Goal, why)
		}
	}
	require.GreaterOrEqual(t, states, 120)
}

const (
	notesApp = "open com.taploop.sandbox.notes"
	shopApp  = "open com.taploop.sandbox.shop"
)

// What a step brings about and is there already is left alone: a note that is first or last is not
// dragged, a like is not taken back, a row that says On is found when it says Off.
func TestWhatIsSoAlreadyIsLeftAlone(t *testing.T) {
	for id, walk := range map[string][]string{
		"notes-order":   {notesApp, "drag Packing list to Ideas"},
		"like-message":  {smsApp, "tap Tom", "twice See you on Sunday"},
		"live-captions": {settingsApp, "tap row_accessibility", "tap pref_odi_captions_enabled"},
		"dark-mode-wifi-off": {settingsApp, "tap row_display", "tap pref_ui_night_mode",
			"tap up", "tap row_network", "tap pref_wifi_on"},
	} {
		task := listed(t, id)
		if id == "like-message" {
			task.Goal = `Like "See you on Sunday" of Tom.`
		}
		first := hold(morning, image.Point{})
		src := record(t, first, task, walk)
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
		require.True(t, repeat(t, again, s), id)
		require.NoError(t, task.Check(again.Simulator), "%s: the second time", id)
	}
}

// A like of another message is none of the one that is to be liked.
func TestALikeIsThatOfItsMessage(t *testing.T) {
	task := listed(t, "like-message")
	task.Goal = `Like "See you on Sunday" of Tom.`
	walk := []string{smsApp, "tap Tom", "twice See you on Sunday"}
	s, _, err := skill.Make(record(t, hold(morning, image.Point{}), task, walk),
		skill.MakeOptions{Name: "like"})
	require.NoError(t, err)
	for _, other := range []string{"The bicycle is yours if you want it",
		"Great, I will pick it up on Sunday"} {
		h := hold(evening, image.Point{})
		record(t, h, task, []string{smsApp, "tap Tom", "twice " + other})
		h.do(t, actions.Back{})
		require.True(t, repeat(t, h, s), other)
		list, err := h.Elements(t.Context())
		require.NoError(t, err)
		likes := 0
		for i, e := range list {
			if e.ContentDesc == "Liked" {
				likes++
				require.Contains(t, []string{other, "See you on Sunday"}, list[i-2].Text)
			}
		}
		require.Equal(t, 2, likes, other)
	}
}

// Which row of a list is meant is the model's to say, where the task names nothing of it: the list
// shows others the next time.
func TestARowThatNoTaskNamesIsTheModels(t *testing.T) {
	made := func(goal string, walk ...string) (*skill.Skill, []string) {
		task := listed(t, "notes-order")
		task.Goal = goal
		s, notes, err := skill.Make(record(t, hold(morning, image.Point{}), task, walk),
			skill.MakeOptions{Name: "row", Params: map[string]string{"line": "ZZ"}})
		require.NoError(t, err)
		return s, notes
	}
	for goal, named := range map[string]bool{`Add the line "ZZ" to the newest note.`: false,
		`Add "ZZ" to the note about ideas.`: true, `Add "ZZ" where Tom is to be asked about the bicycle and the basil on the balcony.`: true} {
		s, notes := made(goal, notesApp, "tap note_title", "tap edit_body", "type ZZ", "tap save")
		h := hold(evening, image.Point{})
		record(t, h, listed(t, "notes-order"), []string{notesApp, "tap new_note", "type Newer", "tap save"})
		filled, err := s.Fill(map[string]any{"line": "QQ"})
		require.NoError(t, err)
		require.Equal(t, named, s.Steps[1].Targets != nil, goal)
		require.Equal(t, named, repeat(t, h, filled), goal)
		told := strings.Contains(strings.Join(notes, "\n"), `step 2: "Ideas" was chosen by the model`)
		require.Equal(t, named, !told, "%q", notes)
		if !named {
			require.NotContains(t, s.Steps[1].Say, "Ideas")
		}
	}
	s, notes := made("Like the last message of Tom, ZZ.", smsApp, "tap Tom", "twice See you on Sunday",
		"tap compose_message_text", "type ZZ")
	require.Len(t, notes, 1)
	require.NotNil(t, s.Steps[1].Targets)
	require.Nil(t, s.Steps[2].Targets)
}

// The end of a drag is a place in the order of a list, whatever is there: another note on top is
// no reason to drop it behind that one.
func TestADragEndsAtAPlaceInTheOrder(t *testing.T) {
	task := listed(t, "notes-order")
	made := func(goal string, walk ...string) (*skill.Skill, []string) {
		task := task
		task.Goal = goal
		src := record(t, hold(morning, image.Point{}), task, append([]string{notesApp}, walk...))
		s, notes, err := skill.Make(src, skill.MakeOptions{Name: "order"})
		require.NoError(t, err)
		return s, notes
	}
	for first, last := range map[string]string{
		"drag Packing list to Ideas":          "drag Ideas to Packing list",
		"slide Reorder Packing list to Ideas": "slide Reorder Ideas to Packing list", // by its handle
	} {
		top, notes := made(task.Goal, first)
		require.Empty(t, notes)
		h := hold(evening, image.Point{})
		record(t, h, task, []string{notesApp, "tap new_note", "type Zeta", "tap save"})
		for range 2 { // the second time it is there already
			require.True(t, repeat(t, h, top))
			require.Equal(t, []string{"Packing list", "Zeta", "Ideas", "Wi-Fi guests"}, notesOf(t, h), first)
		}
		end, notes := made("Move Ideas to the end", last)
		require.Empty(t, notes)
		require.True(t, repeat(t, h, end))
		require.Equal(t, []string{"Packing list", "Zeta", "Wi-Fi guests", "Ideas"}, notesOf(t, h), last)
	}
	h := hold(evening, image.Point{})
	for goal, walk := range map[string]string{
		`Move "Packing list" above "Ideas"`: "drag Packing list to Ideas", // not: to the top
		`Put "Packing list" before "Ideas"`: "slide Reorder Packing list to Ideas",
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
