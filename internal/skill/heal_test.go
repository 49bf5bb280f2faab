package skill

import (
	"encoding/json"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
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

// What a model did is told by what it touched, and not by where that was.
func TestAHealIsToldInWords(t *testing.T) {
	other := home
	other.otherApp = true
	for i, e := range draw(other, -1).list {
		if !e.Clickable || e.Text+e.ContentDesc == "" {
			continue
		}
		r, _ := replay(t, HealAuto, actions.Click{At: e.Bounds.Center()})
		r.waits(other)
		_, err := r.next(other)
		require.NoError(t, err)
		require.Equal(t, "tap "+strconv.Quote(draw(other, -1).page().says(i)), r.place().Healed[0].Did)
		return
	}
	t.Fatal("nothing to touch is drawn")
}

// What became of the model's action is not taken for a scroll that was tried before.
func TestARefusalOfTheModelsActionIsNoScrolls(t *testing.T) {
	for _, note := range []agentloop.NoteKind{agentloop.NoteRefused, agentloop.NoteOutcomeUnknown} {
		r, m := begun(t)
		without := home
		without.order = []int{0, 2}
		a, err := r.next(without)
		require.NoError(t, err)
		require.IsType(t, actions.Scroll{}, a)
		at := r.place()
		at.Why = "the phone lists no elements" // so that it is not seen what the scroll did
		r.history = []actions.Turn{at.turn()}
		for range 2 {
			other := home
			other.otherPage = true
			a, err = r.next(other, note)
			require.NoError(t, err)
			require.Equal(t, actions.Back{}, a)
		}
		require.Len(t, m.asked, 2, note)
	}
}

// Where the page was scrolled to is of that page only.
func TestAPageThatWasNotScrolledIsNotScrolledUp(t *testing.T) {
	x := &moment{at: &Place{Above: 2, Sought: 1, Toward: actions.Down, On: "a b"}}
	x.page = &page{state: screen.State{App: "a", Activity: "c"}}
	x.Policy, x.now = New(Plan{chats(t), HealOff}, nil, "en", "en"), agentloop.Situation{
		Reader: listing(nil), Screen: screen.Observation{State: x.page.state}}
	x.ctx = t.Context()
	_, _ = x.next()
	require.Zero(t, x.at.Above)
	require.False(t, x.up())
}

// A recorded scroll that is repeated counts by its own direction.
func TestScrollsAreCountedByTheirDirection(t *testing.T) {
	for to, want := range map[actions.Direction]Place{actions.Down: {Above: 2}, actions.Up: {},
		actions.Left: {Above: 1}} {
		x := &moment{Policy: New(Plan{chats(t), HealOff}, nil, "en", "en"), page: &page{},
			at: &Place{At: 1, Above: 1}}
		b, err := actions.Marshal(actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: to})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &x.steps()[0].Action))
		_, err = x.unready(errMissing)
		require.NoError(t, err)
		x.page = draw(home, -1).page()
		x.sought()
		require.Equal(t, want.Above, x.at.Above, to)
		require.Equal(t, to == actions.Down, x.at.Sank, to)
	}
}

// A no counts for the step, also if there is another reason meanwhile.
func TestANoCountsWhateverTheReasonIsThen(t *testing.T) {
	r, m := replay(t, HealAsk, actions.Back{})
	other, away := home, home
	other.otherPage, away.otherApp = true, true
	r.waits(other)
	r.hears(r.asked(other), "No", actions.Answered)
	_, err := r.next(away)
	require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
	require.Empty(t, m.asked)
}

// A permission step before one that can be done on every screen is not left out.
func TestAPermissionBeforeHomeIsNotLeftOut(t *testing.T) {
	r, _ := replay(t, HealAuto, actions.Back{})
	s := r.policy.plan.Skill
	s.Steps[0].Before = State{App: "com.google.android.permissioncontroller"}
	require.NoError(t, json.Unmarshal([]byte(`{"verb":"HOME"}`), &s.Steps[1].Action))
	s.Steps[1].Targets = nil
	r.waits(home)
	a, err := r.next(home)
	require.NoError(t, err)
	require.Equal(t, actions.Back{}, a)
}

