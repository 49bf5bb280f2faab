package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Step is a step in words: what the page, the command line and exports show of it alike. Which step
// it was, when, and how its picture is reached is added by those who show it.
type Step struct {
	RunID   string          `json:"run_id"`
	State   store.StepState `json:"state"`
	Verb    string          `json:"verb,omitempty"` // "" when no action could be read
	Action  string          `json:"action"`
	Thought string          `json:"thought,omitempty"`
	Explain string          `json:"explain,omitempty"`
	Summary string          `json:"summary,omitempty"`
	Caption string          `json:"caption,omitempty"`
	Refusal string          `json:"refusal,omitempty"`
	Parts   Parts           `json:"parts_ms"`
}

// Parts are the parts of a step's time that are not 0, in milliseconds by name. See
// agentloop.Timing.
type Parts map[string]float64

// NewParts is t in parts, to a tenth of a millisecond.
func NewParts(t agentloop.Timing) Parts {
	parts := Parts{}
	for _, p := range t.Parts() {
		if ms := math.Round(float64(p.Time)/1e5) / 10; ms > 0 {
			parts[p.Name] = ms
		}
	}
	return parts
}

// NewStep is a stored step in words. They are as long as they were, and not yet clean for a
// terminal.
func NewStep(st store.StepRecord) Step {
	p := st.Proposal
	s := Step{RunID: st.RunID, State: st.State, Action: Words(p), Thought: p.Thought,
		Explain: p.Explain,
		Summary: p.Summary, Caption: p.Caption, Refusal: st.Refusal, Parts: NewParts(st.Timing)}
	if p.Action != nil {
		s.Verb = p.Action.Verb()
	}
	return s
}

// Words is what was decided in words, or why nothing was.
func Words(p agentloop.Proposal) string {
	switch {
	case p.Action != nil:
		return actions.Describe(p.Action)
	case len(p.Tries) == 0:
		return "no action was decided"
	case silent(p):
		return "the model gave no answer"
	}
	return "no action could be read from the model's reply"
}

// silent reports whether the model gave no reply at all.
func silent(p agentloop.Proposal) bool {
	answered := func(t agentloop.Try) bool { return t.Reply != "" || t.Error == "" }
	return !slices.ContainsFunc(p.Tries, answered)
}

// Line is a step in one line, for models: the verb, and why, or what it does, and why it was not
// carried out, or only in part.
func Line(s agentloop.Step) string {
	p := s.Proposal
	line := Words(p)
	if p.Action != nil {
		why := cmp.Or(text.Cut(text.Line(p.Explain), 300), line)
		line = fmt.Sprintf("%s (%s)", p.Action.Verb(), why)
	}
	line = text.Cut(text.Line(line), 400)
	if s.Refusal != "" {
		line += "; " + text.Cut(text.Line(s.Refusal), 400)
	}
	return line
}

// Made is a step in one line, for people: what was done and why, and why it was not carried out.
func (w *Ends) Made(s agentloop.Step) string {
	p := s.Proposal
	if p.Action == nil {
		return words.Phrase(w.Lang, Words(p))
	}
	_, gesture := p.Action.(actions.Gesture)
	line := actions.Acted(p.Action, w.Lang)
	if gesture && (s.Refusal != "" || s.Asks != "") {
		line = actions.Brief(p.Action, w.Lang)
	}
	if k := p.Action.Traits().Kind; k != actions.KindLaunch && k != actions.KindNone &&
		p.Explain != "" {
		line += w.Colon + text.Cut(text.Line(p.Explain), 300)
	}
	switch {
	case s.Asks != "":
		if gesture {
			line = fmt.Sprintf(w.Wants, line)
		}
	case strings.HasPrefix(s.Refusal, agentloop.CutShort):
		line += w.CutShort
	case s.Refusal != "":
		line += "; " + text.Cut(text.Line(words.Phrase(w.Lang, s.Refusal)), 400)
	}
	return line
}
