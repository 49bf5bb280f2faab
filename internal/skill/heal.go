package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// unready scrolls on, waits, or has the step healed.
func (x *moment) unready(why error) (agentloop.Proposal, error) {
	if a := x.onward(why); a != nil && x.at.Scrolls < mostScrolls {
		x.at.Scrolls, x.at.Sought = x.at.Scrolls+1, sumOf(x.page)
		x.at.Toward = a.(actions.Scroll).Direction // nothing else scrolls
		x.at.Sank = x.at.Toward == actions.Down || x.at.Sank && x.at.Toward != actions.Up
		return x.propose(a, ""), nil
	}
	if x.at.Waits < mostWaits && !errors.Is(why, errAmbiguous) && !errors.Is(why, errOpen) {
		x.at.Waits++
		return x.propose(actions.Wait{For: pause}, ""), nil
	}
	return x.heal(why)
}

// onward is the scroll that may bring what is missing onto the screen: the recorded one, one of the
// list that the target was in, or, after some waiting, one of a page that is longer than this
// phone's screen. What a page has to show is looked for above first, if the page was scrolled down
// for a step before. It is nil if missing.
func (x *moment) onward(why error) actions.Action {
	lost, unseen := errors.Is(why, errMissing), errors.Is(why, errUnseen)
	if lost && x.at.At > 0 {
		if a, err := x.steps()[x.at.At-1].action(); err == nil && a.Traits().Scrolls {
			return a
		}
	}
	up := unseen && x.up()
	on, listed := &x.plan.Skill.Ends, false
	switch {
	case x.at.Acted:
		on = &x.steps()[x.at.At-1].After
	case x.at.At < len(x.steps()):
		s := &x.steps()[x.at.At]
		on, listed = &s.Before, lost && len(s.Targets) > 0 && s.Targets[0].Listed
		if !up && (unseen || len(s.Targets) == 0 || x.standing(x.at.At) != nil) {
			return nil
		}
	}
	if !lost && !unseen && !errors.Is(why, errCovered) || !listed && x.at.Waits < mostWaits ||
		on.fronts(x.page) != nil {
		return nil
	}
	return x.page.scroll(map[bool]actions.Direction{true: actions.Up, false: actions.Down}[up])
}

// up reports whether the page was scrolled down, for former steps only.
func (x *moment) up() bool { return x.at.Above > 0 && !x.at.Sank }

// granted reports whether the next step is about a permission that the phone does not ask for after
// some waiting, as the step behind it can be done, and not on every screen.
func (x *moment) granted() bool {
	next := x.at.At
	for next < len(x.steps()) && dialogs.MatchString(x.steps()[next].Before.App) {
		next++
	}
	if next == x.at.At || x.page.state.App == "" || dialogs.MatchString(x.page.state.App) ||
		x.at.Waits < mostWaits {
		return false
	}
	if next < len(x.steps()) {
		if a, err := x.steps()[next].action(); err != nil || anywhere(a) {
			return false
		}
	}
	_, err := x.ready(next)
	return err == nil
}

// scroll is one of the largest part of the page that scrolls, or nil: others do so to the side.
func (p *page) scroll(to actions.Direction) actions.Action {
	area := screen.Rect{}
	largest := -1
	for i := range p.list {
		if e := &p.list[i]; e.Scrollable && !e.Editable && e.Bounds.Area() > area.Area() {
			largest, area = i, e.Bounds
		}
	}
	if largest >= 0 {
		if _, _, err := p.touch(&Target{}, largest); err == nil {
			return actions.Scroll{At: area.Center(), Direction: to}
		}
	}
	return nil
}

// end reports when the screen is the one that the recorded run ended on.
func (x *moment) end() (agentloop.Proposal, error) {
	if err := x.plan.Skill.Ends.holds(x.page); err != nil {
		return x.unready(err)
	}
	x.at.Ended = true
	answer, off := x.plan.Skill.Answer, x.plan.Heal == HealOff
	if unanswered(answer) {
		answer = ""
	}
	if off || answer != "" && !slices.Contains(x.now.Doubted, agentloop.NoteAnswerMisfit) {
		return x.propose(actions.Complete{Report: cmp.Or(answer, x.tell.Reported)}, ""), nil
	}
	x.now.Task += "\n\n" + x.say.Ended
	return x.free()
}

