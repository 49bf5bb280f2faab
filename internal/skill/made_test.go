package skill

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// reporting is the skill of a run that taps these labels, which are its parameters, and reports so. All
// of its screens show a text besides.
func reporting(t *testing.T, task, say, report, shown string, labels map[string]string) *Skill {
	t.Helper()
	src := Source{Run: store.Run{State: store.Completed, Task: task}}
	end := screen.Rect{Min: screen.Point{Y: 0.9}, Max: screen.Point{X: 0.5, Y: 1}}
	list := []screen.Element{{Class: "TextView", Text: shown, Enabled: true, Bounds: end},
		{Class: "android.widget.Button", Text: "Done", Clickable: true, Enabled: true, Bounds: end}}
	var taps []actions.Action
	for _, label := range labels {
		b := screen.Rect{Min: screen.Point{Y: float64(len(taps)) / 10},
			Max: screen.Point{X: 0.5, Y: float64(len(taps)+1) / 10}}
		list = append(list, screen.Element{Class: "android.widget.Button", Text: label,
			Clickable: true, Enabled: true, Bounds: b})
		taps = append(taps, actions.Click{At: b.Center()})
	}
	for i, a := range append(taps, actions.Complete{Report: report}) {
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Proposal: agentloop.Proposal{Elements: list,
				Decision: actions.Decision{Action: a, Explain: say}}}})
	}
	s, _, err := Make(src, MakeOptions{Name: "said", Params: labels})
	require.NoError(t, err)
	return s
}

// What is said of a run has the parameters in whatever spelling: else it would be false of the next
// run. What it has from the screen beside them is another text then, and what has them alone is not.
func TestWhatIsSaidOfARunHasTheParametersToo(t *testing.T) {
	alarm := reporting(t, "Set an alarm for 7:30.", "choose 7 o'clock", "The alarm at 7:30 is set.", "-",
		map[string]string{"h": "07", "m": "30"})
	require.Equal(t, "Set an alarm for {{h}}:{{m}}.", alarm.Task)
	require.Equal(t, "choose {{h}} o'clock", alarm.Steps[0].Say)
	require.Equal(t, "The alarm at {{h}}:{{m}} is set.", alarm.Answer)
	alarm = reporting(t, "Delete the alarm at 8:15, not 18:15.", "-", "The one at 8:15 is gone.", "-",
		map[string]string{"at": "08:15"})
	require.Equal(t, "Delete the alarm at {{at}}, not 18:15.", alarm.Task)
	require.Equal(t, "The one at {{at}} is gone.", alarm.Answer)
	note := reporting(t, "Move the note “Packing list” up.", "move it", "The packing list is on top.", "-",
		map[string]string{"note": "Packing list"})
	require.Equal(t, "The {{note}} is on top.", note.Answer)
	event := reporting(t, "Add an event Tea on day 30.", "-", "Tea on Monday, November 30 is in the calendar.",
		"Tea: Monday, November 30, all day", map[string]string{"name": "Tea", "day": "30"})
	require.Empty(t, event.Answer, "another day is no Monday")
	contact := reporting(t, "Add a contact: first name Greta, last name Holm.", "-",
		"The contact Greta Holm was added.", "Greta Holm", map[string]string{"a": "Greta", "b": "Holm"})
	require.Equal(t, "The contact {{a}} {{b}} was added.", contact.Answer)
}

