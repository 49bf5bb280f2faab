// Package replay asks a model at every step of a stored session for the next action, and compares
// it with the recorded one. No phone is touched. The model sees the stored picture and the recorded
// steps until then, whatever it would have done before.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// Options of a replay. Policy has to be there.
type Options struct {
	Policy agentloop.Policy // that is asked
	// Own rewrites a recorded reply in the form of the asked model, which is shown it in its
	// history. picture is the size of the shown picture, or zero. nil shows no former replies.
	Own    func(r actions.Reply, was actions.Decision, picture screen.Size) actions.Reply
	Lang   string      // of the model's prompts
	Within float64     // how far points may lie apart and agree, as a share of the screen's width
	Asking func(n int) // called before each step unless nil
}

// Step is one step of the session, with what the model that was asked would have done.
type Step struct {
	Index   int    `json:"step"`
	Skipped string `json:"skipped,omitempty"` // why nothing was asked
	Model   string `json:"recorded_model,omitempty"`
	Was     string `json:"recorded,omitempty"` // the action in words
	Is      string `json:"asked,omitempty"`
	Comparison
	Unreadable string      `json:"unreadable,omitempty"` // why no reply was an action
	Screen     screen.Size `json:"screen"`
	Picture    screen.Size `json:"picture"` // as stored and shown

	Calls            int     `json:"calls"`
	Seconds          float64 `json:"seconds"`          // of all calls
	RecordedSeconds  float64 `json:"recorded_seconds"` // of the recorded model
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
}

// Report sums the steps up.
type Report struct {
	SessionID string `json:"session_id"`
	Steps     []Step `json:"steps"`

	Asked      int      `json:"asked"`
	Agreed     int      `json:"agreed"`
	lab.Rate            // of Agreed among Asked
	SameKind   int      `json:"same_kind"`
	Unreadable int      `json:"unreadable"`
	Within     float64  `json:"within"`             // see Options
	Distance   *float64 `json:"distance,omitempty"` // median, of the screen's width
	Pixels     *float64 `json:"distance_pixels,omitempty"`

	Seconds          float64 `json:"seconds"` // median of a step
	Seconds90        float64 `json:"seconds_90"`
	RecordedSeconds  float64 `json:"recorded_seconds"`
	PromptTokens     int     `json:"prompt_tokens"` // of all steps
	CompletionTokens int     `json:"completion_tokens"`
	Shrunk           bool    `json:"pictures_shrunk"` // stored smaller than the screen
}

// Run asks about every step. If the model cannot be asked or ctx ends, it returns the error with a
// report of the steps until then.
func Run(ctx context.Context, src source, sessionID string, o Options) (Report, error) {
	r := Report{SessionID: sessionID, Within: o.Within}
	stored, err := src.Trajectory(ctx, sessionID)
	if err != nil {
		return r, err
	}
	all := album{src, stored.Steps}
	before := past{lang: o.Lang}
	for _, st := range stored.Steps {
		before.reach(st, stored.Runs)
		if o.Asking != nil {
			o.Asking(st.Index)
		}
		var s Step
		if s, err = ask(ctx, all, before.Progress, st, o); err != nil {
			err = fmt.Errorf("step %d: %w", st.Index, err)
			break
		}
		r.Steps = append(r.Steps, s)
		said := actions.Reply{}
		if s.Model != "" && o.Own != nil {
			last := st.Proposal.Tries[len(st.Proposal.Tries)-1]
			said = o.Own(actions.Reply{Text: last.Reply}, st.Proposal.Decision, s.Picture)
		}
		before.add(st, said)
	}
	r.sum()
	return r, err
}

// ask asks about one step.
func ask(ctx context.Context, all album, before agentloop.Progress, st store.StepRecord,
	o Options) (Step, error) {
	s := Step{Index: st.Index, Screen: st.FrameSize}
	if len(st.Proposal.Tries) == 0 {
		s.Skipped = "no model was asked then"
		return s, nil
	}
	tries := st.Proposal.Tries
	s.Model = tries[len(tries)-1].Model
	s.RecordedSeconds = cmp.Or(st.Timing.Model, st.Timing.Decide).Seconds()
	if st.Proposal.Action == nil {
		s.Skipped = "the recorded reply was no action"
		return s, nil
	}
	s.Was = actions.Describe(st.Proposal.Action)
	frame, err := all.Frame(ctx, st.Index)
	if err != nil {
		if s.Skipped = "its picture is not there"; errors.Is(err, store.ErrNotFound) {
			return s, nil
		}
		return s, err
	}
	s.Picture = frame.Size()
	look := st.Screen
	look.Frame, look.Elements = frame, st.Proposal.Elements
	p, err := o.Policy.Next(ctx, agentloop.Situation{Progress: before, Screen: look,
		Step: st.Index, Album: all})
	for _, t := range p.Tries {
		s.Calls++
		s.Seconds += t.Took.Seconds()
		s.PromptTokens += t.PromptTokens
		s.CompletionTokens += t.CompletionTokens
	}
	if errors.Is(err, agentloop.ErrUnreadable) {
		s.Unreadable = err.Error()
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Is = actions.Describe(p.Action)
	s.Comparison = Compare(st.Proposal.Action, p.Action, st.FrameSize, o.Within)
	return s, nil
}

// sum fills in the totals.
func (r *Report) sum() {
	var distances, pixels, seconds, before []float64
	for _, s := range r.Steps {
		if s.Skipped != "" {
			continue
		}
		r.Asked++
		r.PromptTokens += s.PromptTokens
		r.CompletionTokens += s.CompletionTokens
		r.Shrunk = r.Shrunk || s.Picture.W < s.Screen.W
		seconds, before = append(seconds, s.Seconds), append(before, s.RecordedSeconds)
		if s.Unreadable != "" {
			r.Unreadable++
		}
		if s.SameKind {
			r.SameKind++
		}
		if s.Agrees {
			r.Agreed++
		}
		if s.Distance != nil {
			distances, pixels = append(distances, *s.Distance), append(pixels, *s.Pixels)
		}
	}
	r.Rate = lab.NewRate(r.Agreed, r.Asked)
	if len(distances) > 0 {
		r.Distance, r.Pixels = new(lab.Median(distances)), new(lab.Median(pixels))
	}
	r.Seconds, r.Seconds90 = lab.Median(seconds), lab.Quantile(seconds, 0.9)
	r.RecordedSeconds = lab.Median(before)
}
