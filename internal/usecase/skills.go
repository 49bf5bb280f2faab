package usecase

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
)

// ErrNoSkill is returned for a skill that there is none of.
var ErrNoSkill = skill.ErrUnknown

// RunSkill repeats a skill.
type RunSkill struct {
	Name      string          `json:"name" max:"64"`
	Params    json.RawMessage `json:"params,omitempty"` // an object
	Heal      skill.Heal      `json:"heal" default:"auto"`
	ReplyMode string          `json:"reply_mode" max:"200" default:"{reply_mode}"`
	Key       string          `json:"idempotency_key,omitempty" max:"200" listed:"gelab"`
	Running
}

// RunSkill begins a session that repeats a skill, and waits for it.
func (u *Cases) RunSkill(ctx context.Context, c *Call, a RunSkill) (*Outcome, error) {
	s, err := u.opts.Skills.Read(a.Name)
	if err != nil {
		return nil, runs.Coded(runs.InvalidArgument,
			hint.Add(err, cmp.Or(hint.Of(err), "taploop skill check")))
	}
	var params map[string]any
	if len(a.Params) > 0 {
		if err := json.Unmarshal(a.Params, &params); err != nil {
			return nil, invalid("pass params as an object", "the parameters are no object")
		}
	}
	filled, err := s.Fill(params)
	if err != nil {
		return nil, runs.Coded(runs.InvalidArgument, err)
	}
	plan, err := json.Marshal(skill.Plan{Skill: filled, Heal: a.Heal})
	if err != nil {
		return nil, err
	}
	return u.Start(ctx, c, Start{Task: filled.Task, ReplyMode: a.ReplyMode, Reset: true,
		Key: a.Key, Skill: plan, Running: a.Running})
}

// Fit is a skill that does a task.
type Fit struct {
	Name   string
	Params map[string]any // as they were read from the task
	Lacks  []string       // those that it needs beside them
}

// fitting finds the one skill that does the task of a. Under SkillsAuto a repeats it, if there is
// no doubt about its parameters. Otherwise the skill is returned for the result to name.
func (u *Cases) fitting(c *Call, a *Start) *Fit {
	use := u.opts.UseSkills
	if use == "" || use == SkillsOff || a.Skill != nil || !a.Reset || a.Schema != nil {
		return nil
	}
	names, err := u.opts.Skills.Names()
	if err != nil {
		return nil // as if there were none: the task does not need them
	}
	var found *skill.Skill
	var values map[string]any
	sure := false
	for _, name := range names {
		s, err := u.opts.Skills.Read(name)
		if err != nil {
			continue
		}
		if v, certain, fits := s.Match(a.Task); fits {
			if found != nil { // which one is meant is not known
				return nil
			}
			found, values, sure = s, v, certain
		}
	}
	switch {
	case found == nil:
		return nil
	case use == SkillsAuto && sure:
		filled, err := found.Fill(values)
		if err == nil {
			filled.Task = a.Task
			a.Skill, err = json.Marshal(skill.Plan{Skill: filled, Heal: skill.HealAuto})
		}
		if err == nil {
			return nil
		}
	case c.By.Channel == inquiry.ChannelMCP && !u.opts.SkillTools:
		return nil
	}
	return &Fit{found.Name, values, found.Lacks(values)}
}

// ListedSkill is a skill as it is listed.
type ListedSkill = skill.Listed

// Skills lists the skills by their names.
func (u *Cases) Skills() ([]ListedSkill, error) { return u.opts.Skills.List() }