// What is reported word for word holds of the next run: what a screen said beside the task, a part of a
// value, and what was asked for, is another thing then, so a model words it.
func TestAReportIsRepeatedIfTheTaskHasAllOfIt(t *testing.T) {
	for name, c := range map[string]struct{ task, report, shown, tapped, want string }{
		"a name":             {"Like the newest.", "The newest is from Tom.", "Tom, 9:41", "Newest", ""},
		"a small word":       {"Add Tea.", "Tea is on a sunny day.", "Sunny all day, no rain", "Tea", ""},
		"a short one":        {"Flip the switch of Tea.", "Tea is off.", "Off", "Tea", ""},
		"a number":           {"Add Tea.", "Tea is the 2nd.", "2", "Tea", ""},
		"a noun":             {"Add Tea.", "Tea was added by Anna.", "-", "Tea", ""},
		"a part of a value":  {"Move “Packing list” up.", "The list is up.", "-", "Packing list", ""},
		"a question":         {"Is Tea on?", "Tea is on.", "-", "Tea", ""},
		"a Chinese question": {"茶还有吗？", "茶还有。", "-", "茶", ""},
		"a Chinese day":      {"添加茶。", "茶已加到周一。", "周一，11月30日", "茶", ""},
		"nothing of it":      {"Add Tea.", "Tea was added, that is done.", "Are you done with it?", "Tea", "{{v}} was added, that is done."},
		"a word of the task": {"Add Tea for a Sunny day.", "Tea is on a sunny day.", "Sunny", "Tea", "{{v}} is on a sunny day."},
		"a word that came":   {"Add Tea.", "Tea saved.", "Saved", "Tea", ""},
		"a Chinese report":   {"添加茶。", "茶已添加。", "周一，11月30日", "茶", "{{v}}已添加。"},
	} {
		s := reporting(t, c.task, "-", c.report, c.shown, map[string]string{"v": c.tapped})
		require.Equal(t, c.want, s.Answer, name)
	}
}

// What came onto the phone only after a person had it may be what they typed: no words of it are
// written down, and none of it is touched again by its words, unless it is a control.
func TestWhatAPersonTypedByHandIsNotWritten(t *testing.T) {
	at := func(n int) screen.Rect {
		return screen.Rect{Min: screen.Point{Y: float64(n) / 10}, Max: screen.Point{X: 0.5, Y: float64(n+1) / 10}}
	}
	show := func(field string, says ...string) (list []screen.Element) {
		for n, words := range append([]string{field}, says...) {
			e := screen.Element{Class: "TextView", Text: words, Enabled: true, Bounds: at(n),
				ResourceID: "app:id/" + string(rune('a'+n)), Clickable: words == "Save" || words == "Send"}
			if n == 0 {
				e.Editable, e.Hint = true, "Note"
			}
			list = append(list, e)
		}
		list[1].Bounds = list[0].Bounds // in the row of the field
		return list
	}
	made := func(touches int, byHand bool) (*Skill, []string) {
		src := Source{Run: store.Run{State: store.Completed, Task: "Note the PIN for Anna."}}
		for i, s := range []struct {
			a  actions.Action
			on []screen.Element
		}{{actions.Info{Question: "Type it, please.", ByHand: byHand}, show("", "Edit", "Save")},
			{actions.Click{At: at(2).Center()}, show("geheim", "geheim, 6 letters", "Save", "geheim too")},
			{actions.Type{Text: "for you", At: &[]screen.Point{at(0).Center()}[0]}, show("geheim", "for you", "Send", "geheim", "Anna")},
			{actions.Click{At: at(touches).Center()}, show("geheim", "for you", "Send", "geheim", "Anna")},
			{actions.Complete{Report: "Done."}, show("", "geheim", "Edit", "for you")}} {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: s.on, Decision: actions.Decision{Action: s.a}}}}
			if i == 0 {
				r.Exchange = &actions.Exchange{Answer: "done", Outcome: actions.HandedBack}
			}
			src.Steps = append(src.Steps, r)
		}
		s, notes, err := Make(src, MakeOptions{Name: "pin"})
		require.NoError(t, err)
		return s, notes
	}
	for touches, known := range map[int]bool{2: true, 3: false, 4: true} {
		s, notes := made(touches, true)
		require.NotContains(t, s.texts(), "geheim")
		require.Equal(t, "Save", s.Steps[1].Targets[0].Label)
		require.Equal(t, known, len(s.Steps[3].Targets) > 0, "%d: %q", touches, notes)
		require.Equal(t, !known, strings.Contains(strings.Join(notes, " "), "while a person had the phone"))
		require.Contains(t, s.Ends.Elements, element{ID: "app:id/c", Text: "Edit"})
		require.Contains(t, s.Ends.Elements, element{ID: "app:id/d", Text: "for you"})
		s, _ = made(touches, false)
		require.Contains(t, s.texts(), "geheim")
	}
}

