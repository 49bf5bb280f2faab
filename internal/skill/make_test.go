package skill

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

func TestAValueIsAParameterWhereItIsAWholeWord(t *testing.T) {
	m := &maker{names: map[string]string{"M": "size", "Tom": "who", "1": "n1", "12": "n2",
		"购物": "what"}, used: map[string]int{}}
	for text, want := range map[string]string{
		"Merino T-shirt, M":  "Merino T-shirt, {{size}}",
		"Tom, Tomorrow, Tom": "{{who}}, Tomorrow, {{who}}",
		"1 of 12, not 21":    "{{n1}} of {{n2}}, not 21",
		"新建购物便签":             "新建{{what}}便签",
		"":                   "",
	} {
		require.Equal(t, want, m.general(text))
	}
}

// What was typed from a screen is another text the next time, and is not replayed.
func TestWhatWasReadFromAScreenIsNotTypedAgain(t *testing.T) {
	field := screen.Element{Class: "android.widget.EditText", Editable: true, Focused: true,
		Enabled: true, ResourceID: "app:id/text", Bounds: screen.Rect{
			Max: screen.Point{X: 0.5, Y: 0.1}}}
	code := screen.Element{Class: "android.widget.TextView", Text: "Your code: 4711", Enabled: true,
		Bounds: screen.Rect{Min: screen.Point{Y: 0.2}, Max: screen.Point{X: 0.5, Y: 0.3}}}
	for text, known := range map[string]bool{"4711": false, "Anna": true} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Log in as Anna."}}
		for i, a := range []actions.Action{actions.Home{}, actions.Type{Text: text},
			actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Elements: []screen.Element{field, code},
					Decision: actions.Decision{Action: a}}}})
		}
		s, notes, err := Make(src, MakeOptions{Name: "login"})
		require.NoError(t, err)
		require.Equal(t, known, s.Steps[1].Focus != nil, "%s %q", text, notes)
	}
	_, _, err := Make(Source{Run: store.Run{State: store.Completed, Task: "Say hello."},
		Steps: []store.StepRecord{{State: store.Done, Step: agentloop.Step{Index: 1,
			Proposal: agentloop.Proposal{Elements: []screen.Element{field},
				Decision: actions.Decision{Action: actions.Home{}}}}}}},
		MakeOptions{Name: "hello", Params: map[string]string{"what": "hello"}})
	require.ErrorContains(t, err, "used no such text in its steps")
}

// A field that shows its hint as its text is empty: it holds afterwards what was typed, and no more.
// On a page where it has text it is not typed into.
func TestAFieldThatShowedItsHintHasToBeEmpty(t *testing.T) {
	at := screen.Point{X: 0.2, Y: 0.05}
	field := func(text string) *page {
		return &page{picture: func() image.Image { return nil }, list: []screen.Element{{
			Class: "EditText", Text: text, Editable: true, Focused: true, Enabled: true, Clickable: true,
			ResourceID: "app:id/body", Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.1}}}}}
	}
	for name, c := range map[string]struct {
		was, becomes string
		types        actions.Type
		fits, not    string // what it may show when it is repeated, and may not
	}{
		"a hint":          {"Note", "ZZ", actions.Type{Text: "ZZ"}, "Note", "fridge"},
		"after a tap":     {"Note", "ZZ", actions.Type{Text: "ZZ", At: &at}, "Note", "fridge"},
		"of its value":    {"Note on ZZ", "ZZ", actions.Type{Text: "ZZ"}, "Note on QQ", "Note on ZZ"},
		"nothing":         {"", "ZZ", actions.Type{Text: "ZZ"}, "", "Note"},
		"text":            {"Milk", "MilkZZ", actions.Type{Text: "ZZ"}, "Eggs", ""},
		"a chosen number": {"08", "ZZ", actions.Type{Text: "ZZ"}, "09", ""},
		"cleared":         {"Note", "ZZ", actions.Type{Text: "ZZ", Clear: true}, "Eggs", ""},
		"cleared before":  {"", "ZZ", actions.Type{Text: "ZZ", Clear: true}, "Eggs", ""},
	} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Type ZZ."}}
		for i, a := range []actions.Action{c.types, actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Decision: actions.Decision{Action: a},
					Elements: field([]string{c.was, c.becomes}[i]).list}}})
		}
		s, _, err := Make(src, MakeOptions{Name: "fill", Params: map[string]string{"add": "ZZ"}})
		require.NoError(t, err)
		s, err = s.Fill(map[string]any{"add": "QQ"})
		require.NoError(t, err)
		on := func(shows string) error {
			x := &moment{Policy: New(Plan{s, HealOff}, nil, "en", "en"), page: field(shows), at: &Place{}}
			_, err := x.ready(0)
			return err
		}
		require.NoError(t, on(c.fits), name)
		if c.not != "" {
			require.ErrorContains(t, on(c.not), "has text in it already", name)
		}
	}
}