// Where only the end is not seen, all steps are done: none of them is put to the model, to a person
// or into the journal once more.
func TestAnEndThatIsNotSeenIsNoStepToRepeat(t *testing.T) {
	other := home
	other.otherPage = true
	for _, h := range Heals() {
		r, m := replay(t, h, actions.Wait{})
		s := &r.policy.plan.Skill.Steps[1]
		s.After = s.Before
		for range 2 {
			_, err := r.next(home)
			require.NoError(t, err)
		}
		r.waits(other)
		if h == HealAsk {
			q := r.asked(other)
			require.Contains(t, q.Question, "All steps of the skill are done")
			require.NotContains(t, q.Question, "tap Mute")
			r.hears(q, "Yes", actions.Answered)
		}
		a, err := r.next(other)
		if h == HealOff {
			require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
			require.NotContains(t, err.Error(), "tap Mute")
			require.Nil(t, a)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, m.asked[0], "All recorded steps of this task are done")
		require.Contains(t, m.asked[0], "Blocked")
		require.NotContains(t, m.asked[0], "tap Mute")
		require.False(t, r.place().Did)
		a, err = r.next(home) // it is there now
		require.NoError(t, err)
		require.IsType(t, actions.Complete{}, a)
		require.True(t, r.place().Healed[0].Aside)
	}
}

// A model that ends the task in a step's place is held against the end that was recorded: it is told
// once that this is not seen, and a run that it ends all the same has not done the skill.
func TestAnEndInTheMiddleIsHeldAgainstTheRecordedOne(t *testing.T) {
	other, without := home, home
	other.otherPage, without.order = true, []int{0, 2}
	r, m := replay(t, HealAuto, actions.Complete{Report: "Tom is mute."})
	r.waits(other)
	a, err := r.next(other)
	require.NoError(t, err)
	require.IsType(t, actions.Wait{}, a)
	a, err = r.next(other)
	require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
	require.ErrorContains(t, err, "step 1 (tap Search)")
	require.NotEqual(t, m.says, a)
	require.Len(t, m.asked, 2)
	require.Contains(t, m.asked[1], "was said to be done")
	require.Contains(t, m.asked[1], "Blocked")
	require.Empty(t, r.place().Healed)

	r, m = replay(t, HealAuto, actions.Complete{Report: "Tom is mute."})
	r.waits(other)
	_, err = r.next(other)
	require.NoError(t, err)
	m.says = actions.Back{} // once it is told
	a, err = r.next(other)
	require.NoError(t, err)
	require.Equal(t, m.says, a)
	a, err = r.next(home)
	require.NoError(t, err)
	tapped(t, a, home, 2)

	for _, unseen := range []bool{false, true} { // what the last step brings about
		r, m = begun(t)
		if r.policy.plan.Skill.Steps[1].After = (State{}); unseen {
			r.policy.plan.Skill.Steps[1].After.Elements = []element{{Text: "Muted"}}
		}
		m.says = actions.Complete{Report: "Tom is mute."}
		for n := 0; len(m.asked) == 0 && n < 20; n++ {
			a, err = r.next(without)
			require.NoError(t, err)
		}
		require.Len(t, m.asked, 1)
		require.Equal(t, unseen, a != m.says, "%v", a)
	}
}

// shop is a page with buttons to add what is sold, what is in the cart, and one to pay.
func shop(adds, inCart int, covered bool) *page {
	p := &page{state: screen.State{App: "shop"}, picture: func() image.Image { return nil }}
	add := func(words string, y float64) {
		p.list = append(p.list, screen.Element{Class: "Button", Text: words, Clickable: true,
			Enabled: true, Depth: 1, ResourceID: "id/" + strings.ToLower(words),
			Bounds: screen.Rect{Min: screen.Point{X: 0.1, Y: y}, Max: screen.Point{X: 0.9, Y: y + 0.1}}})
	}
	for n := range adds {
		add("Add", 0.1+0.2*float64(n))
	}
	for n := range inCart {
		add("In cart", 0.5+0.1*float64(n))
	}
	add("Pay", 0.8)
	if covered {
		p.list = append(p.list, screen.Element{Class: "Toast", Clickable: true, Depth: 1,
			Bounds: screen.Rect{Min: screen.Point{X: 0.2, Y: 0.12}, Max: screen.Point{X: 0.8, Y: 0.18}}})
	}
	return p
}