// What is dragged is held by the element that the finger was on, in the row of the value: by its
// handle, whether it has words or not. Where it has none of the value, and stands in no row, it is
// told.
func TestADragIsByWhatTheFingerWasOn(t *testing.T) {
	cards := func(handle string, names ...string) (list []screen.Element) {
		for n, name := range names {
			y := 0.1 + 0.2*float64(n)
			at := func(x, y, h float64) screen.Rect {
				return screen.Rect{Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + 0.25, Y: y + h}}
			}
			list = append(list, screen.Element{Class: "Card", ResourceID: "app:id/note", Depth: 1,
				Clickable: true, Enabled: true, Bounds: screen.Rect{Min: screen.Point{Y: y}, Max: screen.Point{X: 1, Y: y + 0.15}}})
			for k, e := range []screen.Element{{Text: name, Bounds: at(0, y, 0.15)},
				{Text: "all of " + name[:2], Bounds: at(0.3, y, 0.15)}, {ContentDesc: handle, Bounds: at(0.7, y+0.05, 0.05)}} {
				e.Class, e.ResourceID = "View", "app:id/"+string(rune('a'+k))
				e.Enabled, e.Depth = true, 2
				if e.ContentDesc != "" && e.ContentDesc != "Drag" {
					e.ContentDesc += name
				}
				list = append(list, e)
			}
		}
		return list
	}
	for _, a := range []actions.Action{actions.Drag{From: screen.Point{X: 0.8, Y: 0.37}, To: screen.Point{X: 0.8, Y: 0.17}},
		actions.Drag{From: screen.Point{X: 0.4, Y: 0.37}, To: screen.Point{X: 0.4, Y: 0.17}}} {
		for _, handle := range []string{"", "Drag", "Move "} {
			src := Source{Run: store.Run{State: store.Completed, Task: `Put "Ideas" first.`}}
			for i, do := range []actions.Action{a, actions.Complete{Report: "Done."}} {
				src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
					Index: i + 1, Proposal: agentloop.Proposal{Decision: actions.Decision{Action: do},
						Elements: cards(handle, []string{"Trip", "Ideas"}[i], []string{"Ideas", "Trip"}[i], "Bills")}}})
			}
			s, notes, err := Make(src, MakeOptions{Name: "order", Params: map[string]string{"note": "Ideas"}})
			onText := a.Traits().Points[0].X < 0.5
			if onText && err == nil {
				require.Contains(t, strings.Join(notes, " "), `"all of Id" is found for no other value`)
				continue
			}
			require.NoError(t, err, handle)
			require.Empty(t, notes, handle)
			require.Equal(t, "first", s.Steps[0].After.Order)
			s, err = s.Fill(map[string]any{"note": "Bills"})
			require.NoError(t, err)
			p := &page{list: cards(handle, "Trip", "Ideas", "Bills"), picture: func() image.Image { return nil }}
			_, i, err := p.find(&s.Steps[0].Targets[0])
			require.NoError(t, err, "%q %+v", handle, s.Steps[0].Targets[0])
			require.Equal(t, 11, i, handle)
			p.list, p.known = cards(handle, "Trip", "Ideas", "Plans"), nil
			_, _, err = p.find(&s.Steps[0].Targets[0])
			require.Error(t, err, "%q %+v", handle, s.Steps[0].Targets[0])
		}
	}
}

