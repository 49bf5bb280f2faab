package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
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
	case Silent(p):
		return "the model gave no answer"
	}
	return "no action could be read from the model's reply"
}

// Silent reports whether the model was asked and gave no reply at all.
func Silent(p agentloop.Proposal) bool {
	answered := func(t agentloop.Try) bool { return t.Reply != "" || t.Error == "" }
	return len(p.Tries) > 0 && !slices.ContainsFunc(p.Tries, answered)
}

// Line is a step in one line, for terminals and for models: what was decided, and why it was
// not carried out, or only in part.
func Line(s agentloop.Step) string {
	line := text.Cut(text.Line(Headline(s.Proposal)), 400)
	if s.Refusal != "" {
		line += "; " + text.Cut(text.Line(s.Refusal), 400)
	}
	return line
}

// Headline is a decision in one line, for people: the verb, and why, or what it does.
func Headline(p agentloop.Proposal) string {
	switch {
	case p.Action == nil:
		return Words(p)
	case p.Explain != "":
		return fmt.Sprintf("%s (%s)", p.Action.Verb(), text.Cut(text.Line(p.Explain), 300))
	}
	return fmt.Sprintf("%s (%s)", p.Action.Verb(), Words(p))
}
