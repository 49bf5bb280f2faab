package skill

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// chats is a skill of the drawn app: search, then mute Tom.
func chats(t *testing.T) *Skill {
	t.Helper()
	d := draw(mutation{order: []int{0, 1, 2}}, -1)
	p := d.page()
	m := &maker{used: map[string]int{}}
	s := &Skill{Name: "mute", Task: "Mute Tom", Description: "-", Answer: "Tom is mute.",
		Ends: m.state(p, nil)}
	for _, thing := range []int{2, 301} {
		var at int
		for i, x := range d.thing {
			if x == thing {
				at = i
			}
		}
		target, err := m.target(p, d.list[at].Bounds.Center(), at)
		require.NoError(t, err)
		b, err := actions.Marshal(actions.Click{At: d.list[at].Bounds.Center()})
		require.NoError(t, err)
		var a keys.Any
		require.NoError(t, json.Unmarshal(b, &a))
		s.Steps = append(s.Steps, Step{Say: "tap " + target.Label, Action: a,
			Targets: []Target{target}, Before: m.state(p, nil)})
	}
	return s
}

// listing lists the elements of a drawn screen.
type listing []screen.Element

func (l listing) Elements(context.Context) ([]screen.Element, error) { return l, nil }

// advisor is a model that always says the same, and keeps what it was asked.
type advisor struct {
	says  actions.Action
	asked []string
}

func (a *advisor) Next(_ context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	a.asked = append(a.asked, s.Task)
	return agentloop.Proposal{Decision: actions.Decision{Action: a.says},
		Tries: []agentloop.Try{{}}}, nil
}

// replayed is a run as the loop would have it, without phone and journal.
type replayed struct {
	t       *testing.T
	policy  *Policy
	history []actions.Turn
	heard   []actions.Exchange
	step    int
}

// next is what the policy does on a screen, after these notes.
func (r *replayed) next(how mutation, notes ...agentloop.NoteKind) (actions.Action, error) {
	return r.on(draw(how, -1).page(), notes...)
}

// on is next on a page.
func (r *replayed) on(p *page, notes ...agentloop.NoteKind) (actions.Action, error) {
	r.step++
	s := agentloop.Situation{Step: r.step, Reader: listing(p.list),
		Screen: screen.Observation{State: p.state}}
	s.Task, s.History, s.Exchanges = "Mute Tom", r.history, r.heard
	for _, k := range notes {
		s.Notes = append(s.Notes, agentloop.Note{Kind: k, Action: "tap it", Detail: "no"})
	}
	out, err := r.policy.Next(r.t.Context(), s)
	if err == nil {
		r.history = out.History
	}
	return out.Action, err
}

func (r *replayed) place() Place {
	at, _ := PlaceOf(agentloop.Progress{History: r.history})
	return at
}

func replay(t *testing.T, h Heal, says actions.Action) (*replayed, *advisor) {
	m := &advisor{says: says}
	return &replayed{t: t, policy: New(Plan{chats(t), h}, m, "en", "en")}, m
}

// begun is a replay behind its first step.
func begun(t *testing.T) (*replayed, *advisor) {
	r, m := replay(t, HealAuto, actions.Back{})
	_, err := r.next(home)
	require.NoError(t, err)
	return r, m
}

// waits has the policy see a screen that it waits before, until it waits no more.
func (r *replayed) waits(how mutation) {
	for range mostWaits {
		a, err := r.next(how)
		require.NoError(r.t, err)
		require.IsType(r.t, actions.Wait{}, a)
	}
}

var (
	home  = mutation{order: []int{0, 1, 2}}
	moved = mutation{order: []int{2, 1}, down: 0.05}
)

func tapped(t *testing.T, a actions.Action, how mutation, thing int) {
	t.Helper()
	c, is := a.(actions.Click)
	require.True(t, is, "%v", a)
	d := draw(how, -1)
	p := d.page()
	require.Equal(t, thing, d.thing[screen.At(p.list, c.At, screen.Large)])
}

func TestStepsAreRepeatedOnScreensThatMoved(t *testing.T) {
	r, m := replay(t, HealAuto, nil)
	a, err := r.next(moved)
	require.NoError(t, err)
	tapped(t, a, moved, 2)
	a, err = r.next(moved)
	require.NoError(t, err)
	tapped(t, a, moved, 301)
	a, err = r.next(home)
	require.NoError(t, err)
	require.Equal(t, actions.Complete{Report: "Tom is mute."}, a)
	require.Empty(t, m.asked)
	require.Equal(t, 2, r.place().Replayed)
}

