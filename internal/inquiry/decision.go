package inquiry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

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

// Decision is what is decided about one action.
type Decision struct {
	Type         string        `json:"type"` // one of DecisionTypes
	EditedAction *EditedAction `json:"edited_action,omitempty"`
	Message      string        `json:"message,omitempty"` // why, or the answer
}

// Edited is the request as an [EditedAction] is written, for somebody to change.
func (r ActionRequest) Edited() string {
	b, err := json.Marshal(EditedAction{r.Name, r.Args})
	if err != nil {
		return r.Name
	}
	return string(b)
}

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

// Severity is how much harm an action can do.
type Severity string

// The severities. Anything else is taken for Critical.
const (
	Routine   Severity = "routine"
	Sensitive Severity = "sensitive"
	Critical  Severity = "critical"
)

// Place is a point of a screenshot, as fractions of its width and height.
type Place struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// MaxRequests is the most actions that one question may ask about.
const MaxRequests = 50

// Allowed is what may be decided about the request with this index.
func (q Question) Allowed(i int) []string {
	for _, c := range q.ReviewConfigs {
		if c.ActionName == q.ActionRequests[i].Name {
			return c.AllowedDecisions
		}
	}
	return nil
}

// checkRequests says what is wrong with what an Approval asks about.
func (q Question) checkRequests() error {
	n := len(q.ActionRequests)
	switch {
	case q.Kind != KindApproval && n > 0:
		return fmt.Errorf("action requests are for a question of the kind %s", KindApproval)
	case q.Kind != KindApproval:
		return nil
	case n == 0 || n > MaxRequests:
		return fmt.Errorf("%d actions are to be decided on (want 1 to %d)", n, MaxRequests)
	case len(q.Options)+len(q.Fields) > 0 || q.Draft != "" || q.Secret:
		return errors.New("an approval has neither options nor fields nor a draft, and no secret")
	}
	for i, r := range q.ActionRequests {
		allowed := q.Allowed(i)
		if r.Name == "" || len(allowed) == 0 {
			return fmt.Errorf("nothing may be decided about the action %q", r.Name)
		}
		for _, d := range allowed {
			if !slices.Contains(DecisionTypes, d) {
				return fmt.Errorf("unknown decision %q (want some of %q)", d, DecisionTypes)
			}
		}
	}
	return nil
}