// What is entered key by key is no parameter, or a part of one would be taken for it. Where a value
// came to be shown, it has to be there at the end, whatever else is.
func TestKeysAreNoParametersAndValuesHaveToBeShown(t *testing.T) {
	at := func(n int) screen.Rect {
		return screen.Rect{Min: screen.Point{Y: float64(n) / 10},
			Max: screen.Point{X: 0.5, Y: float64(n+1) / 10}}
	}
	made := func(value string, labels ...string) (*Skill, error) {
		src := Source{Run: store.Run{State: store.Completed, Task: "Set " + value + "."}}
		for i := range len(labels) + 1 {
			list := []screen.Element{{Text: "Title", Bounds: at(8)}, {Text: "Keys", Bounds: at(9)}}
			for n, label := range labels {
				list = append(list, screen.Element{Class: "android.widget.Button", Text: label,
					Clickable: true, Enabled: true, Bounds: at(n)})
			}
			var a actions.Action = actions.Complete{Report: "Done."}
			if i < len(labels) {
				a = actions.Click{At: at(i).Center()}
			} else {
				list = append(list, screen.Element{Text: value + "!", Bounds: at(7)})
			}
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Elements: list,
					Decision: actions.Decision{Action: a}}}})
		}
		s, _, err := Make(src, MakeOptions{Name: "keys", Params: map[string]string{"n": value}})
		return s, err
	}
	for value, keys := range map[string][]string{"19": {"1", "9"}, "5": {"5", "0"}} {
		_, err := made(value, keys...)
		require.ErrorContains(t, err, "used no such text in its steps")
		require.Contains(t, hint.Of(err), "key by key")
	}
	s, err := made("5", "5", "OK")
	require.NoError(t, err)
	require.Equal(t, "{{n}}", s.Steps[0].Targets[0].Label)
	s, err = s.Fill(map[string]any{"n": "7"})
	require.NoError(t, err)
	shown := func(texts ...string) *page {
		p := &page{}
		for n, words := range texts {
			p.list = append(p.list, screen.Element{Text: words, Bounds: at(n)})
		}
		return p
	}
	require.NoError(t, s.Ends.holds(shown("Title", "Keys", "OK", "7!")))
	require.ErrorContains(t, s.Ends.holds(shown("Title", "Keys", "OK", "5!")), `"7!"`)
}

// A secret stays one: the question for it is asked again, and what shows it is not recorded. What a
// screen or a task has in braces is no parameter.
func TestASecretAndTextsInBracesAreNoParameters(t *testing.T) {
	field := screen.Element{Class: "android.widget.EditText", Editable: true, Focused: true,
		Enabled: true, ResourceID: "app:id/pin", Bounds: screen.Rect{
			Max: screen.Point{X: 0.5, Y: 0.1}}}
	shown := screen.Element{Class: "android.widget.TextView", Text: "{{secret}} for {{user}}",
		Enabled: true, Clickable: true, Bounds: screen.Rect{Min: screen.Point{Y: 0.2},
			Max: screen.Point{X: 0.5, Y: 0.3}}}
	why := "for {{user}}"
	made := func(list ...actions.Action) *Skill {
		src := Source{Run: store.Run{State: store.Completed, Task: "Log {{user}} in."}}
		for i, a := range append(list, actions.Complete{Report: "Typed {{secret}}."}) {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: []screen.Element{field, shown},
					Decision: actions.Decision{Action: a, Explain: why}}}}
			if _, is := a.(actions.Info); is {
				r.Exchange = &actions.Exchange{Answer: "{{secret}}"}
			}
			src.Steps = append(src.Steps, r)
		}
		s, _, err := Make(src, MakeOptions{Name: "login"})
		require.NoError(t, err)
		require.Empty(t, s.problems(nil))
		require.Equal(t, "Log user in.", s.Task)
		require.Empty(t, s.Answer)
		require.NotContains(t, s.texts(), "{{user}}")
		return s
	}
	asked := made(actions.Info{Question: "The PIN?"}, actions.Type{Text: "{{secret}}"})
	require.NotNil(t, asked.Steps[1].Focus)
	for _, a := range []actions.Action{actions.Type{Text: "{{secret}}"},
		actions.Type{Text: "{{user}}"}, actions.Click{At: screen.Point{X: 0.2, Y: 0.25}}} {
		why = "" // what it is for is said by what was there
		step := made(a).Steps[0]
		require.True(t, step.Focus == nil && step.Targets == nil, "%+v", step)
	}
}

