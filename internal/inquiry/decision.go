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

// UnmarshalJSON takes known fields only, edited_action also as LangChain's JavaScript writes it,
// as editedAction, and as older clients do, as action or args.
func (d *Decision) UnmarshalJSON(b []byte) error {
	type plain Decision
	var sent struct {
		plain
		Alias  *EditedAction    `json:"editedAction"`
		Action *EditedAction    `json:"action"`
		Args   *json.RawMessage `json:"args"`
	}
	if b[0] != '{' {
		return errors.New(`a decision is no object (want an object such as {"type": "approve"})`)
	}
	err := strictly(b, &sent)
	*d = Decision(sent.plain)
	d.Type = cmp.Or(olderTypes[d.Type], d.Type)
	for _, e := range []*EditedAction{sent.Alias, sent.Action} {
		if e != nil && d.EditedAction != nil {
			return errors.New("edited_action is there twice, once as editedAction or action")
		}
		d.EditedAction = cmp.Or(d.EditedAction, e)
	}
	switch {
	case err != nil || sent.Args == nil:
	case d.Type == Edit && d.EditedAction == nil:
		err = strictly(*sent.Args, &d.EditedAction)
	case d.Type == Respond && d.Message == "":
		err = json.Unmarshal(*sent.Args, &d.Message)
	default:
		err = errors.New(d.Type + " with args, which would be lost")
	}
	if err != nil {
		return fmt.Errorf("of a decision: %w (want type, edited_action, message)", err)
	}
	return nil
}

// olderTypes are what LangGraph's older clients call decisions.
var olderTypes = map[string]string{"accept": Approve, "ignore": Reject, "response": Respond}

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
	e := new(EditedAction)
	if err := cmp.Or(Once([]byte(words)), json.Unmarshal([]byte(words), e)); err != nil {
		return nil, fmt.Errorf(`the action cannot be read: %w `+
			`(want {"name": "...", "args": {...}})`, err)
	}
	return e, nil
}

// EditedAction is what takes the place of an action.
type EditedAction struct {
	Name string `json:"name"`
	Args Args   `json:"args"`
}

// UnmarshalJSON takes known fields only, and also action for name and arguments for args.
func (e *EditedAction) UnmarshalJSON(b []byte) error {
	var sent struct {
		Name, Action    string
		Args, Arguments Args
	}
	if b[0] != '{' {
		return errors.New(`the args of an edited action are in an object`)
	}
	if err := strictly(b, &sent); err != nil {
		return err
	}
	if sent.Name != "" && sent.Action != "" || sent.Args != nil && sent.Arguments != nil {
		return errors.New("the edited action has its name or its args twice")
	}
	e.Name, e.Args = cmp.Or(sent.Name, sent.Action), sent.Args
	if e.Args == nil {
		e.Args = sent.Arguments
	}
	return nil
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
	return strings.Join(text.Each(list, Decision.String), "; ")
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
