package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
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
	Schema *jsonschema.Resolved
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
	if v.Mode == ByScreen || v.Mode == ByBoth {
		out.Verdict, out.Evidence = v.byScreen(ctx, s)
	}
	if v.Mode != ByModel && v.Mode != ByBoth || out.Verdict == agentloop.Contradicted {
		return out, nil
	}
	says, why, call, err := v.Model(ctx, Asked{s.Task, s.Summary, report, s.Screen.Frame})
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

func (v *Verifier) byScreen(ctx context.Context, s agentloop.Situation) (
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
	return elements(s.Task, list)
}

// ParseSchema reads the JSON Schema of an answer.
func ParseSchema(raw json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("the answer's schema is no JSON Schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the answer's schema: %w", err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	if t := strangeType(tree); t != "" {
		return nil, fmt.Errorf("the answer's schema has a type %s, which nothing fits (want one "+
			"of %s)", text.Quote(t, 40), strings.Join(types, ", "))
	}
	return r, nil
}

var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// strangeType is a type in a schema that JSON does not have, or "".
func strangeType(schema any) string {
	switch v := schema.(type) {
	case []any:
		for _, x := range v {
			if t := strangeType(x); t != "" {
				return t
			}
		}
	case map[string]any:
		for key, x := range v {
			if t, is := x.(string); key == "type" && is && !slices.Contains(types, t) {
				return t
			}
			switch key {
			case "enum", "const", "default", "examples": // values
				continue
			}
			if t := strangeType(x); t != "" {
				return t
			}
		}
	}
	return ""
}

// fit is the JSON in a report that fits the schema.
func fit(report string, schema *jsonschema.Resolved) (json.RawMessage, error) {
	body := strings.TrimSpace(report)
	if i := strings.Index(body, "```"); i >= 0 { // models like to fence JSON
		inner, _, closed := strings.Cut(body[i+3:], "```")
		if closed {
			body = strings.TrimSpace(strings.TrimPrefix(inner, "json"))
		}
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		return nil, errors.New("the answer is no JSON: " + text.Cut(err.Error(), 200))
	}
	if err := schema.Validate(value); err != nil {
		return nil, errors.New("the answer does not fit its schema: " + text.Cut(err.Error(), 300))
	}
	return json.Marshal(value)
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
func (a asking) Ready(ctx context.Context) error {
	if r, can := a.Policy.(interface{ Ready(context.Context) error }); can {
		return r.Ready(ctx)
	}
	return nil
}