// What a step is for is said in words, whatever the model said of it: with what was there, and never
// with a place of a screen. So a model is asked, and a person.
func TestAStepIsForSomethingInWords(t *testing.T) {
	at := func(x float64, y float64) screen.Rect {
		return screen.Rect{Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + 0.2, Y: y + 0.05}}
	}
	list := []screen.Element{{Text: "Save Ideas", Clickable: true, Class: "android.widget.Button", Bounds: at(0, 0)},
		{ResourceID: "app:id/more", Clickable: true, Class: "android.widget.ImageView", Bounds: at(0.5, 0.1)},
		{Text: "Wi-Fi", Class: "TextView", Bounds: at(0, 0.1)},
		{Editable: true, Class: "EditText", Hint: "Title", ResourceID: "app:id/t", Focused: true, Bounds: at(0, 0.3)},
		{Text: "Twin", Clickable: true, Class: "B", Bounds: at(0, 0.4)}, {Text: "Twin", Clickable: true, Class: "B", Bounds: at(0, 0.5)}}
	for i := range list {
		list[i].Enabled = true
	}
	on := func(n int) screen.Point { return list[n].Bounds.Center() }
	place, asked := on(3), 0
	for _, c := range []struct {
		a           actions.Action
		said, wants string
	}{
		{actions.Click{At: on(0)}, "", `tap "Save {{note}}"`},
		{actions.Click{At: on(0)}, "click (540, 1200)", `tap "Save {{note}}"`},
		{actions.Click{At: on(0)}, "click(start_box='<|box_start|>[10, 20]')", `tap "Save {{note}}"`},
		{actions.Click{At: on(0)}, "save Ideas (all, 2)", `save {{note}} (all, 2)`},
		{actions.DoubleClick{At: on(1)}, "", `tap "more beside Wi-Fi" twice`},
		{actions.LongPress{At: on(4)}, "", `hold "Twin" for 1.5s`},
		{actions.Click{At: screen.Point{X: 0.9, Y: 0.9}}, "", `tap "an empty place"`},
		{actions.Type{Text: "Ideas"}, "", `type "{{note}}" into "Title"`},
		{actions.Type{Text: "Ideas", At: &place, Clear: true}, "", `tap "Title", empty the field, type "{{note}}"`},
		{actions.Scroll{At: on(0), Direction: actions.Down}, "", "scroll down"},
		{actions.Drag{From: on(1), To: on(0)}, "", `drag from "more beside Wi-Fi" to "Save {{note}}"`},
	} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Note Ideas."}}
		for i, a := range []actions.Action{actions.Type{Text: "Ideas"}, c.a, actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Elements: list,
					Decision: actions.Decision{Action: a, Explain: c.said}}}})
		}
		s, _, err := Make(src, MakeOptions{Name: "note", Params: map[string]string{"note": "Ideas"}})
		require.NoError(t, err)
		require.Equal(t, c.wants, s.Steps[1].Say, "%v", c.a)
		s.Steps = s.Steps[1:]
		if s.Steps[0].Targets != nil { // a file from before, or another hand
			s.Steps[0].Say = actions.Describe(c.a)
		}
		s, err = s.Fill(map[string]any{"note": "Plans"})
		require.NoError(t, err)
		m := &advisor{says: actions.Back{}}
		r := &replayed{t: t, policy: New(Plan{s, HealAsk}, m, "en", "en")}
		var a actions.Action
		for range mostWaits + 1 {
			if a, err = r.on(&page{state: screen.State{App: "other"}}, agentloop.NoteRefused); a != nil && a.Verb() != "WAIT" {
				break
			}
		}
		require.NoError(t, err)
		if q, is := a.(actions.Info); is {
			asked++
			require.Contains(t, q.Question, s.Steps[0].intent())
			require.NotRegexp(t, `\(0\.`, q.Question)
			r.hears(q, "Yes", actions.Answered)
			_, err = r.on(&page{state: screen.State{App: "other"}})
			require.NoError(t, err)
			require.NotRegexp(t, `\(0\.`, m.asked[0])
		}
	}
	require.Equal(t, 11, asked)
}

// A field that fills most of the screen is a target as any other. Of anything else as large, and of
// a place where nothing is, it is told why a model is asked.
func TestAFieldThatFillsTheScreenIsATarget(t *testing.T) {
	at := screen.Point{X: 0.5, Y: 0.6}
	made := func(large screen.Element, a actions.Action) (*Skill, []string) {
		large.Bounds, large.Enabled = screen.Rect{Min: screen.Point{Y: 0.2}, Max: screen.Point{X: 1, Y: 1}}, true
		list := []screen.Element{{Class: "FrameLayout", Enabled: true, Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 1}}}, large,
			{Text: "7 words", Enabled: true, Bounds: screen.Rect{Min: screen.Point{X: 0.4, Y: 0.5}, Max: screen.Point{X: 0.6, Y: 0.7}}}}
		if !large.Editable {
			list = list[:2]
		}
		src := Source{Run: store.Run{State: store.Completed, Task: "Type ZZ."}}
		for i, a := range []actions.Action{a, actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Elements: slices.Clone(list), Decision: actions.Decision{Action: a}}}})
			list[1].Text, list[1].Focused = "ZZ", true
		}
		s, notes, err := Make(src, MakeOptions{Name: "fill"})
		require.NoError(t, err)
		return s, notes
	}
	body := screen.Element{Class: "EditText", ResourceID: "app:id/body", Text: "Note", Editable: true, Clickable: true}
	s, notes := made(body, actions.Type{Text: "ZZ", At: &at})
	require.Empty(t, notes)
	require.Equal(t, []Target{{Locators: []locator{{ID: "app:id/body"}}, Empty: true, Hint: "Note", X: 0.5, Y: 0.5}}, s.Steps[0].Targets)
	for why, large := range map[string]screen.Element{"it fills most of the screen": {Class: "Map", Clickable: true},
		"nothing there takes touches": {Class: "Layout"}} {
		s, notes := made(large, actions.Click{At: at})
		require.Nil(t, s.Steps[0].Targets)
		require.Equal(t, []string{"step 1: what is touched there is not known (" + why + "): a model will be asked"}, notes)
	}
}

