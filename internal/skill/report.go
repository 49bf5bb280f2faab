package skill

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/taploop/taploop/agentloop"
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

// ReportOf is the report of a run with these settings, or nil if it replays no skill.
func ReportOf(plan json.RawMessage, p agentloop.Progress, u store.Usage) (*Report, error) {
	if plan == nil {
		return nil, nil
	}
	var of Plan
	if err := json.Unmarshal(plan, &of); err != nil {
		return nil, err
	}
	at, _ := PlaceOf(p)
	tokens := u.PromptTokens + u.CompletionTokens
	return &Report{Skill: of.Skill.Name, Replayed: at.Replayed, Healed: len(at.Healed),
		Calls: u.Calls, Tokens: tokens, Saved: max(of.Skill.Recorded.Tokens-tokens, 0),
		Heals: at.Healed}, nil
}

// Diverged is the step on whose screen a run ended, since it could not be repeated there, and the
// session in which it was recorded. It is nil for a run that has not ended for this reason, or at
// the skill's end, of which no picture is kept.
func Diverged(r store.Run) (at *Step, session string) {
	var set struct{ Skill *Plan }
	place, is := PlaceOf(r.Progress)
	if r.StopReason != agentloop.SkillDiverged || !is ||
		json.Unmarshal(r.Settings, &set) != nil || set.Skill == nil {
		return nil, ""
	}
	s := set.Skill.Skill
	if place.At >= len(s.Steps) {
		return nil, ""
	}
	return &s.Steps[place.At], s.Recorded.Session
}

// ProposeHealed proposes what a run healed of the skill that it repeated, and reports whether there
// is anything to propose. Only a run that ended as it should changes a skill: its steps, with the
// values that the run had. What people read and fill in stays, and so does what the first run cost.
func (f Folder) ProposeHealed(ctx context.Context, db *store.Store, run store.Run, o MakeOptions) (
	bool, error) {
	at, _ := PlaceOf(run.Progress)
	v := run.Progress.Verification
	if run.State != store.Completed || len(at.Healed) == 0 || !at.Ended ||
		v != nil && v.Verdict == agentloop.Contradicted {
		return false, nil
	}
	was, err := f.Read(o.Name)
	if errors.Is(err, ErrUnknown) { // it was removed meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	src, err := SourceOf(ctx, db, run.SessionID)
	if err != nil {
		return false, err
	}
	for _, h := range at.Healed {
		if h.Aside {
			src.Aside = append(src.Aside, h.Session)
		}
	}
	made, _, err := Make(src, o)
	if err != nil {
		return false, err
	}
	was.Steps, was.Ends, was.Answer = made.Steps, made.Ends, made.Answer
	was.Recorded.Session = made.Recorded.Session // which has their screens
	return true, f.Propose(was)
}
