package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// Report is what a replay has come to.
type Report struct {
	Skill    string   `json:"skill"`
	Replayed int      `json:"steps_replayed"`
	Healed   int      `json:"steps_healed"`
	Calls    int      `json:"model_calls"`
	Tokens   int      `json:"tokens"`
	Saved    int      `json:"tokens_saved"` // against the recorded run
	Heals    []Healed `json:"heals,omitempty"`
}

// ReportOf is the report of a run, or nil if it replays no skill.
func ReportOf(r store.Run, u store.Usage) *Report {
	of := PlanOf(r)
	if of == nil {
		return nil
	}
	at, _ := PlaceOf(r.Progress)
	tokens := u.PromptTokens + u.CompletionTokens
	return &Report{Skill: of.Skill.Name, Replayed: at.Replayed, Healed: len(at.Healed),
		Calls: u.Calls, Tokens: tokens, Saved: max(of.Skill.Recorded.Tokens-tokens, 0),
		Heals: at.Healed}
}

// Diverged is the recorded picture of the screen on which a run ended, since it was not as it was
// then, and the session that has it. It is "" for a run that has not ended for this reason.
func Diverged(r store.Run) (frame, session string) {
	plan := PlanOf(r)
	place, is := PlaceOf(r.Progress)
	if r.StopReason != agentloop.SkillDiverged || !is || plan == nil {
		return "", ""
	}
	s := plan.Skill
	if place.At >= len(s.Steps) {
		return s.Recorded.Frame, s.Recorded.Session
	}
	at := &s.Steps[place.At]
	return at.Frame, cmp.Or(at.Session, s.Recorded.Session)
}

// ProposeHealed proposes what a run healed of the skill that it repeated, and reports whether there
// is anything to propose. Only a run that ended as it should changes a skill: the steps
// that were healed. What people read and fill in stays, and so does what the first run cost.
func (f Folder) ProposeHealed(ctx context.Context, db *store.Store, run store.Run) (bool, error) {
	at, _ := PlaceOf(run.Progress)
	v, plan := run.Progress.Verification, PlanOf(run)
	if run.State != store.Completed || plan == nil || len(at.Healed) == 0 || !at.Ended ||
		v != nil && v.Verdict == agentloop.Contradicted {
		return false, nil
	}
	o := MakeOptions{Name: plan.Skill.Name, Params: map[string]string{}}
	for name, value := range plan.Skill.Values {
		o.Params[name], _ = inWords(value) // it was one when the run began
	}
	was, err := f.Read(o.Name)
	if err == nil && !was.repeated(plan.Skill) {
		err = fmt.Errorf("%s has changed since the run began", f.Path(o.Name))
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrStale, err)
	}
	src, err := SourceOf(ctx, db, run.SessionID)
	if err != nil {
		return false, err
	}
	made, _, err := Make(src, o)
	before := was.used()
	if err != nil || !was.heal(made, src.lasting(at.Healed)) {
		return false, err
	}
	_, wrong, err := was.Ambiguous(ctx, db)
	for _, name := range before {
		if !slices.Contains(was.used(), name) {
			wrong = append(wrong, fmt.Errorf("no step would have %s any more", name))
		}
	}
	if err = cmp.Or(err, errors.Join(wrong...)); err != nil {
		return false, fmt.Errorf("%w: %w", ErrStale, err)
	}
	return true, f.Propose(was)
}

