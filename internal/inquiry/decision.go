package inquiry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// ActionRequest is an action that waits for a decision, in the shape of LangChain's
// human-in-the-loop middleware.
type ActionRequest struct {
	Name        string `json:"name"`
	Args        Args   `json:"args"`
	Description string `json:"description,omitempty"` // in words, for people
}

// ReviewConfig says what may be decided about the actions of a name.
type ReviewConfig struct {
	ActionName       string   `json:"action_name"`
	AllowedDecisions []string `json:"allowed_decisions"` // of DecisionTypes
	// JSON Schema of the arguments; one that is there checks an edited action instead of
	// [Options.CheckEdit]
	ArgsSchema map[string]any `json:"args_schema,omitempty"`
}

// Decision is the decision about one action.
type Decision struct {
	Type         string        `json:"type"` // one of DecisionTypes
	EditedAction *EditedAction `json:"edited_action,omitempty"`
	Message      string        `json:"message,omitempty"` // why, or the answer
}

// UnmarshalJSON takes known fields only, and edited_action also as editedAction, as LangChain's
// JavaScript writes it.
func (d *Decision) UnmarshalJSON(b []byte) error {
	type plain Decision
	var sent struct {
		plain
		Alias *EditedAction `json:"editedAction"`
	}
	switch err := strictly(b, &sent); {
	case b[0] != '{':
		return errors.New(`a decision is no object (want an object such as {"type": "approve"})`)
	case err != nil:
		return fmt.Errorf("of a decision: %w (want type, edited_action, message)", err)
	case sent.Alias != nil && sent.EditedAction != nil:
		return errors.New("edited_action is there twice, once as editedAction")
	}
	*d = Decision(sent.plain)
	d.EditedAction = cmp.Or(d.EditedAction, sent.Alias)
	return nil
}

// strictly decodes JSON with known fields.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err != nil && strings.HasPrefix(err.Error(), "json: unknown") {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}

// Edited is the request as an [EditedAction] is written, for somebody to change.
func (r ActionRequest) Edited() string {
	b, err := json.Marshal(EditedAction{r.Name, r.Args})
	if err != nil {
		return r.Name
	}
	return string(b)
}

// Line is the request in a line for people: the touched element, and the edited form. Its arguments
// are in the latter.
func (r ActionRequest) Line() string {
	if what := r.What(); what != r.Edited() {
		return fmt.Sprintf("%s (%s)", what, r.Edited())
	}
	return r.Edited()
}

// What is the action in words, in one line, or as JSON where there are no words.
func (r ActionRequest) What() string {
	what, _, _ := strings.Cut(r.Description, "\nArgs: ")
	return cmp.Or(text.Line(what), r.Edited())
}

// EditError says that an action that is to take the place of another cannot be read.
type EditError struct{ error }

// Unwrap returns why.
func (e *EditError) Unwrap() error { return e.error }

// ParseEdit reads an EditedAction as JSON, and nothing else. No key may be there twice.
func ParseEdit(words string) (*EditedAction, error) {
	if err := Once([]byte(words)); err != nil {
		return nil, fmt.Errorf("the action cannot be read: %w", err)
	}
	e := new(EditedAction)
	read := json.NewDecoder(strings.NewReader(words))
	read.DisallowUnknownFields()
	if err := read.Decode(e); err != nil {
		return nil, fmt.Errorf(`the action cannot be read: %w `+
			`(want {"name": "...", "args": {...}})`,
			err)
	}
	if read.More() {
		return nil, errors.New("there is something after the action")
	}
	return e, nil
}

// EditedAction is what takes the place of an action.
type EditedAction struct {
	Name string `json:"name"`
	Args Args   `json:"args"`
}

// The decisions.
const (
	Approve = "approve" // it is carried out
	Edit    = "edit"    // EditedAction is carried out in its place
	Reject  = "reject"  // it is not carried out; Message says why
	Respond = "respond" // it is not carried out; Message is the answer to it
)

// DecisionTypes are all of them, in the order in which they are offered.
var DecisionTypes = []string{Approve, Edit, Reject, Respond}

// wordsOf is the decisions for people.
func wordsOf(list []Decision) string {
	all := make([]string, len(list))
	for i, d := range list {
		all[i] = d.String()
	}
	return strings.Join(all, "; ")
}

// String is the decision in words: its type, and what was said or put in the action's place.
func (d Decision) String() string {
	switch {
	case d.EditedAction != nil:
		args, _ := json.Marshal(d.EditedAction.Args) // was JSON when it came
		return fmt.Sprintf("%s: %s %s", d.Type, d.EditedAction.Name, args)
	case d.Message != "":
		return d.Type + ": " + d.Message
	}
	return d.Type
}

// sameDecisions compares what was sent, in JSON.
func sameDecisions(a, b []Decision) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