// buying is the skill that adds something on that page and pays.
func buying(t *testing.T) *Skill {
	t.Helper()
	s := &Skill{Name: "buy", Task: "Buy it", Answer: "Done."}
	p, m := shop(1, 0, false), &maker{used: map[string]int{}}
	for i, e := range p.list {
		target, err := m.target(p, e.Bounds.Center(), i)
		require.NoError(t, err)
		b, err := actions.Marshal(actions.Click{At: e.Bounds.Center()})
		require.NoError(t, err)
		step := Step{Say: "tap " + e.Text, Targets: []Target{target}}
		require.NoError(t, json.Unmarshal(b, &step.Action))
		s.Steps = append(s.Steps, step)
	}
	return s
}

// What a model did in a step's place is not done once more, also where the step's target could not
// be told from others, or was covered, or is found once it was touched.
func TestWhatAModelDidIsNotDoneAgain(t *testing.T) {
	for _, c := range []struct {
		name         string
		heals, after *page
		touches      float64 // the place
		shows        bool    // that it was done is on the screen
	}{
		{"one of two", shop(2, 0, false), shop(1, 1, false), 0.15, false},
		{"covered", shop(1, 0, true), shop(1, 1, false), 0.11, false},
		{"by its outcome", shop(0, 0, false), shop(1, 1, false), 0.85, true},
		{"not known by itself", shop(1, 0, false), shop(1, 1, false), 0.15, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &advisor{says: actions.Click{At: screen.Point{X: 0.5, Y: c.touches}}}
			s := buying(t)
			if c.shows {
				s.Steps[0].After = State{Elements: []element{{Text: "In cart"}}}
			}
			if c.name == "not known by itself" {
				s.Steps[0].Targets = nil
			}
			r := &replayed{t: t, policy: New(Plan{s, HealAuto}, m, "en", "en")}
			for len(m.asked) == 0 {
				_, err := r.on(c.heals)
				require.NoError(t, err)
			}
			a, err := r.on(c.after)
			require.NoError(t, err)
			require.Len(t, m.asked, 1)
			require.Equal(t, "Pay", c.after.list[screen.At(c.after.list, a.(actions.Click).At, screen.Large)].Text)
		})
	}
}

// noting is the skill that types a text into a note and saves it. What is typed is known, or not.
func noting(t *testing.T, page *page, known bool) *Skill {
	t.Helper()
	s, m := &Skill{Name: "note", Task: "Note it", Answer: "Done."}, &maker{used: map[string]int{}}
	for i, a := range []actions.Action{actions.Type{Text: "Tuesday"},
		actions.Click{At: page.list[1].Bounds.Center()}} {
		s.Steps = append(s.Steps, Step{Say: a.Verb()})
		b, err := actions.Marshal(a)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &s.Steps[i].Action))
		target, err := m.target(page, page.list[i].Bounds.Center(), i)
		require.NoError(t, err)
		switch {
		case i > 0:
			s.Steps[i].Targets = []Target{target}
		case known:
			s.Steps[i].Focus = &target
		}
	}
	return s
}

// note is a page with two fields, of which one has the focus, and a button. Its note is empty.
func note(hint string, focus int) *page {
	p := &page{state: screen.State{App: "notes"}, picture: func() image.Image { return nil }}
	for n, e := range []screen.Element{{Class: "EditText", Hint: hint, Editable: true, ResourceID: hint},
		{Class: "Button", Text: "Save"}, {Class: "EditText", Hint: "Search", Editable: true}} {
		e.Clickable, e.Enabled, e.Depth, e.Focused = true, true, 1, n == focus
		y := 0.1 + 0.3*float64(n)
		e.Bounds = screen.Rect{Min: screen.Point{X: 0.1, Y: y}, Max: screen.Point{X: 0.9, Y: y + 0.1}}
		p.list = append(p.list, e)
	}
	return p
}