// What a parameter names is one of the kin of what was touched, and no other thing that says the
// same: neither the thing that says so, nor what was there before, lets a run end well.
func TestAParameterNamesOneOfItsKin(t *testing.T) {
	choices := []string{"41", "42", "Large", "black", "white", "Add to cart"}
	for kind, id := range map[string]func(n int) string{
		"an id with the value": func(n int) string {
			return "app:id/" + []string{"size_", "size_", "size_", "colour_", "colour_", "do_"}[n] + choices[n]
		},
		"one id for the kin": func(n int) string {
			return "app:id/" + []string{"size", "size", "size", "colour", "colour", "do"}[n]
		},
		"no id": func(int) string { return "" },
	} {
		shown := func(chosen int) (list []screen.Element) {
			for n, says := range append(choices, "Sizes") {
				x, y := float64(n%3)/3, 0.1+0.2*float64(n/3)
				e := screen.Element{Class: "android.widget.Button", Text: says, Clickable: true,
					Enabled: true, Selected: n == chosen, Bounds: screen.Rect{
						Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + 0.3, Y: y + 0.1}}}
				if n < len(choices) {
					e.ResourceID = id(n)
				}
				list = append(list, e)
			}
			return list
		}
		src := Source{Run: store.Run{State: store.Completed, Task: "Choose size 42."}}
		for i, a := range []actions.Action{actions.Info{Question: "Your size?"},
			actions.Click{At: shown(-1)[1].Bounds.Center()}, actions.Complete{Report: "Done."}} {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: shown(i*2 - 3), // the last: 42
					Decision: actions.Decision{Action: a}}}}
			if i == 0 {
				r.Exchange = &actions.Exchange{Answer: "42"}
				r.Proposal.Elements = nil // on another page
			}
			src.Steps = append(src.Steps, r)
		}
		s, _, err := Make(src, MakeOptions{Name: "size", Params: map[string]string{"size": "42"}})
		require.NoError(t, err, kind)
		require.Len(t, s.Steps, 1)
		require.True(t, *s.Steps[0].After.On, kind)
		require.Empty(t, s.Steps[0].After.Elements, kind)
		for _, e := range s.Ends.Elements {
			require.False(t, e.Must, "%s: %s was there before", kind, e.Text)
		}
		for value, want := range map[string]int{"42": 1, "41": 0, "Large": 2, "black": -1,
			"white": -1, "Add to cart": -1, "43": -1} {
			filled, err := s.Fill(map[string]any{"size": value})
			require.NoError(t, err)
			p := &page{list: shown(-1), picture: func() image.Image { return nil }}
			_, i, err := p.find(&filled.Steps[0].Targets[0])
			require.Equal(t, want, i, "%s: %s: %v", kind, value, err)
			if want >= 0 {
				require.Error(t, filled.Steps[0].follows(p, false), "nothing was chosen")
				p.list = shown(want)
				require.NoError(t, filled.Steps[0].follows(p, false))
			}
		}
	}
}

