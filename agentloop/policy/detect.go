package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// detect reads a reply that the dialect refused with err, if it is in another dialect. Otherwise it
// returns err. The run gets a warning that names the setting.
func (p *Policy) detect(ctx context.Context, s *agentloop.Situation, now *dialect.Situation,
	reply actions.Reply, err error, out *agentloop.Proposal,
) (actions.Decision, error) {
	if parse, ok := errors.AsType[*dialect.ParseError](err); ok && parse.Off != nil {
		p.warn(ctx, s, out, agentloop.Warning{Setting: "model.coordinates",
			Text: misplaced(parse.Off)})
	}
	detector, can := p.dialect.(dialect.Detector)
	if !can {
		return actions.Decision{}, err
	}
	d, name := detector.Detect(reply, *now)
	if name == "" {
		return actions.Decision{}, err
	}
	p.warn(ctx, s, out, agentloop.Warning{Setting: "model.dialect", Text: fmt.Sprintf(
		"the model is prompted in the dialect %s and replies in %s, which was accepted; "+
			"set model.dialect: %s", p.dialect.Profile().Name, name, name)})
	return d, nil
}

// warn warns once in a run.
func (p *Policy) warn(
	ctx context.Context, s *agentloop.Situation, out *agentloop.Proposal, w agentloop.Warning,
) {
	known := func(v agentloop.Warning) bool { return v.Setting == w.Setting }
	if slices.ContainsFunc(s.Warnings, known) || slices.ContainsFunc(out.Warnings, known) {
		return
	}
	out.Warnings = append(out.Warnings, w)
	p.log.WarnContext(ctx, w.Text, "step", s.Step, "setting", w.Setting)
}

// misplaced says what a model's places look like that are none in the coordinates that were taken
// for its own.
func misplaced(off *screen.OffScale) string {
	said := fmt.Sprintf("the model names a place that %v (model.coordinates is %s, the picture "+
		"%v)", off, off.Coordinates, off.Picture)
	if len(off.Fit) == 0 {
		return said + "; it may reckon in pixels of a picture of another size: see " +
			"model.coordinates and model.image_size"
	}
	var fit []string
	for _, c := range off.Fit {
		fit = append(fit, fmt.Sprintf("%q", c))
	}
	return said + "; if that goes on, set model.coordinates to what fits: " +
		strings.Join(fit, " or ")
}