// A value that is also what a button says is told, where it was typed after the button was there.
func TestAValueThatIsAButtonIsTold(t *testing.T) {
	at := func(n int) screen.Rect {
		return screen.Rect{Min: screen.Point{Y: float64(n) / 10}, Max: screen.Point{X: 0.5, Y: float64(n+1) / 10}}
	}
	show := func(says ...string) (list []screen.Element) {
		list = []screen.Element{{Class: "EditText", Editable: true, Focused: true, Enabled: true, ResourceID: "app:id/t", Bounds: at(9)}}
		for n, words := range says {
			list = append(list, screen.Element{Class: "Button", Text: words, Clickable: true, Enabled: true, Bounds: at(n)})
		}
		return list
	}
	type run []struct {
		a  actions.Action
		on []screen.Element
	}
	click := actions.Click{At: at(1).Center()}
	for name, c := range map[string]struct {
		run  run
		told bool
	}{
		"there before": {run{{actions.Type{Text: "Save"}, show("Cancel", "Save")}, {click, show("Cancel", "Save")}}, true},
		"found by it":  {run{{actions.Type{Text: "Save"}, show("Cancel")}, {click, show("Cancel", "Save")}}, false},
		"only chosen":  {run{{click, show("Cancel", "Save")}}, false},
	} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Note Save."}}
		for i, s := range append(c.run, run{{actions.Complete{Report: "Done."}, show()}}...) {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: s.on, Decision: actions.Decision{Action: s.a}}}})
		}
		_, notes, err := Make(src, MakeOptions{Name: "note", Params: map[string]string{"title": "Save"}})
		require.NoError(t, err, name)
		require.Equal(t, c.told, strings.Contains(strings.Join(notes, "\n"),
			`step 2: "Save" was there before it was typed`), "%s: %q", name, notes)
	}
}

// What asks for a permission is not a skill's app.
func TestADialogIsNotTheAppOfASkill(t *testing.T) {
	src := Source{Run: store.Run{State: store.Completed, Task: "Take a picture."}}
	on := []string{"launcher", "com.android.permissioncontroller", "com.android.permissioncontroller", "camera"}
	for i, a := range []actions.Action{actions.OpenApp{App: "Camera"}, actions.Click{At: sizes()[0].Bounds.Center()},
		actions.Click{At: sizes()[1].Bounds.Center()}, actions.Complete{Report: "Done."}} {
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
			Screen:   screen.Observation{State: screen.State{App: on[i]}},
			Proposal: agentloop.Proposal{Elements: sizes(), Decision: actions.Decision{Action: a}}}})
	}
	s, _, err := Make(src, MakeOptions{Name: "picture"})
	require.NoError(t, err)
	require.Equal(t, "camera", s.App.Package)
}

// A value that was typed is no parameter of the app that has its name.
func TestAnAppIsAParameterWhereTheValueIsNoText(t *testing.T) {
	field := screen.Element{Class: "EditText", Editable: true, Focused: true, Enabled: true, ResourceID: "app:id/t",
		Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.1}}}
	for typed, app := range map[string]string{"Notes": "Notes", "Eggs": "{{title}}", "My Notes": "Notes"} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Write Notes and Eggs."}}
		for i, a := range []actions.Action{actions.OpenApp{App: "Notes"}, actions.Type{Text: typed}, actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: []screen.Element{field}, Decision: actions.Decision{Action: a}}}})
		}
		s, notes, err := Make(src, MakeOptions{Name: "app", Params: map[string]string{"title": "Notes"}})
		require.NoError(t, err)
		a, err := s.Steps[0].action()
		require.NoError(t, err)
		require.Equal(t, actions.OpenApp{App: app}, a, typed)
		require.Equal(t, app == "Notes", slices.Contains(notes, `step 1: "Notes" was typed as well: the app is the same for every value`), "%q", notes)
	}
}