// A name in a row of a list is found in the row of another name by its place in it: the same words
// at another place, such as the last message's, are not touched.
func TestAParameterNamesARowByTheSamePlaceInIt(t *testing.T) {
	chats := func(rows ...[3]string) (list []screen.Element) {
		for n, row := range rows {
			y := 0.1 + 0.1*float64(n)
			at := func(x, w float64) screen.Rect {
				return screen.Rect{Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + w, Y: y + 0.08}}
			}
			list = append(list, screen.Element{Class: "Row", ResourceID: "app:id/chat", Depth: 1,
				Clickable: true, Enabled: true, Bounds: at(0, 0.9)})
			for k, says := range row {
				list = append(list, screen.Element{Class: "Text", Text: says, Depth: 2, Enabled: true,
					Bounds: at(0.3*float64(k), 0.25)})
			}
		}
		return list
	}
	src := Source{Run: store.Run{State: store.Completed, Task: "Write to Tom."}}
	for i, a := range []actions.Action{actions.Click{At: screen.Point{X: 0.5, Y: 0.14}},
		actions.Complete{Report: "Done."}} {
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Proposal: agentloop.Proposal{Decision: actions.Decision{Action: a},
				Elements: chats([3]string{"T", "Tom", "See you"}, [3]string{"A", "Anna", "Bye"})}}})
	}
	s, _, err := Make(src, MakeOptions{Name: "write", Params: map[string]string{"who": "Tom"}})
	require.NoError(t, err)
	s, err = s.Fill(map[string]any{"who": "Mom"})
	require.NoError(t, err)
	found := func(rows ...[3]string) int {
		p := &page{list: chats(rows...), picture: func() image.Image { return nil }}
		_, i, _ := p.find(&s.Steps[0].Targets[0])
		return i
	}
	require.Equal(t, 6, found([3]string{"A", "Anna", "Mom"}, [3]string{"M", "Mom", "Bye"}))
	require.Equal(t, -1, found([3]string{"A", "Anna", "Mom"}, [3]string{"T", "Tom", "Hi"}))
	require.Equal(t, -1, found([3]string{"A", "Mom", "x"}, [3]string{"M", "Mom", "Bye"}), "two")
}

// choice is a run that asks for a size, and touches a button with it.
func choice(t *testing.T, answer, chosen string) (*Skill, []string) {
	t.Helper()
	src := Source{Run: store.Run{State: store.Completed, Task: "Buy the shoes in my size."}}
	for i, a := range []actions.Action{actions.Info{Question: "Your size?"}, nil,
		actions.Complete{Report: "You chose " + answer + "."}} {
		list := sizes()
		for _, e := range list {
			if a == nil && e.Text == chosen {
				a = actions.Click{At: e.Bounds.Center()}
			}
		}
		r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 4, // not from 1
			Proposal: agentloop.Proposal{Elements: list, Decision: actions.Decision{Action: a}}}}
		if i == 0 {
			r.Exchange = &actions.Exchange{Answer: answer}
		}
		src.Steps = append(src.Steps, r)
	}
	s, notes, err := Make(src, MakeOptions{Name: "size"})
	require.NoError(t, err)
	return s, notes
}

func sizes() (list []screen.Element) {
	for n, says := range []string{"38", "42"} {
		list = append(list, screen.Element{Class: "Button", Text: says, Clickable: true,
			ResourceID: "app:id/size_" + says, Enabled: true, Bounds: screen.Rect{
				Min: screen.Point{X: float64(n) / 3, Y: 0.1},
				Max: screen.Point{X: float64(n)/3 + 0.3, Y: 0.2}}})
	}
	return list
}

