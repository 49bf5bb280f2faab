package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Heal says what is done where a screen is not as it was recorded.
type Heal string

// The ways to heal.
const (
	HealOff  Heal = "off"  // the run ends
	HealAuto Heal = "auto" // a model is asked for the step
	HealAsk  Heal = "ask"  // a person is asked whether a model may be
)

// Heals are all of them.
func Heals() []Heal { return []Heal{HealOff, HealAuto, HealAsk} }

// Plan is what a run replays. It is stored with the run, so that it stays what it was when the file
// changes.
type Plan struct {
	Skill *Skill `json:"skill"` // with its parameters filled in
	Heal  Heal   `json:"heal"`
}

const (
	mostInRow    = 3 // steps that a model is asked for, one after the other
	leastHeals   = 3 // and altogether, or a fifth of all
	mostScrolls  = 8 // of one step, until the next one's target is there
	mostWaits    = 3 // for one step's screen
	mostDropped  = 3 // of one step, because the screen changed under it
	farthestSkip = 3 // steps that a model's action may have made needless
	pause        = 700 * time.Millisecond
)

// Policy replays a skill. It keeps nothing: where a run is stands in its progress.
type Policy struct {
	plan  Plan
	model agentloop.Policy
	say   *phrases // to the model
	tell  *phrases // to people
}

var _ agentloop.Policy = (*Policy)(nil)

// phrases are what models and people are told, in a language.
type phrases struct {
	Heal     string // the step in words, and why it cannot be repeated
	Ended    string
	Unseen   string // why the end is not the recorded one
	Seen     string // words of the screens before
	Ask      string
	AskEnd   string   `yaml:"askEnd"`
	AskAll   string   `yaml:"askAll"`
	Yes, No  []string // as the options say it, and other words for it
	Done     string
	Reported string
}

var phrasesIn = words.Of[phrases]("skill")

// New returns a policy that replays the plan, and asks model where that is not possible. Its words
// are in these languages: what the model reads, and what people do.
func New(p Plan, model agentloop.Policy, lang, people string) *Policy {
	return &Policy{p, model, phrasesIn(lang), phrasesIn(people)}
}

// Ready reports whether the model can be asked, if it is ever to be.
func (p *Policy) Ready(ctx context.Context) error {
	if p.plan.Heal == HealOff {
		return nil
	}
	return agentloop.Ready(ctx, p.model)
}

// mark is the Step of the turn in which a run's progress keeps its place. No step has it.
const mark = -1

// Place is where a run is in its skill, and what it has come to.
type Place struct {
	At       int      `json:"at"`       // the next step, from 0
	Replayed int      `json:"replayed"` // steps without a model
	Healed   []Healed `json:"healed,omitempty"`
	Free     bool     `json:"free,omitempty"` // the model continues as in any run
	// Ended says that the run ended on the screen that the recorded one ended on.
	Ended bool `json:"ended,omitempty"`

	Step    int    `json:"step,omitempty"`    // of the session, in which the last was decided
	InRow   int    `json:"in_row,omitempty"`  // healed one after the other
	Healing bool   `json:"healing,omitempty"` // the last action was the model's
	Did     bool   `json:"did,omitempty"`     // and did what the recorded one does
	Own     bool   `json:"own,omitempty"`     // the last action was a step's
	Acted   bool   `json:"acted,omitempty"`   // what the last step leads to was not seen yet
	Why     string `json:"why,omitempty"`     // the last came to nothing: it is healed
	Rest    bool   `json:"rest,omitempty"`    // also the steps behind it, if anything
	Heard   int    `json:"heard,omitempty"`   // exchanges that the run had when it healed last
	Told    int    `json:"told,omitempty"`    // instructions that were taken in
	On      string `json:"on,omitempty"`      // the app and the activity that were in front last
	Above   int    `json:"above,omitempty"`   // scrolls to the page's beginning
	Sank    bool   `json:"sank,omitempty"`    // it was scrolled down for the next step
	// Sought is the page on which the last action was a scroll to what is missing, 0 if there was
	// none.
	Sought  uint32            `json:"sought,omitempty"`
	Toward  actions.Direction `json:"toward,omitempty"` // of that scroll
	Waits   int               `json:"waits,omitempty"`
	Scrolls int               `json:"scrolls,omitempty"`
	Dropped int               `json:"dropped,omitempty"`
	Claimed bool              `json:"claimed,omitempty"` // a model said too early that all is done
}

// Healed is a step for which a model was asked.
type Healed struct {
	Step    int    `json:"step"`    // of the skill, from 1. Its end is behind the last one
	Session int    `json:"session"` // the session's step in which it was
	Why     string `json:"why"`
	Did     string `json:"did"`
	// Aside says that what the model did was no step of the skill, such as closing a dialog.
	Aside bool `json:"aside,omitempty"`
	Over  int  `json:"over,omitempty"` // further steps of the skill that it made needless
	Next  int  `json:"next,omitempty"` // the step that came after it, from 1, if that is known
}

