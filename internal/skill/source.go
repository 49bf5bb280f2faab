package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// SourceOf is the session's last run that was completed. The source reads pictures from the store
// under ctx.
func SourceOf(ctx context.Context, db *store.Store, sessionID string) (src Source, err error) {
	all, err := db.Trajectory(ctx, sessionID)
	if err != nil {
		return src, err
	}
	for _, r := range all.Runs {
		if r.State == store.Completed {
			src.Run, src.Usage = r, all.Usage[r.ID]
		}
	}
	if src.Run.ID == "" {
		return src, hint.Add(fmt.Errorf("no run of session %s was completed", sessionID),
			"taploop sessions lists sessions with the states of their runs")
	}
	for _, s := range all.Steps {
		if s.RunID == src.Run.ID {
			src.Steps = append(src.Steps, s)
		}
	}
	src.Frame = func(id string) ([]byte, error) { return db.Frame(ctx, id) }
	return src, nil
}

// PlanOf is what a run replays, or nil.
func PlanOf(r store.Run) *Plan {
	var set struct{ Skill *Plan }
	if json.Unmarshal(r.Settings, &set) != nil || set.Skill == nil || set.Skill.Skill == nil {
		return nil
	}
	return set.Skill
}

// Ambiguous says which of the skill's targets are not found as what was touched, on the screens
// that they were recorded on, with the parameters as they were then. seen is how many screens were
// kept. A file that was written by hand has none, nor values of then.
func (s *Skill) Ambiguous(ctx context.Context, db *store.Store) (seen int, all []error, err error) {
	m := &maker{src: Source{Frame: func(id string) ([]byte, error) { return db.Frame(ctx, id) }}}
	kept, filled := map[string]store.Trajectory{}, map[string]*Skill{}
	for n := range s.Steps {
		session := cmp.Or(s.Steps[n].Session, s.Recorded.Session)
		if _, is := kept[session]; !is {
			kept[session], err = db.Trajectory(ctx, session)
			if err == nil || errors.Is(err, store.ErrNotFound) {
				filled[session], err = s.then(kept[session].Runs, s.Steps[n].Session != "")
			}
			if err != nil {
				return 0, nil, err
			}
		}
		records := kept[session].Steps
		i := slices.IndexFunc(records, func(r store.StepRecord) bool {
			return r.FrameID != "" && r.FrameID == s.Steps[n].Frame
		})
		if i < 0 || records[i].Proposal.Elements == nil || filled[session] == nil {
			continue
		}
		seen++
		p := pageOf(&records[i])
		img := m.src.picture(&records[i])
		p.picture = func() image.Image { return img }
		step := &filled[session].Steps[n]
		for _, err := range p.misses(step, pointsOf(records[i].Proposal.Action)) {
			all = append(all, fmt.Errorf("%s: step %d: %w", s.Name, n+1, err))
		}
	}
	return seen, all, nil
}

// then is the skill with the values that its parameters had in a session: that it was recorded in,
// or healed. It is nil if they are not known.
func (s *Skill) then(runs []store.Run, healed bool) (*Skill, error) {
	values := s.examples()
	for _, r := range runs {
		if p := PlanOf(r); healed && p != nil && p.Skill.Name == s.Name && p.Skill.Values != nil {
			values = p.Skill.Values
		}
	}
	if slices.ContainsFunc(s.ParamNames(), func(p string) bool { return values[p] == nil }) {
		return nil, nil
	}
	return s.Fill(values)
}

// examples are the values that the parameters were recorded with.
func (s *Skill) examples() map[string]any {
	values := map[string]any{}
	if of, err := s.shape(); err == nil {
		for name, p := range of.Schema.Properties {
			if len(p.Examples) > 0 {
				values[name] = p.Examples[0]
			}
		}
	}
	return values
}

// misses says which targets of a step are not what was touched at these places.
func (p *page) misses(s *Step, touched []screen.Point) (all []error) {
	targets := s.Targets
	if s.After.Order != "" { // its end is whatever is there
		targets = targets[:1]
	}
	if s.Focus != nil {
		targets = append(slices.Clip(targets), *s.Focus)
	}
	for n := range targets {
		if unanswered(targets[n].Label) {
			continue
		}
		_, i, err := p.find(&targets[n])
		if err == nil && n < len(touched) && !p.list[i].Bounds.Contains(touched[n]) {
			err = errors.New("it is another thing than what was touched")
		}
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", text.Quote(targets[n].words(), 60), err))
		}
	}
	return all
}