// What a person's answer chose is chosen by this run's answer. Where no step has the answer, and it
// is another one, or there is none, the model does what follows.
func TestWhatAPersonChoseIsChosenByThisRunsAnswer(t *testing.T) {
	for _, c := range []struct{ recorded, answer, touches string }{
		{"42", "38", "38"}, {"42", "42", "42"}, {"42", "39", ""}, {"42", "", ""},
		{"forty-two", "38", ""}, {"forty-two", "forty-two", "42"}, {"forty-two", "", ""},
	} {
		s, notes := choice(t, c.recorded, "42")
		require.Equal(t, []string{`step 1: "Your size?" stays a question`}, notes)
		m := &advisor{says: actions.Back{}}
		r := &replayed{t: t, policy: New(Plan{s, HealAuto}, m, "en", "en")}
		p := &page{list: sizes()}
		a, err := r.on(p)
		require.NoError(t, err)
		require.IsType(t, actions.Info{}, a)
		x := actions.Exchange{Question: "Your size?", Answer: c.answer, Outcome: actions.Answered}
		if c.answer == "" {
			x.Outcome = actions.NoReply
		}
		r.heard = append(r.heard, x)
		for range mostWaits + 1 {
			if a, err = r.on(p); a != nil && a.Verb() != "WAIT" {
				break
			}
		}
		require.NoError(t, err)
		click, is := a.(actions.Click)
		require.Equal(t, c.touches != "", is, "%+v: %v", c, a)
		if is {
			require.Equal(t, c.touches, p.list[screen.At(p.list, click.At, screen.Large)].Text, "%+v", c)
		}
		require.Equal(t, c.touches == "", len(m.asked) > 0, "%+v", c)
	}
}

// What is reported has this run's answer, where the recorded one was used.
func TestAReportHasTheAnswerOfItsOwnRun(t *testing.T) {
	s, _ := choice(t, "42", "42")
	require.Equal(t, "You chose {{answer 1}}.", s.Answer)
	s, _ = choice(t, "forty-two", "42")
	require.Equal(t, "You chose forty-two.", s.Answer)
}

// A take-over is held against how it ended: whatever was said then, a step follows that was recorded
// after the same end, and a model is asked after another.
func TestATakeoverIsHeldByHowItEnded(t *testing.T) {
	for name, c := range map[string]struct {
		recorded, now actions.Exchange
		holds         bool
	}{
		"done": {actions.Exchange{Answer: "done", Outcome: actions.HandedBack},
			actions.Exchange{Answer: "I put it in", Outcome: actions.HandedBack}, true},
		"another language": {actions.Exchange{Answer: "已完成", Outcome: actions.HandedBack},
			actions.Exchange{Answer: "done", Outcome: actions.HandedBack}, true},
		"could not": {actions.Exchange{Answer: "done", Outcome: actions.HandedBack},
			actions.Exchange{Answer: "done", Outcome: actions.CouldNot}, false},
		"could not then": {actions.Exchange{Answer: "no reason", Outcome: actions.CouldNot},
			actions.Exchange{Answer: "it is locked", Outcome: actions.CouldNot}, true},
		"could then": {actions.Exchange{Answer: "no", Outcome: actions.CouldNot},
			actions.Exchange{Answer: "no", Outcome: actions.HandedBack}, false},
		"nobody": {actions.Exchange{Answer: "done", Outcome: actions.HandedBack},
			actions.Exchange{Outcome: actions.Silence}, false},
		"what was said is chosen": {actions.Exchange{Answer: "42", Outcome: actions.HandedBack},
			actions.Exchange{Answer: "42", Outcome: actions.CouldNot}, false},
	} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Buy shoes."}}
		for i, a := range []actions.Action{actions.Info{Question: "Log in, please.", ByHand: true},
			actions.Click{At: sizes()[1].Bounds.Center()}, actions.Complete{Report: "Done."}} {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: sizes(), Decision: actions.Decision{Action: a}}}}
			if i == 0 {
				r.Exchange = &c.recorded
			}
			src.Steps = append(src.Steps, r)
		}
		s, _, err := Make(src, MakeOptions{Name: "login"})
		require.NoError(t, err)
		m := &advisor{says: actions.Back{}}
		r := &replayed{t: t, policy: New(Plan{s, HealAuto}, m, "en", "en")}
		_, err = r.on(&page{list: sizes()})
		require.NoError(t, err)
		c.now.Question = "Log in, please."
		r.heard = append(r.heard, c.now)
		a, err := r.on(&page{list: sizes()})
		require.NoError(t, err)
		require.Equal(t, c.holds, a.Verb() == actions.Click{}.Verb(), "%s: %v", name, a)
		require.Equal(t, c.holds, len(m.asked) == 0, name)
	}
}