// A dialog in between is waited for, then given to the model, and is no step of the skill.
func TestADialogInBetweenIsTheModels(t *testing.T) {
	r, m := begun(t)
	dialog := home
	dialog.dialog = true
	r.waits(dialog)
	a, err := r.next(dialog)
	require.NoError(t, err)
	require.Equal(t, actions.Back{}, a)
	require.Contains(t, m.asked[0], "The next recorded step is: tap Mute")
	require.Contains(t, m.asked[0], "the screen does not show")
	a, err = r.next(home)
	require.NoError(t, err)
	tapped(t, a, home, 301)
	at := r.place()
	require.Len(t, at.Healed, 1)
	require.True(t, at.Healed[0].Aside)
	require.Len(t, m.asked, 1)
}

// What the model does in a step's place is not done once more.
func TestAStepThatTheModelDidIsDone(t *testing.T) {
	other := home
	other.otherPage = true
	d := draw(other, -1)
	r, m := replay(t, HealAuto, actions.Click{At: d.list[1].Bounds.Center()})
	r.waits(other)
	_, err := r.next(other) // the model taps Search on the other page
	require.NoError(t, err)
	require.Len(t, m.asked, 1)
	a, err := r.next(home)
	require.NoError(t, err)
	tapped(t, a, home, 301)
	require.False(t, r.place().Healed[0].Aside)
}

func TestAnOutcomeThatIsNotKnownIsNotRepeated(t *testing.T) {
	for _, kept := range []bool{true, false} { // whether the place was stored with the step
		r, m := replay(t, HealAuto, actions.Back{})
		_, err := r.next(home)
		require.NoError(t, err)
		before := r.history
		if _, err = r.next(home); !kept { // the second step, whose end nobody saw
			r.history = before
		}
		require.NoError(t, err)
		other := home
		other.otherPage = true
		a, err := r.next(other, agentloop.NoteOutcomeUnknown)
		require.NoError(t, err)
		require.Equal(t, actions.Back{}, a)
		require.Contains(t, m.asked[0], "it is not known whether tap it was carried out")
		r, m = replay(t, HealAuto, actions.Back{})
		_, err = r.next(home)
		require.NoError(t, err)
		before = r.history
		if _, err = r.next(home); !kept {
			r.history = before
		}
		require.NoError(t, err)
		a, err = r.next(home, agentloop.NoteOutcomeUnknown) // the end's screen is there
		require.NoError(t, err)
		require.Equal(t, actions.Complete{Report: "Tom is mute."}, a)
		require.Empty(t, m.asked)
	}
}

// What was not carried out because the screen changed is tried again; what a person rejects is not.
func TestWhatBecameOfTheLastStepCounts(t *testing.T) {
	r, m := replay(t, HealAuto, actions.Back{})
	_, err := r.next(home)
	require.NoError(t, err)
	a, err := r.next(home, agentloop.NoteScreenChanged)
	require.NoError(t, err)
	tapped(t, a, home, 2)
	a, err = r.next(home, agentloop.NoteRejected)
	require.NoError(t, err)
	require.Equal(t, actions.Back{}, a)
	require.Equal(t, []string{"Mute Tom"}, m.asked)
	require.True(t, r.place().Free)
}

func TestHealingIsOffAskedForAndBounded(t *testing.T) {
	other := home
	other.otherApp = true
	r, _ := replay(t, HealOff, nil)
	var err error
	for range mostWaits + 1 {
		_, err = r.next(other)
	}
	require.ErrorIs(t, err, agentloop.ErrSkillDiverged)
	require.ErrorContains(t, err, "com.example.pay is in front, and not com.example.chat")

	r, m := replay(t, HealAuto, actions.Back{})
	for range 30 {
		_, err = r.next(other)
		require.NoError(t, err)
	}
	require.True(t, r.place().Free)
	require.Len(t, r.place().Healed, leastHeals)
	require.Equal(t, "Mute Tom", m.asked[len(m.asked)-1])
	require.False(t, errors.Is(err, agentloop.ErrSkillDiverged))
}

