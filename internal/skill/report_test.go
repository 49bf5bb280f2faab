package skill

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// What a model did in a step's place is proposed for that step, with those that it made needless.
// The others, and what the model did for the moment only, leave the skill as it is.
func TestAHealChangesItsStepAlone(t *testing.T) {
	for name, c := range map[string]struct {
		healed []Healed
		want   []string
	}{
		"one":       {[]Healed{{Step: 2, Session: 12}}, []string{"a", "did 12", "c", "d"}},
		"two in it": {[]Healed{{Step: 2, Session: 12}, {Step: 2, Session: 13}}, []string{"a", "did 12", "did 13", "c", "d"}},
		"two apart": {[]Healed{{Step: 1, Session: 11}, {Step: 4, Session: 14}}, []string{"did 11", "b", "c", "did 14"}},
		"over others": {[]Healed{{Step: 1, Session: 11, Over: 2}, {Step: 4, Session: 14}},
			[]string{"did 11", "did 14"}},
		"aside":       {[]Healed{{Step: 2, Session: 12, Aside: true}}, nil},
		"not done":    {[]Healed{{Step: 2, Session: 99}}, nil},
		"at the end":  {[]Healed{{Step: 5, Session: 14}}, nil},
		"no heals":    {nil, nil},
		"beyond last": {[]Healed{{Step: 4, Session: 14, Over: 3}}, []string{"a", "b", "c", "did 14"}},
	} {
		s := &Skill{Recorded: Recorded{Session: "old"}}
		for _, say := range []string{"a", "b", "c", "d"} {
			s.Steps = append(s.Steps, Step{Say: say})
		}
		made := &Skill{Recorded: Recorded{Session: "new"}}
		for n, say := range []string{"did 11", "did 12", "did 13", "did 14"} {
			made.Steps = append(made.Steps, Step{Say: say, index: 11 + n})
		}
		require.Equal(t, c.want != nil, s.heal(made, c.healed), name)
		if c.want == nil {
			c.want = []string{"a", "b", "c", "d"}
		}
		var says []string
		for _, step := range s.Steps {
			says = append(says, step.Say)
			require.Equal(t, len(step.Say) > 1, step.Session == "new", name)
		}
		require.Equal(t, c.want, says, name)
		require.Equal(t, "old", s.Recorded.Session)
	}
}

// A heal that would have another answer stand where the skill names one by its number is not taken.
func TestAHealLeavesTheNumbersOfAnswersAsTheyAre(t *testing.T) {
	ask, tell := `{"verb":"INFO","question":"Who?"}`, `{"verb":"TYPE","text":"{{answer 1}}"}`
	home := `{"verb":"HOME"}`
	of := func(list ...string) *Skill {
		s := &Skill{}
		for n, a := range list {
			s.Steps = append(s.Steps, Step{index: 11 + n, Focus: &Target{}})
			require.NoError(t, s.Steps[n].Action.UnmarshalJSON([]byte(a)))
		}
		return s
	}
	for _, c := range []struct {
		was, made *Skill
		step      int
		healed    bool
	}{
		{of(ask, tell), of(home, home), 1, false}, // no question, and its answer is typed
		{of(ask, home), of(home, home), 1, true},
		{of(ask, tell), of(ask, home), 2, true},
		{of(ask, home, tell), of(ask, ask, home), 2, false},
		{of(ask, home), of(ask, tell), 2, true},
		{of(home, home), of(ask, tell), 2, false}, // the answer to whether it may be healed
	} {
		before := c.was.texts()
		require.Equal(t, c.healed, c.was.heal(c.made, []Healed{{Step: c.step, Session: 10 + c.step}}), before)
		require.Equal(t, c.healed, c.was.texts() != before)
	}
}

// A way back is no typing: a heal that took back what it had done leaves the text to be typed.
func TestAWayBackDoesNotReplaceATypedText(t *testing.T) {
	s, made := &Skill{Steps: make([]Step, 1)}, &Skill{Steps: []Step{{index: 11}}}
	require.NoError(t, s.Steps[0].Action.UnmarshalJSON([]byte(`{"verb":"TYPE","text":"{{title}}"}`)))
	require.NoError(t, made.Steps[0].Action.UnmarshalJSON([]byte(`{"verb":"BACK"}`)))
	s.Steps[0].Focus = &Target{}
	require.False(t, s.heal(made, []Healed{{Step: 1, Session: 11}}))
	require.Contains(t, s.texts(), "{{title}}")
}

// What a model did in a step's place and a person rejected has healed nothing.
func TestAHealThatIsRejectedIsNone(t *testing.T) {
	for _, note := range []agentloop.NoteKind{agentloop.NoteRejected, agentloop.NoteRejectedSilently} {
		r, _ := begun(t)
		dialog := home
		dialog.dialog = true
		r.waits(dialog)
		_, err := r.next(dialog)
		require.NoError(t, err)
		require.Len(t, r.place().Healed, 1)
		_, err = r.next(dialog, note)
		require.NoError(t, err)
		require.Empty(t, r.place().Healed, note)
	}
}

