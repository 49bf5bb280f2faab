package inquiry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Interrupt is an action that waits for a decision, in the shape of LangGraph's interrupts with one
// tool call each. It is resumed by a [Decision] under its id.
type Interrupt struct {
	ID    string       `json:"id"`
	Value toolApproval `json:"value"`
	// JSON Schema of the decision, under the names of the wire and of LangGraph's call
	Schema      map[string]any `json:"response_schema"`
	SchemaAlias map[string]any `json:"responseSchema"`
}

// toolApproval is the value of an interrupt.
type toolApproval struct {
	Type   string `json:"type"` // always tool_approval
	CallID string `json:"tool_call_id"`
	ActionRequest
}

// Interrupts returns the actions that the question is about, an interrupt each. The id of a single
// one is the question's.
func (q Question) Interrupts() (list []Interrupt) {
	a := As[Approval](q)
	for i, r := range a.ActionRequests {
		id := q.ID
		if len(a.ActionRequests) > 1 {
			id = fmt.Sprintf("%s.%d", q.ID, i+1)
		}
		schema := a.decisionSchema(i)
		list = append(list, Interrupt{id, toolApproval{"tool_approval", id, r}, schema, schema})
	}
	return list
}

// decisionSchema is the JSON Schema of the decisions that may be taken about an action.
func (a *Approval) decisionSchema(i int) map[string]any {
	name := a.ActionRequests[i].Name
	words := map[string]any{"type": "string"}
	var forms []any
	for _, d := range a.Allowed(i) {
		properties := map[string]any{"type": map[string]any{"const": d}}
		required := []string{"type"}
		switch d {
		case Edit:
			properties["edited_action"] = a.editSchema(name)
			required = append(required, "edited_action")
		case Respond:
			required = append(required, "message")
			properties["message"] = words
		case Reject:
			properties["message"] = words
		}
		forms = append(forms, map[string]any{"type": "object", "properties": properties,
			"required": required})
	}
	if len(forms) == 1 {
		return forms[0].(map[string]any)
	}
	return map[string]any{"oneOf": forms}
}

// editSchema is the JSON Schema of the actions that may take the place of one.
func (a *Approval) editSchema(name string) map[string]any {
	names, args := map[string]any{"type": "string"}, map[string]any{"type": "object"}
	if schema := a.argsSchema(name); schema != nil {
		names = map[string]any{"const": name}
		args = schema
		if others := a.EditNames[name]; len(others) > 0 {
			names = map[string]any{"enum": append([]string{name}, others...)}
			args = map[string]any{"type": "object"}
		}
	}
	return map[string]any{"type": "object", "required": []string{"name", "args"},
		"properties": map[string]any{"name": names, "args": args}}
}

// Resume reads the decisions that LangGraph's clients resume the question's interrupts with: one of
// {"decisions": [...]}, such a list alone, an object with a decision, or a list of one, under the
// id of each interrupt, or, for a single interrupt, its decision.
func (q Question) Resume(raw []byte) ([]Decision, error) {
	var by map[string]json.RawMessage
	if objects := []map[string]any(nil); json.Unmarshal(raw, &objects) == nil && objects != nil {
		raw = slices.Concat([]byte(`{"decisions":`), raw, []byte("}"))
	}
	if err := json.Unmarshal(raw, &by); err != nil {
		return nil, errors.New(`it is no object (want {"INTERRUPT ID": {"type": "approve"}})`)
	}
	interrupts := q.Interrupts()
	switch {
	case by["decisions"] != nil:
		var all struct{ Decisions []Decision }
		err := strictly(raw, &all)
		return all.Decisions, err
	case by["type"] != nil && len(interrupts) == 1:
		by = map[string]json.RawMessage{interrupts[0].ID: raw}
	}
	var list []Decision
	var missing []string
	for _, in := range interrupts {
		one, is := by[in.ID]
		if delete(by, in.ID); !is {
			missing = append(missing, in.ID)
			continue
		}
		var d Decision
		var inner struct{ Decisions []json.RawMessage }
		if json.Unmarshal(one, &inner) == nil && len(inner.Decisions) == 1 {
			one = inner.Decisions[0]
		}
		err := json.Unmarshal(one, &d)
		if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			err = fmt.Errorf("%s is a %s", wrong.Field, wrong.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("the decision about %s cannot be read: %w", in.ID, err)
		}
		list = append(list, d)
	}
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("no decision about %s: all interrupts of a question are decided "+
			"together", strings.Join(missing, ", "))
	case len(by) > 0:
		for id := range by {
			return nil, fmt.Errorf("the question has no interrupt %s", text.Quote(id, 100))
		}
	}
	return list, nil
}

// OfDecision makes a decision what was sent if the type of the reply is one of decisions, as the
// answer to a single interrupt.
func (s *Sent) OfDecision(edited *EditedAction, message string) {
	named := cmp.Or(olderTypes[string(s.Type)], string(s.Type))
	if !slices.Contains(DecisionTypes, named) || s.Decisions != nil {
		return
	}
	s.Decisions = []Decision{{Type: named, EditedAction: edited, Message: message}}
	s.Type = TypeDecisions
}