// PlaceOf is where a run with this progress is in its skill. ok is false for a run of none.
func PlaceOf(p agentloop.Progress) (at Place, ok bool) {
	at, others, err := placeIn(p.History)
	return at, err == nil && len(others) < len(p.History)
}

func placeIn(history []actions.Turn) (at Place, others []actions.Turn, err error) {
	for _, t := range history {
		if t.Step != mark {
			others = append(others, t)
			continue
		}
		err = json.Unmarshal(t.Kept, &at)
	}
	return at, others, err
}

func (at Place) turn() actions.Turn {
	b, _ := json.Marshal(at) // numbers and texts
	return actions.Turn{Step: mark, Kept: b}
}

// Next implements agentloop.Policy.
func (p *Policy) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	at, others, err := placeIn(s.History)
	if err != nil { // it would begin anew
		return agentloop.Proposal{History: s.History}, fmt.Errorf(
			"%w: where the run is in it cannot be read: %w", agentloop.ErrSkillDiverged, err)
	}
	s.History = others
	x := &moment{Policy: p, ctx: ctx, now: s, at: &at}
	if err := x.fill(); err != nil {
		return agentloop.Proposal{History: s.History}, err
	}
	out, err := x.next()
	at.Step = s.Step
	out.History = append(slices.Clip(out.History), at.turn())
	return out, err
}

// moment is one decision.
type moment struct {
	*Policy
	ctx  context.Context
	now  agentloop.Situation
	at   *Place
	page *page

	heard []actions.Exchange // the answers to the skill's questions
}

func (x *moment) next() (agentloop.Proposal, error) {
	if x.at.Free {
		return x.free()
	}
	x.at.Ended = false
	var unread error
	x.page, unread = x.read()
	x.at.Why = cmp.Or(x.learn(), x.told(), x.otherwise(), x.at.Why)
	switch {
	case x.at.Why != "":
		return x.heal(errors.New(x.at.Why))
	case unread != nil:
		return x.heal(unread)
	}
	x.sought()
	if on := x.page.state.App + " " + x.page.state.Activity; on != x.at.On {
		x.at.On, x.at.Above = on, 0
	}
	if x.at.Healing {
		x.relocate()
	}
	if x.at.Acted {
		if err := x.steps()[x.at.At-1].follows(x.page, x.at.Scrolls > 0); err != nil &&
			!x.granted() {
			return x.unready(err)
		}
		x.at.Acted, x.at.Sank = false, false
	}
	for x.at.At < len(x.steps()) && x.needless() {
		x.at.At++
	}
	if x.at.At == len(x.steps()) {
		return x.end()
	}
	a, err := x.ready(x.at.At)
	if err != nil {
		return x.unready(err)
	}
	return x.act(x.at.At, a), nil
}

func (x *moment) steps() []Step { return x.plan.Skill.Steps }

// read reads the page.
func (x *moment) read() (*page, error) {
	p := &page{state: x.now.Screen.State, picture: func() image.Image { return nil }}
	if f := x.now.Screen.Frame; f != nil {
		p.picture = func() image.Image { return f.Image() }
	}
	if x.now.Reader == nil {
		return p, errors.New("the phone lists no elements")
	}
	var err error
	p.list, err = x.now.Reader.Elements(x.ctx)
	return p, err
}

// needless reports whether the next step is a scroll to what is on the screen already, turns a
// switch that is as the step would have it, or grants what was granted before.
func (x *moment) needless() bool {
	s := &x.steps()[x.at.At]
	if x.granted() {
		return true
	}
	if is, known := s.set(x.page); s.changes() && s.Before.holds(x.page) == nil {
		return known && is
	}
	a, err := x.steps()[x.at.At].action()
	if err != nil || !a.Traits().Scrolls || x.at.At+1 >= len(x.steps()) ||
		len(x.steps()[x.at.At+1].Targets) == 0 {
		return false
	}
	_, err = x.ready(x.at.At + 1)
	return err == nil
}

// ready returns the action of a step, with the places that it touches on this page. The step behind
// the last one is the end.
func (x *moment) ready(j int) (actions.Action, error) {
	if j >= len(x.steps()) {
		if j > len(x.steps()) {
			return nil, errMissing
		}
		return nil, x.plan.Skill.Ends.holds(x.page)
	}
	s := &x.steps()[j]
	a, err := s.action()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.Targets, func(t Target) bool { return unanswered(t.Label) }) ||
		unanswered(a.Traits().Text) {
		return nil, errors.New("what was answered to its question is not known")
	}
	if anywhere(a) {
		return a, nil
	}
	if err := x.standing(j); err != nil {
		return nil, err
	}
	if s.open() {
		return nil, errOpen
	}
	if _, twice := a.(actions.DoubleClick); twice && s.did(x.page) { // it may take that away
		return nil, errors.New("what it brings about is there already")
	}
	if t := a.Traits(); t.Kind == actions.KindText && len(t.Points) == 0 {
		if err := x.page.hasFocus(s.Focus); err != nil {
			return nil, err
		}
	}
	return x.page.aim(s, a)
}

