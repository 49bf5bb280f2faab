package skill

import (
	"errors"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// unready scrolls on, waits, or has the step healed.
func (x *moment) unready(why error) (agentloop.Proposal, error) {
	if a := x.onward(); a != nil && errors.Is(why, errMissing) && x.at.Scrolls < mostScrolls {
		x.at.Scrolls++
		return x.propose(a, ""), nil
	}
	if x.at.Waits < mostWaits && !errors.Is(why, errAmbiguous) {
		x.at.Waits++
		return x.propose(actions.Wait{For: pause}, ""), nil
	}
	return x.heal(why)
}

// onward is the scroll that may bring the next target onto the screen: the recorded one, one of the
// list that the target was in, or, after some waiting, one of a page that is longer than this
// phone's screen. It is nil if missing.
func (x *moment) onward() actions.Action {
	if x.at.At > 0 {
		if a, err := x.steps()[x.at.At-1].action(); err == nil && a.Traits().Scrolls {
			return a
		}
	}
	if x.at.At >= len(x.steps()) {
		return nil
	}
	s := &x.steps()[x.at.At]
	if len(s.Targets) == 0 || !s.Targets[0].Listed && x.at.Waits < mostWaits ||
		x.page.holds(&s.Before) != nil {
		return nil
	}
	var area screen.Rect // the largest: others scroll to the side
	for i := range x.page.list {
		e := &x.page.list[i]
		if e.Scrollable && !e.Editable && e.Bounds.Area() > area.Area() {
			area = e.Bounds
		}
	}
	if area.Area() == 0 {
		return nil
	}
	return actions.Scroll{At: area.Center(), Direction: actions.Down}
}

// end reports when the screen is the one that the recorded run ended on.
func (x *moment) end() (agentloop.Proposal, error) {
	if err := x.page.holds(&x.plan.Skill.Ends); err != nil {
		return x.unready(err)
	}
	x.at.Ended = true
	if x.plan.Skill.Answer != "" {
		return x.propose(actions.Complete{Report: x.answered(x.plan.Skill.Answer)}, ""), nil
	}
	if x.plan.Heal == HealOff {
		return x.propose(actions.Complete{Report: x.say.Reported}, ""), nil
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
	step := min(x.at.At, len(x.steps())-1)
	in := x.steps()[step].Say
	if x.plan.Heal == HealOff {
		return x.diverged(step, why)
	}
	if len(x.at.Healed) >= max(leastHeals, len(x.steps())/5) || x.at.InRow >= mostInRow {
		return x.free()
	}
	if x.plan.Heal == HealAsk {
		if !x.at.Asked {
			x.at.Asked = true
			return x.propose(actions.Info{Question: fmt.Sprintf(x.say.Ask, step+1, in, why),
				Options: []string{x.say.Yes, x.say.No}}, ""), nil
		}
		last := x.now.Exchanges[max(len(x.now.Exchanges)-1, 0):]
		if len(last) == 0 || last[0].Answer != x.say.Yes {
			return x.diverged(step, why)
		}
	}
	x.now.Task += "\n\n" + fmt.Sprintf(x.say.Heal, in, why)
	out, err := x.model.Next(x.ctx, x.now)
	if err != nil {
		return out, err
	}
	x.at.Asked, x.at.Acted, x.at.Waits = false, false, 0
	x.at.InRow++
	x.at.Healed = append(x.at.Healed, Healed{Step: step + 1, Session: x.now.Step,
		Why: why.Error(), Did: actions.Describe(out.Action)})
	x.at.Healing, x.at.Did = true, x.does(step, out.Action)
	return out, nil
}

// diverged ends the run with the step that cannot be repeated, which is not carried out.
func (x *moment) diverged(step int, why error) (agentloop.Proposal, error) {
	s := &x.steps()[step]
	err := fmt.Errorf("%w: step %d (%s): %w", agentloop.ErrSkillDiverged, step+1, s.Say, why)
	a, unread := s.action()
	return x.propose(a, s.Say), errors.Join(err, unread)
}

// does reports whether an action is what a step does, on the same target.
func (x *moment) does(step int, a actions.Action) bool {
	recorded, err := x.steps()[step].action()
	if err != nil || a == nil || recorded.Verb() != a.Verb() {
		return false
	}
	points := pointsOf(a)
	if len(points) == 0 {
		return true
	}
	if a.Traits().Kind == actions.KindText {
		return a.Traits().Text == actions.Texts(recorded, x.answered).Traits().Text
	}
	for _, t := range x.steps()[step].Targets {
		_, i, err := x.page.find(&t)
		return err == nil && x.page.list[i].Bounds.Contains(points[0])
	}
	return false
}