// decide checks the decisions of a reply, one for each request in their order, and returns them as
// they are kept. Declining rejects every action.
func (o *Options) decide(q Question, r Reply) ([]Decision, error) {
	if r.Type == TypeDecline {
		r.Decisions = slices.Repeat([]Decision{{Type: Reject, Message: r.Response}},
			len(q.ActionRequests))
	}
	if n, want := len(r.Decisions), len(q.ActionRequests); n != want {
		return nil, invalid("%s for %s (want one each, in their order)", count(n, "decision"),
			count(want, "action"))
	}
	decisions := make([]Decision, len(r.Decisions))
	for i, d := range r.Decisions {
		at := ""
		if len(r.Decisions) > 1 {
			at = fmt.Sprintf("decision %d: ", i+1)
		}
		var err *InvalidReplyError
		if decisions[i], err = o.decideOne(q, i, d); err != nil {
			err.Problem = at + err.Problem
			return nil, err
		}
	}
	return decisions, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// decideOne checks the decision about the request with this index.
func (o *Options) decideOne(q Question, i int, d Decision) (Decision, *InvalidReplyError) {
	allowed := q.Allowed(i)
	if !slices.Contains(allowed, d.Type) {
		return d, &InvalidReplyError{Problem: fmt.Sprintf("%s cannot be decided about %s",
			text.Quote(d.Type, maxClip), q.ActionRequests[i].Name), Options: allowed}
	}
	if err := checkText(d.Message, o.MaxAnswer); err != nil {
		unfit, _ := errors.AsType[*InvalidReplyError](err)
		return d, unfit
	}
	d.Message = strings.TrimSpace(text.Lines(d.Message))
	switch worded := d.Type == Reject || d.Type == Respond; {
	case d.Message != "" && !worded:
		return d, invalid("%s has a message, which would be lost (reject or respond with it)",
			d.Type)
	case d.Message == "" && d.Type == Respond:
		return d, invalid("%s has no message", d.Type)
	case d.EditedAction != nil && d.Type != Edit:
		return d, invalid("%s has an edited_action, which only %s takes", d.Type, Edit)
	case d.Type == Edit:
		return o.edit(q, q.ActionRequests[i], d)
	}
	return d, nil
}

// edit checks an action that is to take the place of one.
func (o *Options) edit(q Question, was ActionRequest, d Decision) (Decision, *InvalidReplyError) {
	const want = `want {"name": "...", "args": {...}}`
	if d.EditedAction == nil || d.EditedAction.Name == "" {
		return d, invalid("%s has no edited_action (%s)", Edit, want)
	}
	e := *d.EditedAction
	if e.Args == nil {
		e.Args = map[string]any{}
	}
	encoded, err := json.Marshal(e.Args)
	switch {
	case err != nil:
		return d, invalid("the edited action is not JSON: %v", err)
	case len(encoded) > o.MaxAnswer:
		return d, &InvalidReplyError{TooLong: true, Problem: fmt.Sprintf(
			"the edited action has %d bytes (at most %d)", len(encoded), o.MaxAnswer)}
	case o.CheckEdit == nil && q.argsSchema(was.Name) == nil:
		return d, invalid("an action cannot be edited here (approve or reject it)")
	}
	if err := o.checkEdit(q, was, e); err != nil {
		return d, invalid("the edited action cannot be carried out: %v", err)
	}
	d.EditedAction = &e
	return d, nil
}

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

// ForbiddenError says that the decision is not for its sender.
type ForbiddenError struct {
	Question  string // its id
	Kind      Kind
	Severity  Severity // of an Approval
	Authority string
}

func (e *ForbiddenError) Error() string {
	if e.Kind == KindTakeover {
		return fmt.Sprintf("a person has taken the phone over, and only a person hands it back "+
			"(%s is none)", cmp.Or(e.Authority, "a program"))
	}
	return fmt.Sprintf("this is a %s action, which only a person may decide on "+
		"(%s is none)", e.Severity, e.Authority)
}

// permit says whether somebody with this authority may settle the question: people always, others
// where that was not left to people, and a model of ours never decides about an action.
func (q Question) permit(authority string) error {
	switch {
	case authority == AuthorityAgent && q.ForModels() != nil:
		return fmt.Errorf("%w: %w", q.ForModels(),
			&ForbiddenError{q.ID, q.Kind, cmp.Or(q.Severity, Critical), authority})
	case IsPerson(authority), q.Kind != KindApproval && !q.PeopleOnly:
		return nil
	case q.Kind == KindTakeover:
		return &ForbiddenError{Question: q.ID, Kind: q.Kind, Authority: authority}
	}
	switch authority {
	case AuthorityClientModel, AuthorityToken:
		if !q.PeopleOnly && (q.Severity == Routine || q.Severity == Sensitive) {
			return nil
		}
	}
	return &ForbiddenError{q.ID, q.Kind, cmp.Or(q.Severity, Critical), authority}
}

// argsSchema is the schema of the arguments of actions with this name; nil when there is none.
func (q Question) argsSchema(name string) map[string]any {
	for _, c := range q.ReviewConfigs {
		if c.ActionName == name && len(c.ArgsSchema) > 0 {
			return c.ArgsSchema
		}
	}
	return nil
}

// checkEdit says why an action cannot take the place of was.
func (o *Options) checkEdit(q Question, was ActionRequest, e EditedAction) error {
	if schema := q.argsSchema(was.Name); schema != nil {
		return checkArgs(schema, was, e)
	}
	return o.CheckEdit(was, e)
}

// checkArgs says why an action whose arguments have a schema cannot take the place of was.
func checkArgs(given map[string]any, was ActionRequest, e EditedAction) error {
	if e.Name != was.Name {
		return fmt.Errorf("its name is %s (only the arguments of %s can be edited)",
			text.Quote(e.Name, 100), was.Name)
	}
	var schema jsonschema.Schema
	raw, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(raw, &schema)
	}
	schema.Schema = "" // of whatever draft: what differs is rare, and unknown words are ignored
	resolved, bad := schema.Resolve(nil)
	if err != nil || bad != nil {
		return errors.New("the schema of its arguments cannot be read (approve or reject it)")
	}
	encoded, err := json.Marshal(e.Args)
	if err != nil {
		return err
	}
	var args any
	if err := json.Unmarshal(encoded, &args); err != nil {
		return err
	}
	return resolved.Validate(args)
}
