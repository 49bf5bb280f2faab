package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Mode says by what an end is verified.
type Mode string

// The modes.
const (
	Off      Mode = "off"
	ByScreen Mode = "elements" // by rule, on what the screen lists
	ByModel  Mode = "model"
	ByBoth   Mode = "both" // a contradiction of one counts, and verified needs both
)

// Modes are all of them.
func Modes() []Mode { return []Mode{Off, ByScreen, ByModel, ByBoth} }

// Asked is what a second model is asked.
type Asked struct {
	Task   string
	Done   string // what the run did, in words, without its reasons
	Report string
	Frame  *screen.Frame
}

// model asks a second model. An error is one of reaching it, and comes with the call.
type model func(ctx context.Context, a Asked) (agentloop.Verified, string, agentloop.Try, error)

// Verifier verifies the ends of one run.
type Verifier struct {
	Mode  Mode
	Model model // nil only where Mode needs none
	// Schema is what the report has to fit as JSON, nil for any text.
	Schema *shape.Shape
}

var _ agentloop.Verifier = (*Verifier)(nil)

// reading is how long the elements are waited for.
const reading = 5 * time.Second

// Verify implements agentloop.Verifier.
func (v *Verifier) Verify(ctx context.Context, s agentloop.Situation, report string) (
	out agentloop.Verification, err error) {
	if v.Schema != nil {
		out.JSON, err = fit(report, v.Schema)
		if err != nil {
			out.Misfit = err.Error()
		}
	}
	var past []agentloop.Step
	if s.Album != nil && v.Mode != Off {
		if past, err = s.Album.Steps(ctx); err != nil {
			return out, err
		}
	}
	if v.Mode == ByScreen || v.Mode == ByBoth {
		out.Verdict, out.Evidence = byScreen(ctx, s, past)
	}
	if v.Mode != ByModel && v.Mode != ByBoth || out.Verdict == agentloop.Contradicted {
		return out, nil
	}
	says, why, call, err := v.Model(ctx, Asked{s.Task,
		carried(past, words.Spoken(s.Task)), report, s.Screen.Frame})
	out.Tries = []agentloop.Try{call}
	if err != nil {
		says, why = agentloop.Unverified, err.Error()
	}
	if v.Mode == ByBoth {
		why = strings.TrimSpace(out.Evidence + "; " + why)
		if says == agentloop.IsVerified {
			says = out.Verdict
		}
	}
	out.Verdict, out.Evidence = says, why
	return out, nil
}

func byScreen(ctx context.Context, s agentloop.Situation, past []agentloop.Step) (
	agentloop.Verified, string) {
	var list []screen.Element
	if s.Reader != nil {
		ctx, cancel := context.WithTimeout(ctx, reading)
		defer cancel()
		var err error
		if list, err = s.Reader.Elements(ctx); err != nil {
			return agentloop.Unverified, "the elements of the screen cannot be read: " + err.Error()
		}
	}
	return elements(s.Task, past, list)
}

// fit is the JSON in a report that fits the schema.
func fit(report string, schema *shape.Shape) (json.RawMessage, error) {
	body := strings.TrimSpace(report)
	if i := strings.Index(body, "```"); i >= 0 { // models like to fence JSON
		inner, _, closed := strings.Cut(body[i+3:], "```")
		if closed {
			const lang = "json"
			if len(inner) > len(lang) && strings.EqualFold(inner[:len(lang)], lang) {
				inner = inner[len(lang):]
			}
			body = strings.TrimSpace(inner)
		}
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		if schema.Validate(body) == nil { // any text will do
			return text.Marshal(body)
		}
		return nil, errors.New("the answer is no JSON: " + text.Cut(err.Error(), 200))
	}
	if err := schema.Validate(value); err != nil {
		return nil, fmt.Errorf("the answer does not fit its schema: %w", err)
	}
	value, err := text.FromJSON([]byte(body)) // large numbers would become others
	if err != nil {
		return nil, err
	}
	return text.Marshal(value)
}

// Asking returns a policy that learns what its report has to fit.
func Asking(p agentloop.Policy, schema json.RawMessage, words string) agentloop.Policy {
	return asking{p, "\n\n" + fmt.Sprintf(words, schema)}
}

type asking struct {
	agentloop.Policy
	more string
}

// Next implements agentloop.Policy.
func (a asking) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	s.Task += a.more
	return a.Policy.Next(ctx, s)
}

// Ready reports whether the model can be asked.
func (a asking) Ready(ctx context.Context) error { return agentloop.Ready(ctx, a.Policy) }