// free has the model continue as in any run. That the ends were seen counts if all that it does is
// to report.
func (x *moment) free() (agentloop.Proposal, error) {
	x.at.Free = true
	out, err := x.model.Next(x.ctx, x.now)
	_, reports := out.Action.(actions.Complete)
	x.at.Ended = x.at.Ended && reports
	return out, err
}

// heal has a model decide in the place of a recorded step.
func (x *moment) heal(why error) (agentloop.Proposal, error) {
	x.at.Sought = 0
	if x.plan.Heal == HealOff {
		return x.diverged(why)
	}
	on := x.at.Rest || x.at.InRow >= mostInRow ||
		len(x.at.Healed) >= max(leastHeals, len(x.steps())/5)
	if x.plan.Heal == HealAsk {
		x.at.Why = why.Error() // whatever the screen is when it is answered
		ask := x.question(on)
		switch yes, clear := x.consent(ask); {
		case !clear:
			return x.propose(actions.Info{Question: ask, Personal: true,
				Options: []string{x.tell.Yes[0], x.tell.No[0]}}, ""), nil
		case !yes:
			return x.diverged(why)
		}
	}
	if on {
		return x.free()
	}
	if x.now.Task += "\n\n"; x.over() {
		x.now.Task += x.say.Ended + "\n" + fmt.Sprintf(x.say.Unseen, why)
	} else {
		x.now.Task += fmt.Sprintf(x.say.Heal, x.steps()[x.at.At].intent(), why) + x.seen()
	}
	out, err := x.model.Next(x.ctx, x.now)
	if _, gaveUp := out.Action.(actions.Abort); err != nil || gaveUp {
		return out, err
	}
	if unseen := x.short(out.Action); unseen != nil {
		return x.claimed(out, unseen)
	}
	x.at.Claimed = false
	x.at.Acted, x.at.Own, x.at.Sank, x.at.Waits, x.at.Above = false, false, false, 0, 0
	x.at.Why = ""
	x.at.InRow, x.at.Heard = x.at.InRow+1, len(x.now.Exchanges)
	x.at.Healed = append(x.at.Healed, Healed{Step: x.at.At + 1, Session: x.now.Step,
		Why: why.Error(), Did: spoken(out.Action, func(n int) string {
			return x.page.called(out.Action.Traits().Points, n)
		})})
	x.at.Healing, x.at.Did = true, x.does(out.Action)
	return out, nil
}

// short reports why an action that ends the run does so before its recorded end, or nil.
func (x *moment) short(a actions.Action) error {
	if _, ends := a.(actions.Complete); !ends || x.over() {
		return nil
	}
	last := &x.steps()[len(x.steps())-1]
	return cmp.Or(x.plan.Skill.Ends.holds(x.page), last.follows(x.page, true))
}

// claimed has a model that ends the run too early asked once more, and does not believe it again.
func (x *moment) claimed(out agentloop.Proposal, unseen error) (agentloop.Proposal, error) {
	unseen = fmt.Errorf("the task was said to be done, but %w", unseen)
	tries := out.Tries
	var err error
	if x.at.Claimed {
		out, err = x.diverged(unseen)
	} else {
		out = x.propose(actions.Wait{For: pause}, "")
		x.at.Claimed, x.at.Why, x.at.InRow = true, unseen.Error(), x.at.InRow+1
	}
	out.Tries = tries
	return out, err
}

const mostSeen = 2000 // characters of earlier screens that the model is told