// What another value names is found in whatever letters and with whatever between its words, in the
// recording, in the next run, and in ids. What is written otherwise is left for what is written so.
func TestAChoiceIsFoundInAnySpelling(t *testing.T) {
	at := func(n int) screen.Rect {
		return screen.Rect{Min: screen.Point{Y: float64(n) / 10}, Max: screen.Point{X: 0.2, Y: float64(n+1) / 10}}
	}
	list, kinds := []screen.Element{}, []string{"Mobile phone", "Ice cream", "Work", "07", "09"}
	for n, kind := range kinds {
		list = append(list, screen.Element{Class: "TextView", Text: kind, Clickable: true, Enabled: true, Bounds: at(n),
			ResourceID: "app:id/label_" + strings.ToLower(strings.ReplaceAll(kind, " ", "_"))})
	}
	made := func(list []screen.Element, kind string, tapped int, asked bool) *Skill {
		src := Source{Run: store.Run{State: store.Completed, Task: "Add it."}}
		o := MakeOptions{Name: "kind", Params: map[string]string{"kind": kind}}
		acts := []actions.Action{actions.Click{At: list[tapped].Bounds.Center()}, actions.Complete{Report: "Done."}}
		if asked {
			o.Params, acts = nil, append([]actions.Action{actions.Info{Question: "Which?"}}, acts...)
		}
		for i, a := range acts {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: list, Decision: actions.Decision{Action: a}}}}
			if _, asks := a.(actions.Info); asks {
				r.Exchange = &actions.Exchange{Answer: kind}
			}
			src.Steps = append(src.Steps, r)
		}
		s, _, err := Make(src, o)
		require.NoError(t, err)
		return s
	}
	for recorded, tapped := range map[string]int{"Work": 2, "WORK": 2, "Ice cream": 1, "ice-cream": 1, "7": 3} {
		for says, n := range map[string]int{"Mobile phone": 0, "ICE_CREAM": 1, "ice cream": 1, "work": 2, "9": 4, "icecream": -1} {
			for _, asked := range []bool{false, true} {
				s := made(list, recorded, tapped, asked)
				filled, err := s.Fill(map[string]any{"kind": says})
				if asked {
					filled, err = s.mapped(func(s string) string { return withAnswers(s, []string{says}) })
				}
				require.NoError(t, err)
				step := filled.Steps[len(filled.Steps)-1]
				i, _ := (&page{list: list}).locate(&step.Targets[0])
				assert.Equal(t, n, i, "%s, then %s, %v: %+v", recorded, says, asked, step.Targets)
			}
		}
	}
	twins := slices.Clone(list)
	twins[0].Text, twins[0].ResourceID = "WORK", twins[2].ResourceID
	i, err := (&page{list: twins}).locate(&Target{Label: "Work", Locators: []locator{{ID: twins[2].ResourceID}}})
	require.NoError(t, err)
	require.Equal(t, 2, i)
	for shown, want := range map[string]string{"9": "", "08": "9"} { // 09 is no 9 where there is one
		src := Source{Steps: []store.StepRecord{{State: store.Done, Step: agentloop.Step{Proposal: agentloop.Proposal{
			Elements: []screen.Element{{Text: shown}}, Decision: actions.Decision{Action: actions.Home{}}}}}}}
		require.Equal(t, want, src.whole("09", []string{"9"}))
	}
}

// turns is a run that taps a button, and another one, while something of that id says these in turn.
func turns(t *testing.T, id string, params map[string]string, tapped string, says ...string) *Skill {
	t.Helper()
	at := func(n int) screen.Rect {
		return screen.Rect{Min: screen.Point{Y: float64(n) / 10},
			Max: screen.Point{X: 0.5, Y: float64(n+1) / 10}}
	}
	src := Source{Run: store.Run{State: store.Completed, Task: "Book " + tapped + "."}}
	for i, says := range says {
		list := []screen.Element{
			{Class: "TextView", ResourceID: id, Text: says, Bounds: at(0)},
			{Class: "Button", Text: tapped, Clickable: true, Enabled: true, Bounds: at(1)},
			{Class: "Button", Text: "OK", Clickable: true, Enabled: true, Bounds: at(2)},
			{Class: "TextView", ResourceID: "app:id/other", Text: "Monday, November 30, 20:00", Bounds: at(3)}}
		var a actions.Action = actions.Complete{Report: "Booked."}
		if i < len(list)-2 {
			a = actions.Click{At: at(1 + i).Center()}
		}
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: i + 1, Proposal: agentloop.Proposal{Elements: list,
				Decision: actions.Decision{Action: a}}}})
	}
	s, _, err := Make(src, MakeOptions{Name: "turns", Params: params})
	require.NoError(t, err)
	return s
}