// dentists is a run that types this after it has read a message.
func dentists(typed string) Source {
	field := screen.Element{Class: "EditText", Editable: true, Focused: true, Enabled: true,
		ResourceID: "app:id/text", Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.1}}}
	message := screen.Element{Class: "TextView", Enabled: true,
		Text: "Notes of Dr. Lee: your check-up is on Tuesday at 14:20.", Bounds: screen.Rect{
			Min: screen.Point{Y: 0.2}, Max: screen.Point{X: 0.5, Y: 0.3}}}
	src := Source{Run: store.Run{State: store.Completed, Task: `Write a note "Dentist".`}}
	for i, a := range []actions.Action{actions.OpenApp{App: "Notes"}, actions.Wait{},
		actions.Type{Text: typed}, actions.Complete{Report: "Write A Note: done."}} {
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Screen: screen.Observation{State: screen.State{App: []string{"launcher", "notes"}[i/2]}},
			Proposal: agentloop.Proposal{Decision: actions.Decision{Action: a},
				Elements: []screen.Element{field, message, {Text: "Write A Note"}}}}})
	}
	return src
}

// Words and numbers that a typed text has from a screen, and neither the task nor a person said,
// are others the next time, however they were put together. What comes from nowhere is told. The
// note names the skill's step.
func TestATextMadeOfWhatWasReadIsNotTypedAgain(t *testing.T) {
	for typed, note := range map[string]string{"Tuesday 14:20": "was read from a screen",
		"at 14:20 sharp": "was read from a screen", "Dentist Tuesday": "was read from a screen",
		"Dentist": "", "dentist": "", "see you there": "typed as it is", "14.20": "typed as it is",
		"2:20 pm": "typed as it is", "see you on Tue": "typed as it is"} {
		s, notes, err := Make(dentists(typed), MakeOptions{Name: "dentist"})
		require.NoError(t, err)
		require.Equal(t, !strings.Contains(note, "read"), s.Steps[1].Focus != nil, "%s %q", typed, notes)
		if note == "" {
			require.Empty(t, notes, typed)
			continue
		}
		require.Len(t, notes, 1, typed)
		require.Contains(t, notes[0], "step 2: ")
		require.Contains(t, notes[0], note, typed)
	}
}

// The app of a skill is the one of most steps, of two the later one. What it reports in the task's
// own words was not read.
func TestAShortSkillIsOfTheAppThatItOpens(t *testing.T) {
	for range 20 {
		src := dentists("Write A Note")
		src.Steps = slices.Delete(src.Steps, 1, 2)
		s, _, err := Make(src, MakeOptions{Name: "dentist"})
		require.NoError(t, err)
		require.Equal(t, "notes", s.App.Package)
		require.Equal(t, "Write A Note: done.", s.Answer)
	}
}

// A step whose text was read stays one that a model is asked for, at once and with what the run has
// seen, and whatever was typed in its place.
func TestATextThatWasReadStaysTheModels(t *testing.T) {
	src := dentists("Tuesday 14:20")
	s, _, err := Make(src, MakeOptions{Name: "dentist"})
	require.NoError(t, err)
	list, m := src.Steps[0].Proposal.Elements, &advisor{says: actions.Type{Text: "Wednesday 9:10"}}
	at := Place{At: 1, Replayed: 1}
	_, err = New(Plan{s, HealAuto}, m, "en", "en").Next(t.Context(), agentloop.Situation{
		Reader: listing(list), Album: album{src.Steps[0].Step}, Screen: src.Steps[2].Screen, Step: 3,
		Progress: agentloop.Progress{Task: s.Task, History: []actions.Turn{at.turn()}}})
	require.NoError(t, err)
	require.Len(t, m.asked, 1, "it waits")
	require.Contains(t, m.asked[0], "your check-up is on Tuesday at 14:20")
	require.Contains(t, m.asked[0], "what it types or touches was not known by itself")

	made, _, err := Make(dentists("see you there"), MakeOptions{Name: "dentist"})
	require.NoError(t, err)
	s.heal(made, []Healed{{Step: 2, Session: 3}})
	require.Nil(t, s.Steps[1].Focus, "what was typed this time is typed ever after")
	b, err := s.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(b), "see you there")
}

// album is what a run has done.
type album []agentloop.Step

func (a album) Steps(context.Context) ([]agentloop.Step, error) { return a, nil }

func (album) Frame(context.Context, int) (*screen.Frame, error) { return nil, store.ErrNotFound }