// aim returns the step's action at where its targets are on the page.
func (p *page) aim(s *Step, a actions.Action) (placed actions.Action, err error) {
	n := 0
	placed = actions.Moved(a, func(at screen.Point) screen.Point {
		if n >= len(s.Targets) || a.Traits().Scrolls {
			return at
		}
		t := s.Targets[n]
		n++
		found, i, failed := p.find(&t)
		if n == 2 && s.After.Order != "" {
			found, i, failed = s.drop(p)
		}
		if failed == nil && a.Traits().Kind == actions.KindText {
			failed = p.untouched(&t, i)
		}
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", text.Quote(t.words(), 60), failed)
		}
		return found
	})
	return placed, cmp.Or(err, placed.Validate())
}

// standing reports why the page is not as step j needs it, or nil. What was there before the page
// was scrolled for the step need not be there any more.
func (x *moment) standing(j int) error {
	if x.at.Sank && j == x.at.At {
		return x.steps()[j].Before.fronts(x.page)
	}
	return x.steps()[j].Before.holds(x.page)
}

// sought takes in whether the last action, a scroll to what is missing, has moved anything.
func (x *moment) sought() {
	up, moved := x.at.Toward == actions.Up, x.at.Sought != sumOf(x.page)
	switch {
	case x.at.Sought == 0:
	case up && moved:
		x.at.Above = max(x.at.Above-1, 0)
	case up && x.at.Above > 0:
		x.at.Above = 0
	case !moved:
		x.at.Scrolls = mostScrolls
	case x.at.Toward == actions.Down:
		x.at.Above++
	}
	x.at.Sought = 0
}

// hasFocus reports why a field has not the focus, or nil.
func (p *page) hasFocus(t *Target) error {
	_, i, err := p.find(t)
	switch {
	case err != nil:
		return err
	case !p.list[i].Focused:
		return fmt.Errorf("%s has not the focus", text.Quote(t.words(), 60))
	}
	return p.untouched(t, i)
}

// untouched returns an error for a field with text that was empty when it was typed into.
func (p *page) untouched(t *Target, i int) error {
	e := &p.list[i]
	if t.Empty && !blank(e) && (t.Hint == "" || t.Hint != plain(e.Text)) {
		return fmt.Errorf("%s has text in it already", text.Quote(t.words(), 60))
	}
	return nil
}

// anywhere reports whether an action does the same on every screen.
func anywhere(a actions.Action) bool {
	switch a.(type) {
	case actions.OpenApp, actions.Home:
		return true
	}
	return false
}

// fill puts the answers of this run's questions in their places: of the skill's own, and no others.
// What was not answered stays as it is.
func (x *moment) fill() error {
	asks, own := x.plan.Skill.questions(), []string(nil)
	for _, e := range x.now.Exchanges {
		n := slices.IndexFunc(asks[len(own):], func(q string) bool {
			return withAnswers(q, own) == e.Question
		})
		for range n + 1 { // those before it were asked in other words
			own = append(own, fmt.Sprintf("{{answer %d}}", len(own)+1))
			x.heard = append(x.heard, actions.Exchange{})
		}
		if n >= 0 && slices.Contains(answers, e.Outcome) {
			own[len(own)-1], x.heard[len(own)-1] = e.Answer, e
		}
	}
	if own == nil {
		return nil
	}
	filled, err := x.plan.Skill.mapped(func(s string) string { return withAnswers(s, own) })
	with := *x.Policy
	with.plan.Skill, x.Policy = filled, &with
	return err
}

// answers are the outcomes with an answer.
var answers = []actions.Outcome{actions.Answered, actions.DefaultAnswer, actions.ModelAnswer,
	actions.Remembered, actions.HandedBack, actions.CouldNot}

// ended is how a take-over ended, or "".
func ended(e actions.Exchange) string {
	if e.Outcome == actions.HandedBack || e.Outcome == actions.CouldNot {
		return string(e.Outcome)
	}
	return ""
}

// act proposes a step's action.
func (x *moment) act(j int, a actions.Action) agentloop.Proposal {
	x.at.At, x.at.Replayed = j+1, x.at.Replayed+1
	x.at.InRow, x.at.Waits = 0, 0
	x.at.Acted, x.at.Sank = true, false
	if !a.Traits().Scrolls {
		x.at.Scrolls, x.at.Dropped = 0, 0
	}
	out := x.propose(a, x.steps()[j].intent())
	x.at.Own = true
	return out
}

func (x *moment) propose(a actions.Action, why string) agentloop.Proposal {
	x.at.Own = false
	past := x.steps()[:min(x.at.At, len(x.steps()))]
	done := text.Each(past, func(s Step) string { return s.intent() })
	return agentloop.Proposal{Elements: x.page.list, History: x.now.History,
		Decision: actions.Decision{Action: a, Explain: why,
			Summary: x.tell.Done + " " + strings.Join(done, "; ")}}
}