// What a model typed in a step's place is not typed once more, whatever it is, if it is in the
// step's field, or in any where the skill does not know which text is typed.
func TestWhatAModelTypedIsNotTypedAgain(t *testing.T) {
	in := func(n int) *screen.Point {
		at := note("", 0).list[n].Bounds.Center()
		return &at
	}
	for name, c := range map[string]struct {
		known bool
		focus int
		types actions.Type
		done  bool
	}{
		"read from a screen":         {false, 0, actions.Type{Text: "Friday at 9:00"}, true},
		"with a tap on its field":    {false, 2, actions.Type{Text: "Friday", At: in(0)}, true},
		"another text, its field":    {true, 2, actions.Type{Text: "Friday", At: in(0), Clear: true}, true},
		"another text and field":     {true, 2, actions.Type{Text: "Friday"}, false},
		"another text, a tap on it":  {true, 0, actions.Type{Text: "Friday", At: in(2)}, false},
		"the text, not by its field": {true, 2, actions.Type{Text: "Tuesday"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, on := &advisor{says: c.types}, note("Note", c.focus)
			r := &replayed{t: t, policy: New(Plan{noting(t, note("Note", 0), c.known), HealAuto}, m, "en", "en")}
			for len(m.asked) == 0 {
				if c.known && c.focus == 0 {
					on.list[0].Text = "Monday"
				}
				_, err := r.on(on)
				require.NoError(t, err)
			}
			a, err := r.on(note("Note", 0))
			require.NoError(t, err)
			require.Equal(t, c.done, a.Verb() == actions.Click{}.Verb(), "%v", a)
			require.Len(t, m.asked, 1)
		})
	}
}

// What is said about a wait is about no step: what was done before it is not done again.
func TestAWaitThatCameToNothingUndoesNoStep(t *testing.T) {
	for _, note := range []agentloop.NoteKind{agentloop.NoteNotDone, agentloop.NoteScreenChanged,
		agentloop.NoteRefused, agentloop.NoteOutcomeUnknown, agentloop.NoteResponded} {
		m := &advisor{says: actions.Back{}}
		s := buying(t)
		s.Steps[1].After = State{Elements: []element{{Text: "Paid"}}}
		r := &replayed{t: t, policy: New(Plan{s, HealAuto}, m, "en", "en")}
		for range 2 {
			_, err := r.on(shop(1, 0, false))
			require.NoError(t, err)
		}
		a, err := r.on(shop(1, 1, false)) // it is slow
		require.NoError(t, err)
		require.IsType(t, actions.Wait{}, a)
		a, err = r.on(shop(1, 1, false), note)
		require.NoError(t, err)
		require.IsType(t, actions.Wait{}, a, note)
		require.Equal(t, 2, r.place().Replayed)
		require.Empty(t, m.asked)
	}
}

// What came to nothing is gone back to, also if no model could decide in the meantime; and a wait
// in which the process ended was no step.
func TestAStepIsGoneBackToAfterAStepWithoutADecision(t *testing.T) {
	for _, note := range []agentloop.NoteKind{agentloop.NoteNotDone, agentloop.NoteScreenChanged} {
		r, _ := begun(t)
		r.step++ // which came to no decision
		a, err := r.next(home, note)
		require.NoError(t, err)
		tapped(t, a, home, 2)
	}
	r, m := begun(t)
	r.step++
	s := agentloop.Situation{Step: 3, Reader: listing(draw(home, -1).list)}
	s.History, s.Notes = r.history, []agentloop.Note{{Kind: agentloop.NoteOutcomeUnknown,
		Action: actions.Describe(actions.Wait{For: pause})}}
	out, err := r.policy.Next(t.Context(), s)
	require.NoError(t, err)
	tapped(t, out.Action, home, 301)
	require.Empty(t, m.asked)
}

// An action that was repeated was carried out.
func TestAStepThatWasRepeatedIsDone(t *testing.T) {
	for _, h := range Heals() {
		r, m := replay(t, h, actions.Back{})
		_, err := r.next(home)
		require.NoError(t, err)
		a, err := r.next(home, agentloop.NoteRepeated)
		require.NoError(t, err)
		tapped(t, a, home, 301)
		require.Empty(t, m.asked)
	}
}