// The name of a card is found in its title, whatever else the card says of it.
func TestAValueIsFoundInTheTitleOfACard(t *testing.T) {
	cards := func(names ...string) (list []screen.Element) {
		for n, name := range names {
			y := 0.1 + 0.2*float64(n)
			at := func(x float64) screen.Rect {
				return screen.Rect{Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + 0.3, Y: y + 0.1}}
			}
			list = append(list, screen.Element{Class: "Card", ResourceID: "app:id/note", Depth: 1,
				Clickable: true, Enabled: true, Bounds: screen.Rect{Min: screen.Point{Y: y},
					Max: screen.Point{X: 0.9, Y: y + 0.1}}})
			for k, says := range []string{name, name + " of the year", "Reorder " + name} {
				list = append(list, screen.Element{Class: "Text", Text: says, Depth: 2, Enabled: true,
					ResourceID: []string{"app:id/title", "app:id/body", "app:id/handle"}[k],
					Bounds:     at(0.3 * float64(k))})
			}
		}
		return list
	}
	src := Source{Run: store.Run{State: store.Completed, Task: `Open "Ideas".`}}
	for i, a := range []actions.Action{actions.Click{At: screen.Point{X: 0.85, Y: 0.32}},
		actions.Complete{Report: "Done."}} {
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Proposal: agentloop.Proposal{Elements: cards("Trip", "Ideas"),
				Decision: actions.Decision{Action: a}}}})
	}
	s, notes, err := Make(src, MakeOptions{Name: "open", Params: map[string]string{"note": "Ideas"}})
	require.NoError(t, err)
	require.Empty(t, notes)
	s, err = s.Fill(map[string]any{"note": "Plans"})
	require.NoError(t, err)
	p := &page{list: cards("Plans", "Ideas"), picture: func() image.Image { return nil }}
	_, i, err := p.find(&s.Steps[0].Targets[0])
	require.NoError(t, err)
	require.Equal(t, 1, i)
}

// People are asked and told in their language, whatever the model's is.
func TestPeopleAreAskedInTheirLanguage(t *testing.T) {
	other := home
	other.otherApp = true
	m := &advisor{says: actions.Back{}}
	r := &replayed{t: t, policy: New(Plan{chats(t), HealAsk}, m, "zh", "en")}
	r.waits(other)
	a, err := r.next(other)
	require.NoError(t, err)
	require.Contains(t, a.(actions.Info).Question, "May the model decide this step?")
	r.heard = append(r.heard, actions.Exchange{Question: a.(actions.Info).Question, Answer: "Yes",
		Outcome: actions.Answered})
	_, err = r.next(other)
	require.NoError(t, err)
	require.Contains(t, m.asked[0], "下一个录制的步骤")
}

// A value of which a run types the beginning only is told.
func TestAValueThatIsTypedInPartIsTold(t *testing.T) {
	field := screen.Element{Class: "EditText", Editable: true, Focused: true, Enabled: true,
		ResourceID: "app:id/to", Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.1}}}
	row := screen.Element{Class: "TextView", Text: "Anna Berg", Enabled: true, Clickable: true,
		Bounds: screen.Rect{Min: screen.Point{Y: 0.2}, Max: screen.Point{X: 0.5, Y: 0.3}}}
	for typed, told := range map[string]bool{"ann": true, "Anna": true, "Anna Berg": false,
		"a": false, "to": false} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Write to Anna Berg."}}
		for i, a := range []actions.Action{actions.Type{Text: typed},
			actions.Click{At: row.Bounds.Center()}, actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, FrameID: "f",
				Step: agentloop.Step{Index: i + 4, Proposal: agentloop.Proposal{
					Decision: actions.Decision{Action: a},
					Elements: []screen.Element{field, row}}}})
		}
		s, notes, err := Make(src, MakeOptions{Name: "write",
			Params: map[string]string{"who": "Anna Berg"}})
		require.NoError(t, err)
		require.Equal(t, "f", s.Recorded.Frame)
		require.Equal(t, 5, s.Steps[1].index)
		if !told {
			require.Empty(t, notes, typed)
			continue
		}
		require.Equal(t, []string{`step 1: what is typed is a part of "Anna Berg": it is typed ` +
			"for every other value, too"}, notes, typed)
	}
}