// ProposeLatest is ProposeHealed of the run that repeated a skill to its end last, wherever that
// was begun. A skill that has changed since is left alone.
func (f Folder) ProposeLatest(ctx context.Context, db *store.Store, name string) error {
	all, err := db.Sessions(ctx, store.Filter{State: store.Completed, Limit: mostLooked})
	for _, x := range all {
		run, failed := db.LatestRun(ctx, x.ID)
		if failed != nil {
			return failed
		}
		if plan := PlanOf(run); plan != nil && plan.Skill.Name == name {
			_, err = f.ProposeHealed(ctx, db, run)
			break
		}
	}
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

const mostLooked = 200 // sessions

// lasting are the heals without those that were taken back: the run went back, and the screen was
// as before them. What was done instead, once it was back, is in the place of the first of these.
func (src *Source) lasting(all []Healed) (kept []Healed) {
	instead := 0 // the step that is still to be done
	for _, h := range all {
		i := slices.IndexFunc(src.Steps,
			func(s store.StepRecord) bool { return s.Index == h.Session })
		if i >= 0 && i+1 < len(src.Steps) && src.Steps[i].Proposal.Action == (actions.Back{}) {
			n := len(kept) - 1
			for n >= 0 && !src.same(kept[n].Session, &src.Steps[i+1]) {
				n--
			}
			if n >= 0 {
				instead, kept = kept[n].Step, kept[:n]
				continue
			}
		}
		if instead > 0 && h.Aside && h.Step > instead && h.Next > instead {
			h.Step, h.Over, h.Aside, instead = instead, h.Next-1-instead, false, 0
		}
		kept = append(kept, h)
	}
	return kept
}

// same reports whether a step of the session was decided on the screen of another one.
func (src *Source) same(session int, as *store.StepRecord) bool {
	return slices.ContainsFunc(src.Steps, func(s store.StepRecord) bool {
		return s.Index == session && s.Screen.State == as.Screen.State &&
			slices.EqualFunc(s.Proposal.Elements, as.Proposal.Elements,
				func(a, b screen.Element) bool {
					if a.Bounds = b.Bounds; alike(a.Text, b.Text, a.Editable) {
						a.Text = b.Text
					}
					return a == b
				})
	})
}

// used are the parameters that the steps have.
func (s *Skill) used() []string {
	steps := (&Skill{Steps: s.Steps}).texts()
	return slices.DeleteFunc(s.ParamNames(), func(name string) bool {
		return !strings.Contains(steps, "{{"+name+"}}")
	})
}

// repeated reports whether a run that repeated a filled skill has repeated this one as it is now.
func (s *Skill) repeated(filled *Skill) bool {
	now, err := s.Fill(filled.Values)
	return err == nil && now.texts() == filled.texts()
}

// heal puts what a model did in the places of the steps that it healed, and reports whether there
// is anything. The others stay as they are.
func (s *Skill) heal(made *Skill, all []Healed) (healed bool) {
	later := 0               // the step that what was done next is in the place of
	done := len(s.Steps) + 1 // the first that the skill did itself behind what was done next
	for _, h := range slices.Backward(all) {
		by := slices.IndexFunc(made.Steps, func(t Step) bool { return t.index == h.Session })
		own := h.Step >= done // and so nothing is in its place
		done = min(done, cmp.Or(h.Next, done))
		if own || h.Aside || h.Step > len(s.Steps) || by < 0 { // or it was not carried out
			continue
		}
		end := min(h.Step+h.Over, len(s.Steps))
		step, was := made.Steps[by], &s.Steps[h.Step-1]
		kept := was.types() && was.open() // it is another text each time
		if h.Step == later || kept {
			end = h.Step - 1
		}
		a, _ := step.action()
		if later = h.Step; kept && step.types() || was.types() && a == (actions.Back{}) {
			continue // or it took back what it had done before
		}
		if step.open() && !was.open() { // a model would be asked each time
			continue
		}
		with := &Skill{Steps: slices.Replace(slices.Clone(s.Steps), h.Step-1, end, step)}
		one := &Skill{Steps: []Step{step}}
		if s.renumbers(with, with) || s.renumbers(made, one) {
			continue
		}
		step.Session = made.Recorded.Session
		healed, with.Steps[h.Step-1] = true, step
		s.Steps = with.Steps
	}
	return healed
}

// renumbers reports whether steps that go with other questions name answers by their numbers.
func (s *Skill) renumbers(with, steps *Skill) bool {
	return len(s.questions()) != len(with.questions()) && unanswered(steps.texts())
}