// What a person forbids, and what the other side instructs, is above the recorded steps: a model
// does the rest where one may be asked, and a person says so first under ask.
func TestAnInstructionIsAboveTheSteps(t *testing.T) {
	for _, h := range Heals() {
		for _, note := range []agentloop.NoteKind{"", agentloop.NoteRejected,
			agentloop.NoteRejectedSilently} {
			r, m := replay(t, h, actions.Back{})
			r.heard = []actions.Exchange{{Answer: "Be quick.", Outcome: actions.Noted}}
			_, err := r.next(home)
			require.NoError(t, err)
			var notes []agentloop.NoteKind
			if note != "" {
				notes = []agentloop.NoteKind{note}
			} else {
				r.heard = append(r.heard, actions.Exchange{Answer: "Do not mute him.",
					Outcome: actions.Instructed})
			}
			if h == HealAsk {
				q := r.asked(home, notes...)
				require.Contains(t, q.Question, "the rest of the task")
				r.hears(q, "Yes", actions.Answered)
				notes = nil
			}
			a, err := r.next(home, notes...)
			if h == HealOff {
				require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
				step := map[bool]string{true: "step 2 (tap Mute)", false: "step 1 (tap Search)"}
				require.ErrorContains(t, err, step[note == ""])
				require.Empty(t, m.asked)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, actions.Back{}, a)
			require.Equal(t, []string{"Mute Tom"}, m.asked)
			require.True(t, r.place().Free)
		}
	}
}

// Where a run is in its skill stays readable whatever secrets are masked in it, and a run whose
// place cannot be read does nothing more.
func TestAPlaceThatCannotBeReadEndsTheRun(t *testing.T) {
	at := Place{At: 1, Step: 4711, Sought: 3247110912, Why: `type "4711"`,
		Healed: []Healed{{Step: 1, Did: "type \"p\"4711\""}}}
	turn := at.turn().Texts(strings.NewReplacer("4711", "{{secret}}", `p"`, "{{secret}}").Replace)
	masked, ok := PlaceOf(agentloop.Progress{History: []actions.Turn{turn}})
	require.True(t, ok)
	at.Why = `type "{{secret}}"`
	at.Healed = []Healed{{Step: 1, Did: `type "{{secret}}{{secret}}"`}}
	require.Equal(t, at, masked)

	r, m := begun(t)
	for n := range r.history {
		r.history[n] = actions.Turn{Step: mark}
	}
	a, err := r.next(home)
	require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
	require.Nil(t, a)
	require.Empty(t, m.asked)
	_, ok = PlaceOf(agentloop.Progress{History: r.history})
	require.False(t, ok)
}

// A model that gives up has healed nothing.
func TestAHealThatGaveUpIsNotCounted(t *testing.T) {
	r, m := replay(t, HealAuto, actions.Abort{Reason: "the shop is closed"})
	other := home
	other.otherPage = true
	r.waits(other)
	a, err := r.next(other)
	require.NoError(t, err)
	require.Equal(t, actions.Abort{Reason: "the shop is closed"}, a)
	require.Len(t, m.asked, 1)
	require.Empty(t, r.place().Healed)
}

// Where the recorded answer is not in the form that is wanted, a model is asked for it, if one may be.
func TestAnAnswerThatDoesNotFitIsTheModels(t *testing.T) {
	for _, h := range Heals() {
		says := actions.Complete{Report: `{"mute": "Tom"}`}
		m := &advisor{says: says}
		s := chats(t)
		at := Place{At: len(s.Steps)}
		for _, doubted := range [][]agentloop.NoteKind{nil, {agentloop.NoteContradicted}, {agentloop.NoteAnswerMisfit}} {
			now := agentloop.Situation{Step: 3, Reader: listing(draw(home, -1).list), Progress: agentloop.Progress{
				Task: s.Task, History: []actions.Turn{at.turn()}, Doubted: doubted}}
			out, err := New(Plan{s, h}, m, "en", "en").Next(t.Context(), now)
			require.NoError(t, err)
			asks := h != HealOff && slices.Contains(doubted, agentloop.NoteAnswerMisfit)
			require.Equal(t, map[bool]actions.Action{true: says, false: actions.Complete{Report: s.Answer}}[asks], out.Action)
			place, _ := PlaceOf(agentloop.Progress{History: out.History})
			require.True(t, place.Ended)
		}
		require.Equal(t, h != HealOff, len(m.asked) == 1)
	}
}