// The screen that was recorded is known of every step, and of the end.
func TestTheRecordedScreenIsKnownOfTheEndToo(t *testing.T) {
	s := &Skill{Recorded: Recorded{Session: "old", Frame: "end"},
		Steps: []Step{{Frame: "first"}, {Frame: "second", Session: "healed"}}}
	b, err := json.Marshal(map[string]any{"skill": Plan{Skill: s, Heal: HealOff}})
	require.NoError(t, err)
	for at, want := range [][2]string{{"first", "old"}, {"second", "healed"}, {"end", "old"}} {
		run := store.Run{StopReason: agentloop.SkillDiverged, Settings: b,
			Progress: agentloop.Progress{History: []actions.Turn{Place{At: at}.turn()}}}
		frame, session := Diverged(run)
		require.Equal(t, want, [2]string{frame, session})
		run.StopReason = agentloop.ReplayDiverged
		frame, _ = Diverged(run)
		require.Empty(t, frame)
	}
}

// strayed is a run that repeats a note's steps, in which a model opened another note first, unless
// page, and went back.
func strayed(t *testing.T, list []screen.Element) Source {
	t.Helper()
	is := func(words string, y float64, field bool) screen.Element {
		return screen.Element{Class: "View", Text: words, Clickable: true, Enabled: true, Editable: field,
			Focused: field, ResourceID: map[bool]string{true: "app:id/field"}[field],
			Bounds: screen.Rect{Min: screen.Point{Y: y}, Max: screen.Point{X: 0.5, Y: y + 0.1}}}
	}
	notes := []screen.Element{is("Ideas", 0.1, false), is("New note", 0.5, false)}
	edit := []screen.Element{is("", 0.3, true), is("Save", 0.7, false)}
	src := Source{Run: store.Run{State: store.Completed, Task: "Note B4.", SessionID: "new"}}
	for i, s := range []struct {
		on []screen.Element
		a  actions.Action
	}{{notes, actions.Click{At: notes[0].Bounds.Center()}}, {edit, actions.Back{}},
		{append(list, notes...), nil}, {edit, actions.Type{Text: "B4"}},
		{edit, actions.Click{At: edit[1].Bounds.Center()}}, {notes, actions.Complete{Report: "Done."}}} {
		if s.a == nil {
			s.a = actions.Click{At: notes[1].Bounds.Center()}
		}
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Proposal: agentloop.Proposal{Elements: s.on,
				Decision: actions.Decision{Action: s.a}}}})
	}
	return src
}

// What a model did and took back is no heal, also where the replay took it for a later step's: what
// it did instead is, and the other steps stay.
func TestAHealThatWasTakenBackIsNone(t *testing.T) {
	o := MakeOptions{Name: "note", Params: map[string]string{"title": "B4"}}
	whole, kept := []string{"New note", "{{title}}", "Save"}, []string{"Ideas", "BACK", "New note", "{{title}}", "Save"}
	for name, c := range map[string]struct {
		list   []screen.Element // that the screen has more, once the run is back
		healed []Healed
		want   []string
	}{
		"of one step": {nil, []Healed{{Step: 1, Session: 1}, {Step: 1, Session: 2},
			{Step: 1, Session: 3, Next: 2}}, whole},
		"a later one's": {nil, []Healed{{Step: 1, Session: 1, Next: 2}, {Step: 2, Session: 2},
			{Step: 2, Session: 3, Aside: true, Next: 2}}, whole},
		"over others": {nil, []Healed{{Step: 1, Session: 1, Over: 1, Next: 3}, {Step: 3, Session: 2},
			{Step: 3, Session: 3, Aside: true, Next: 2}}, whole},
		"another screen": {[]screen.Element{{Text: "Saved", Enabled: true}},
			[]Healed{{Step: 1, Session: 1}, {Step: 1, Session: 2}, {Step: 1, Session: 3, Next: 2}}, kept},
		"another screen, a later one's": {[]screen.Element{{Text: "Saved", Enabled: true}},
			[]Healed{{Step: 1, Session: 1, Next: 2}, {Step: 2, Session: 2},
				{Step: 2, Session: 3, Aside: true, Next: 2}}, append([]string{"Ideas"}, whole[1:]...)},
	} {
		src := strayed(t, c.list)
		s, _, err := Make(src, o)
		require.NoError(t, err)
		s.Steps = s.Steps[2:]
		s.Steps[0].Targets[0].Label = "Create note"
		made, _, err := Make(src, o)
		require.NoError(t, err)
		require.True(t, s.heal(made, src.lasting(c.healed)), name)
		var does []string
		for n := range s.Steps {
			a, err := s.Steps[n].action()
			require.NoError(t, err)
			says := a.Traits().Text
			for _, target := range s.Steps[n].Targets {
				says += target.Label
			}
			does = append(does, map[bool]string{true: a.Verb(), false: says}[says == ""])
		}
		require.Equal(t, c.want, does, name)
		require.Equal(t, []string{"title"}, s.used())
	}
}

// A step that was healed is checked with the values of the run that healed it.
func TestAHealedStepIsCheckedWithItsOwnValues(t *testing.T) {
	o := MakeOptions{Name: "note", Params: map[string]string{"title": "B4"}}
	s, _, err := Make(strayed(t, nil), o)
	require.NoError(t, err)
	now, err := s.Fill(map[string]any{"title": "B5"})
	require.NoError(t, err)
	b, err := json.Marshal(map[string]any{"skill": Plan{Skill: now}})
	require.NoError(t, err)
	for healed, want := range map[bool]string{false: "B4", true: "B5"} {
		then, err := s.then([]store.Run{{}, {Settings: b}}, healed)
		require.NoError(t, err)
		require.Contains(t, then.texts(), `"text":"`+want+`"`)
	}
	s.Params.Value = map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{}}}
	then, err := s.then(nil, false)
	require.NoError(t, err)
	require.Nil(t, then)
}