// Each heal is put to a person first, whatever was said before and after: only a yes has the model
// asked, and what is neither yes nor no is asked once more.
func TestOnlyAYesHasAStepHealed(t *testing.T) {
	other := home
	other.otherApp = true
	for said, want := range map[string]string{"Yes": "yes", "yes please": "yes", "OK, go on": "yes",
		"是的，请": "yes", "No": "no", "no, yes is wrong": "no", "": "no", "tap the second": "unclear",
		"不是": "unclear", "👍": "unclear"} {
		for _, kept := range []bool{true, false} { // whether its place was stored with the question
			r, m := replay(t, HealAsk, actions.Back{})
			r.waits(other)
			before := r.history
			a, err := r.next(other)
			require.NoError(t, err)
			q, is := a.(actions.Info)
			require.True(t, is, "%v", a)
			require.Equal(t, []string{"Yes", "No"}, q.Options)
			if !kept {
				r.history = before
			}
			r.heard = append(r.heard, actions.Exchange{Question: q.Question, Answer: said,
				Outcome: actions.Answered}, actions.Exchange{Answer: "no", Outcome: actions.Noted})
			a, err = r.next(other)
			switch want {
			case "no":
				require.ErrorIs(t, err, agentloop.ErrSkillDiverged, said)
			case "unclear":
				require.Equal(t, q, a, said)
				require.Empty(t, m.asked)
				r.heard = append(r.heard, actions.Exchange{Question: q.Question, Answer: "yes",
					Outcome: actions.Answered})
				a, err = r.next(other)
				fallthrough
			default:
				require.NoError(t, err)
				require.Equal(t, actions.Back{}, a, said)
				for range mostWaits { // the next heal is another question
					_, err = r.next(other)
					require.NoError(t, err)
				}
				a, err = r.next(other)
				require.NoError(t, err)
				require.Equal(t, q, a, "%s", said)
			}
		}
	}
}

// After three in a row the model is to do the rest, which is another question.
func TestThatTheModelDoesTheRestIsAskedAsWell(t *testing.T) {
	other := home
	other.otherApp = true
	r, m := replay(t, HealAsk, actions.Back{})
	for asked := 0; asked <= mostInRow; {
		require.False(t, r.place().Free)
		a, err := r.next(other)
		require.NoError(t, err)
		if q, is := a.(actions.Info); is {
			asked++
			require.Equal(t, asked > mostInRow, strings.Contains(q.Question, "the rest of the task"))
			r.heard = append(r.heard, actions.Exchange{Question: q.Question, Answer: "Yes",
				Outcome: actions.Answered})
		}
	}
	require.Len(t, m.asked, mostInRow)
	_, err := r.next(other)
	require.NoError(t, err)
	require.True(t, r.place().Free)
}

// The answers of a skill's questions are those to its own, and not what was said about a heal.
func TestAnAnswerIsThatOfTheSkillsQuestion(t *testing.T) {
	s, err := Parse("x", []byte("name: x\ndescription: x\ntask: x\nends: {}\n"+
		"answer: 'I wrote {{answer 1}}.'\nsteps:\n"+
		"- action: {verb: INFO, question: Who?}\n- action: {verb: TYPE, text: '{{answer 1}}'}\n"+
		"  focus: {locators: [{id: f}]}\n"))
	require.NoError(t, err)
	who := actions.Exchange{Question: "Who?", Answer: "Tom", Outcome: actions.Answered}
	other := actions.Exchange{Question: "May the model?", Answer: "Yes"}
	refused := actions.Exchange{Question: "Who?", Outcome: actions.Refused}
	for _, c := range []struct {
		heard []actions.Exchange
		types string
	}{{[]actions.Exchange{other, who}, "Tom"}, {[]actions.Exchange{who, other}, "Tom"},
		{[]actions.Exchange{other}, ""}, {[]actions.Exchange{refused}, ""}} {
		m := &advisor{says: actions.Complete{Report: "The model looked."}}
		x := &moment{Policy: New(Plan{s, HealAuto}, m, "en", "en"), at: &Place{}, page: &page{
			list: []screen.Element{{ResourceID: "f", Editable: true, Focused: true, Enabled: true,
				Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 0.1}}}},
			picture: func() image.Image { return nil }}}
		x.now.Exchanges = c.heard
		require.NoError(t, x.fill())
		a, err := x.ready(1)
		reports := "I wrote Tom."
		if c.types == "" {
			require.ErrorContains(t, err, "what was answered")
			reports = "The model looked."
		} else {
			require.NoError(t, err)
			require.Equal(t, c.types, a.Traits().Text)
		}
		end, err := x.end()
		require.NoError(t, err)
		require.Equal(t, actions.Complete{Report: reports}, end.Action)
	}
}

