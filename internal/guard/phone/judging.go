package phone

import (
	"cmp"
	"context"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/screen"
)

var _ agentloop.Previewer = (*Gate)(nil)

// Preview asks the judge about what can be touched on the screen, while the model decides. A run
// that replays decides at once: in an app that is known it asks about what it touches alone.
func (g *Gate) Preview(ctx context.Context, s agentloop.Situation) {
	if g.opts.Judge == nil || s.Reader == nil {
		return
	}
	_, known, _ := g.opts.Judge.AboutMoney(ctx, s.Screen.State.App)
	list, err := s.Reader.Elements(ctx)
	if err != nil || known && g.opts.Replays {
		return // a touch is judged without elements then
	}
	look := s.Screen
	look.Elements = list
	if labels := g.pressable(look); len(labels) > 0 {
		g.opts.Judge.Prepare(ctx, s.Screen.State.App, labels)
	}
}

// touches is a touch of each element of the app that can be pressed.
func touches(look screen.Observation) (all []guard.Subject) {
	look.Elements = look.Elements[:min(len(look.Elements), maxElements)]
	page, base := newPage(look.Elements), subject(look.State.App, "",
		actions.Decision{Action: actions.Click{}})
	base.Screen, base.Secure = readable(look, nil), look.State.Secure
	for _, e := range look.Elements {
		if e.Touchable() && !e.Editable {
			all = append(all, at(page, look, base, e.Bounds.Center(), swipe{})...)
		}
	}
	return all
}

// pressable are the labels of the screen about which the judge is asked.
func (g *Gate) pressable(look screen.Observation) []string { return g.labels(touches(look)) }

// labels are those of the subjects about which the judge is asked.
func (g *Gate) labels(list []guard.Subject) (labels []string) {
	for i := range list {
		l := list[i].Label()
		if l != "" && (g.opts.JudgeAll || g.policy.Unknown(list[i])) {
			labels = append(labels, l)
		}
	}
	return labels
}

// judge writes into the subjects what the judge says about them. What a run that does not replay
// asks then is about the whole screen, as Preview asks, so that each screen costs one question.
func (g *Gate) judge(
	ctx context.Context, look screen.Observation, list []guard.Subject,
) error {
	if g.opts.Judge == nil || len(list) == 0 {
		return nil
	}
	money, _, err := g.opts.Judge.AboutMoney(ctx, list[0].App)
	if labels := g.labels(list); len(labels) > 0 && err == nil {
		var acts map[string]judge.Act
		acts, err = g.opts.Judge.Acts(ctx, list[0].App, labels, func() []string {
			if g.opts.Replays {
				return nil
			}
			return g.pressable(look)
		})
		for i := range list {
			if act, is := acts[list[i].Label()]; is {
				list[i].Judged = cmp.Or(string(act), guard.Harmless)
			}
		}
	}
	for i := range list {
		list[i].Money = money
	}
	return err
}

// spent is what the judge has cost since the last call.
func (g *Gate) spent() agentloop.Spending {
	if g.opts.Judge == nil {
		return agentloop.Spending{}
	}
	return agentloop.Spending(g.opts.Judge.Take())
}