// What a tap made of something else on its page has to come again: from another month than the
// recorded one, the next is another. What moves on by itself says nothing, nor what a value decides.
func TestWhatATapTurnsAPageToHasToComeAgain(t *testing.T) {
	november, december, january := "November 2026", "December 2026", "January 2027"
	must := element{Text: december, Must: true}
	for _, id := range []string{"app:id/month", ""} {
		s := turns(t, id, nil, "Next", november, december, december)
		require.Contains(t, s.Steps[0].After.Elements, must, id)
		on := func(month string) error {
			p := &page{list: []screen.Element{{ResourceID: id, Text: month}}}
			return s.Steps[0].follows(p, false)
		}
		require.NoError(t, on(december))
		require.ErrorContains(t, on(january), `"December 2026"`)

		for name, s := range map[string]*Skill{
			"it moves on":       turns(t, id, nil, "Next", november, december, january),
			"it was so already": turns(t, id, nil, "Next", december, december, december),
			"a sum":             turns(t, id, nil, "Next", "$1", "$2", "$2"),
			"of a value":        turns(t, id, map[string]string{"which": "Next"}, "Next", november, december, december),
		} {
			for _, e := range s.Steps[0].After.Elements {
				require.False(t, e.Must, name)
			}
		}
	}
}

// Another page in the place of the first, where nothing has an id, has not to come again word by word.
func TestAnotherPageInItsPlaceNeedNotComeAgain(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 0} {
		var pages [3]page
		for k := range pages {
			for i := range 5 {
				says := fmt.Sprintf("Text %d", i)
				switch {
				case i == 4:
					says = "Next"
				case k > 0 && i < n:
					says = fmt.Sprintf("Other %d", i)
				}
				pages[k].list = append(pages[k].list, screen.Element{Class: "View", Text: says, Enabled: true,
					Bounds: screen.Rect{Min: screen.Point{Y: float64(i) / 10}, Max: screen.Point{X: 0.5, Y: float64(i+1) / 10}}})
			}
		}
		target := Target{Label: "Next", Locators: []locator{{Text: "Next"}}}
		require.Len(t, turnedTo(&pages[0], &pages[1], &pages[2], &target), want, n)
		target.Label = "Gone"
		require.Empty(t, turnedTo(&pages[0], &pages[1], &pages[2], &target))
	}
}

// What was there all along has nothing of a parameter, even if it has the same number.
func TestAValueIsNotPutIntoWhatWasThereBefore(t *testing.T) {
	s := turns(t, "app:id/month", map[string]string{"day": "30"}, "30", "Day", "Day", "Day")
	require.Equal(t, "{{day}}", s.Steps[0].Targets[0].Label)
	all := s.texts()
	require.NotContains(t, all, "November {{day}}")
}

// What a skill's maker notes is said in each language that there is.
func TestNotesAreTranslated(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	noted := 0
	var text func(e ast.Expr) string
	text = func(e ast.Expr) string {
		switch x := e.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(x.Value)
			return s
		case *ast.BinaryExpr:
			return text(x.X) + text(x.Y)
		}
		return ""
	}
	parts := strings.NewReplacer("%s", `"X"`, "%v", "it is not on the screen")
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if on, is := call.Fun.(*ast.SelectorExpr); is && on.Sel.Name == "note" {
				noted++
				said := words.Phrase("zh", "step 3: "+parts.Replace(text(call.Args[0])))
				assert.NotRegexp(t, "[a-z]{2}", said)
			}
			return true
		})
	}
	require.Greater(t, noted, 10)
	for _, says := range []string{errMissing.Error(), errAmbiguous.Error(), errCovered.Error(),
		"it fills most of the screen", "nothing there takes touches", "what it says looks like a parameter",
		"what it says came while a person had the phone", "the version of X is not written down: X"} {
		assert.NotRegexp(t, "[a-z]{2}", words.Phrase("zh", says))
	}
}