// seen are the words of the screens that the run has come by, for a step that hangs on them.
func (x *moment) seen() string {
	if !x.steps()[x.at.At].open() || x.now.Album == nil {
		return ""
	}
	var list []string
	steps, _ := x.now.Album.Steps(x.ctx) // without them the screen alone has to do
	for i := range slices.Backward(steps) {
		for n := range steps[i].Proposal.Elements {
			w := said(&steps[i].Proposal.Elements[n])
			if w != "" && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return "\n" + fmt.Sprintf(x.say.Seen, text.Quote(strings.Join(list, " | "), mostSeen))
}

// consent is what a person has said since the last heal when asked about this one: what nobody said
// is no yes. clear is false if nobody was asked yet, or said neither yes nor no.
func (x *moment) consent(asked string) (yes, clear bool) {
	for _, e := range slices.Backward(x.now.Exchanges[min(x.at.Heard, len(x.now.Exchanges)):]) {
		if e.Question != asked {
			continue
		}
		words := strings.FieldsFunc(e.Answer, func(r rune) bool { return !unicode.IsLetter(r) })
		said := func(w string) bool { return len(words) > 0 && strings.EqualFold(w, words[0]) }
		if e.Outcome != actions.Answered {
			return false, true
		}
		yes = slices.ContainsFunc(x.tell.Yes, said)
		return yes, yes || e.Answer == "" || slices.ContainsFunc(x.tell.No, said)
	}
	return false, false
}

// over reports whether all steps are done, and only the end was not seen.
func (x *moment) over() bool { return x.at.At == len(x.steps()) }

// question asks a person whether the model may decide a step, or the rest.
func (x *moment) question(rest bool) string {
	if x.over() {
		return fmt.Sprintf(x.tell.AskEnd, x.at.Why)
	}
	says := map[bool]string{true: x.tell.AskAll, false: x.tell.Ask}
	return fmt.Sprintf(says[rest], x.at.At+1, x.steps()[x.at.At].intent(), x.at.Why)
}

// diverged ends the run with the step that cannot be repeated, which is not carried out.
func (x *moment) diverged(why error) (agentloop.Proposal, error) {
	if x.over() {
		return x.propose(nil, ""), fmt.Errorf("%w: at its end: %w", agentloop.ErrSkillDiverged, why)
	}
	s := &x.steps()[x.at.At]
	err := fmt.Errorf("%w: step %d (%s): %w", agentloop.ErrSkillDiverged, x.at.At+1, s.intent(),
		why)
	a, unread := s.action()
	return x.propose(a, s.intent()), errors.Join(err, unread)
}

// does reports whether an action is what the next step does, on the same target.
func (x *moment) does(a actions.Action) bool {
	if x.over() || a == nil {
		return false
	}
	s := &x.steps()[x.at.At]
	recorded, err := s.action()
	if err != nil || recorded.Verb() != a.Verb() {
		return false
	}
	points, target := pointsOf(a), s.Focus
	if len(s.Targets) > 0 {
		target = &s.Targets[0]
	}
	typed := s.types() && a.Traits().Text == recorded.Traits().Text
	if i := x.page.focused(); s.types() && len(points) == 0 && i >= 0 {
		points = append(points, x.page.list[i].Bounds.Center())
	}
	switch {
	case typed || len(points) == 0:
		return true
	case target == nil: // it is another text, or thing, each time
		return s.types() || x.standing(x.at.At) == nil
	}
	return x.page.touches(target, points[0])
}

// touches reports whether a touch at a place is one of a target, which need not be found: then what
// is there has to be like it.
func (p *page) touches(t *Target, where screen.Point) bool {
	if i, err := p.locate(t); err == nil {
		return p.list[i].Bounds.Contains(where)
	}
	return slices.ContainsFunc(p.like(t), func(i int) bool {
		return p.list[i].Bounds.Contains(where) && (t.Label != "" ||
			slices.ContainsFunc(t.Locators, func(l locator) bool {
				l.Near, l.Place = nil, 0
				return len(p.hits(t, &l, []int{i})) > 0
			}))
	})
}

// learn takes in what became of the last action. It returns why a model has to be asked, or "".
func (x *moment) learn() string {
	carriedOver := x.at.Step != 0 && x.at.Step == x.now.Step-1
	for _, n := range x.now.Notes {
		switch n.Kind {
		case agentloop.NoteOutcomeUnknown:
			_, err := x.ready(x.at.At)
			switch {
			case n.Action == actions.Describe(actions.Wait{For: pause}):
				continue
			case !carriedOver: // it was decided, and its place in the skill was not kept
				x.at.Healing, x.at.Did = true, false
				if x.done() {
					x.at.At++
					x.at.Healing = false
					return ""
				}
			case err == nil || !x.at.Own && !x.at.Healing:
				return ""
			default:
				x.back()
			}
			return "it is not known whether " + n.Action + " was carried out"
		case agentloop.NoteScreenChanged, agentloop.NoteListingMoved, agentloop.NoteNotDone:
			if x.back() {
				if x.at.Dropped++; x.at.Dropped > mostDropped {
					return "the screen does not come to rest"
				}
			}
			x.at.Did = false
		case agentloop.NoteRefused, agentloop.NotePartial, agentloop.NoteNotAllowed,
			agentloop.NoteUndecided, agentloop.NoteRepeated, agentloop.NoteResponded:
			if x.at.Sought != 0 {
				x.at.Scrolls = mostScrolls
			}
			if n.Kind == agentloop.NoteRepeated || !x.at.Own && !x.at.Healing {
				continue // it was carried out, or was no step
			}
			x.back()
			x.at.Did = false
			return n.Action + " could not be carried out: " + n.Detail
		case agentloop.NoteRejected, agentloop.NoteRejectedSilently:
			if n := len(x.at.Healed); !x.back() && x.at.Healing && n > 0 { // it healed nothing
				x.at.Healed, x.at.Healing = x.at.Healed[:n-1], false
			}
			x.at.Rest = true
			return strings.TrimRight(n.Action+" was not wanted: "+n.Detail, ": ")
		}
	}
	return ""
}

// told takes in instructions of the other side, which no recorded step knows. It returns why the
// steps are not repeated any more, or "".
func (x *moment) told() string {
	n := 0
	for _, e := range x.now.Exchanges {
		if e.Outcome == actions.Instructed {
			n++
		}
	}
	if n <= x.at.Told {
		return ""
	}
	x.at.Told, x.at.Rest = n, true
	return "the other side has said what to do instead"
}

// otherwise takes in an answer that no step has, and that is not the recorded one.
func (x *moment) otherwise() string {
	n := 0
	for _, s := range x.steps()[:min(x.at.At, len(x.steps()))] {
		if a, _ := s.action(); a == nil || a.Verb() != (actions.Info{}).Verb() {
			continue
		}
		if s.Heard != "" && (n >= len(x.heard) ||
			!spells(cmp.Or(ended(x.heard[n]), x.heard[n].Answer), s.Heard)) {
			x.at.Rest = true
			return "the answer is not the recorded one, and no step has it"
		}
		n++
	}
	return ""
}

// done reports whether the next step seems to be done, and the one behind it can be.
func (x *moment) done() bool {
	if x.at.At >= len(x.steps()) || x.steps()[x.at.At].follows(x.page, false) != nil {
		return false
	}
	_, err := x.ready(x.at.At + 1)
	return err == nil
}

// back goes back to the step whose action came to nothing, if that was the last one.
func (x *moment) back() bool {
	own := x.at.Own
	if own {
		x.at.At--
		x.at.Own, x.at.Acted = false, false
		x.at.Replayed = max(x.at.Replayed-1, 0)
	}
	return own
}

// relocate finds out where in the skill the model's action has led.
func (x *moment) relocate() {
	x.at.Healing = false
	if len(x.at.Healed) == 0 { // it was decided, and is not known any more
		return
	}
	from := x.at.At
	healed := x.at.Healed[len(x.at.Healed)-1].Step // the step behind it, from 0
	if x.at.Did && from < len(x.steps()) {
		from++
	}
	x.at.Did = false
	for j := from; j <= min(from+farthestSkip, len(x.steps())); j++ {
		if j > from && !x.steps()[j-1].did(x.page) {
			break
		}
		if _, err := x.ready(j); err == nil {
			if _, err := x.ready(j + 1); err == nil && x.steps()[j].did(x.page) {
				j++ // what the model touched was the step's, though not like it
			}
			x.at.At = j
			last := &x.at.Healed[len(x.at.Healed)-1]
			last.Aside, last.Over, last.Next = j < healed, max(j-healed, 0), j+1
			return
		}
	}
	x.at.At = from
}