// Only a run whose ends were seen changes its skill: not one that a model ended on another screen.
func TestWhatWasHealedIsProposedOnlyAfterTheEndsHeld(t *testing.T) {
	other := home
	other.otherApp = true
	db, err := store.Open(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	defer db.Close()
	for _, read := range []bool{false, true} { // whether the model reports what a screen shows
		for _, ends := range []bool{false, true} {
			m := &advisor{says: actions.Back{}}
			s := chats(t)
			if read {
				s.Answer = ""
			}
			r := &replayed{t: t, policy: New(Plan{s, HealAuto}, m, "en", "en")}
			for range mostWaits + 1 {
				_, err := r.next(other)
				require.NoError(t, err)
			}
			require.Len(t, r.place().Healed, 1)
			for range 2 {
				_, err := r.next(home)
				require.NoError(t, err)
			}
			m.says = actions.Complete{Report: "Done."}
			last := map[bool]mutation{true: home, false: other}[ends]
			var a actions.Action
			for range mostWaits + 1 {
				if _, done := a.(actions.Complete); !done {
					var err error
					a, err = r.next(last)
					require.NoError(t, err)
				}
			}
			require.IsType(t, actions.Complete{}, a)
			set, err := json.Marshal(map[string]any{"skill": Plan{s, HealAuto}})
			require.NoError(t, err)
			run := store.Run{State: store.Completed, Settings: set,
				Progress: agentloop.Progress{History: r.history}}
			f := Folder(t.TempDir())
			propose := func() error {
				_, err := f.ProposeHealed(t.Context(), db, run)
				return err
			}
			require.Equal(t, ends, errors.Is(propose(), ErrUnknown), "it was removed meanwhile")
			other := *s
			other.Steps = append(slices.Clone(s.Steps), s.Steps[0])
			require.NoError(t, f.Write(&other))
			err = propose()
			require.Equal(t, ends, errors.Is(err, ErrStale), "it is another one: %v", err)
			require.NoError(t, f.Write(s))
			_, err = f.ProposeHealed(t.Context(), db, run)
			require.Equal(t, ends, errors.Is(err, store.ErrNotFound), "%v: %v %v", err, read, ends)
		}
	}
}

// What a step led to is looked for further down, where the skill is: nowhere else, and not for long
// where nothing moves.
func TestWhatAStepLedToIsLookedForOnItsPageOnly(t *testing.T) {
	away := mutation{order: []int{0, 1, 2}, otherApp: true}
	lies := mutation{order: []int{0, 1, 2}, covered: true}
	for _, on := range []mutation{home, away, lies} {
		r, _ := replay(t, HealAuto, actions.Back{})
		s := &r.policy.plan.Skill.Steps[0]
		s.After = s.Before
		s.After.Elements = []element{{Text: "Found chats"}}
		_, err := r.next(home)
		require.NoError(t, err)
		var scrolls, waits int
		for {
			a, err := r.next(on)
			require.NoError(t, err)
			if _, healed := a.(actions.Back); healed {
				break
			}
			switch a.(type) {
			case actions.Scroll:
				scrolls++
			case actions.Wait:
				waits++
			}
		}
		require.Equal(t, mostWaits, waits)
		require.Equal(t, !on.otherApp && !on.covered, scrolls == 1, "%d scrolls on %+v", scrolls, on)
		require.Equal(t, 1, r.place().Replayed)
	}
}

// A permission that is not asked for any more is not granted again, if what comes after it is there.
func TestAPermissionThatThePhoneHasIsNotGrantedAgain(t *testing.T) {
	for _, there := range []bool{true, false} {
		r, m := replay(t, HealAuto, actions.Back{})
		s := r.policy.plan.Skill
		asks := State{App: "com.google.android.permissioncontroller",
			Elements: []element{{Text: "Allow"}}}
		grant := Step{Say: "allow it", Action: s.Steps[0].Action, Targets: s.Steps[0].Targets,
			Before: asks, After: s.Steps[0].Before}
		s.Steps[0].After = asks
		s.Steps = []Step{s.Steps[0], grant, s.Steps[1]}
		_, err := r.next(home)
		require.NoError(t, err)
		on := home
		on.otherPage = !there
		r.waits(on) // the dialog may come yet
		if there {
			a, err := r.next(on)
			require.NoError(t, err)
			tapped(t, a, home, 301)
			require.Empty(t, m.asked)
			continue
		}
		a, err := r.next(on)
		require.NoError(t, err)
		require.Equal(t, actions.Back{}, a)
	}
}

// A scroll to what is missing that changes nothing undoes no step: the step that follows is healed.
func TestAScrollWithoutEffectIsNoStepOfTheSkill(t *testing.T) {
	r, _ := begun(t)
	without := home
	without.order = []int{0, 2}
	a, err := r.next(without)
	require.NoError(t, err)
	require.IsType(t, actions.Scroll{}, a)
	a, err = r.next(without, agentloop.NoteRepeated)
	require.NoError(t, err)
	require.IsType(t, actions.Wait{}, a)
	for range mostWaits {
		_, err = r.next(without)
		require.NoError(t, err)
	}
	require.Equal(t, 1, r.place().Replayed)
	require.Len(t, r.place().Healed, 1)
	require.Equal(t, 2, r.place().Healed[0].Step)
}
