package inquiry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

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

// ChangedNote begins what an agent is told of a call whose arguments a person has changed.
const ChangedNote = "the other side changed the arguments, and this was carried out: "

// maxRequests is the most actions that one question may ask about.
const maxRequests = 50

// Approval is the body of a question about actions that wait for a decision, one each, in order.
type Approval struct {
	Words
	ActionRequests []ActionRequest `json:"action_requests,omitempty"`
	ReviewConfigs  []ReviewConfig  `json:"review_configs,omitempty"` // of each name once
	// names that an edited action may have in place of a name, with arguments of their own
	EditNames map[string][]string `json:"edit_names,omitempty"`
	Severity  Severity            `json:"severity,omitempty"`
	// only people decide; the broker sets it by the severity
	PeopleOnly bool    `json:"people_only,omitempty"`
	Element    string  `json:"element,omitempty"` // the element under the finger
	Reason     string  `json:"reason,omitempty"`  // why it is asked
	Rule       string  `json:"rule,omitempty"`    // that asks
	Places     []Place `json:"places,omitempty"`  // of the question's frame that are touched
	// what would happen, for people; nil if the one who asked has not said
	Act *consent.Act `json:"act,omitempty"`
	// what the decisions are about, in the words of who asked, see Bounds
	Bound string `json:"bound,omitempty"`
	// what exactly is touched or called, and the server of a tool: leave to go on without asking
	// may be for that
	Target string `json:"target,omitempty"`
	Server string `json:"server,omitempty"`
}

var _ = Register(KindApproval, func([]byte) Body { return new(Approval) })

// Waits implements [Body].
func (a *Approval) Waits() Waits { return Waits{"WAITING_APPROVAL", "ACTION_NEEDS_APPROVAL"} }

// Silence implements [Body].
func (a *Approval) Silence(_, acts OnTimeout) OnTimeout { return acts }

// Kind implements [Body].
func (a *Approval) Kind() Kind { return KindApproval }

// Clone implements [Body]. The arguments of actions are never changed, and shared.
func (a *Approval) Clone() Body {
	c := *a
	c.ActionRequests = slices.Clone(a.ActionRequests)
	c.ReviewConfigs = slices.Clone(a.ReviewConfigs)
	c.Places = slices.Clone(a.Places)
	c.EditNames = maps.Clone(a.EditNames)
	return &c
}

// Allowed is what may be decided about the request with this index.
func (a *Approval) Allowed(i int) []string {
	if c := a.configOf(a.ActionRequests[i].Name); c >= 0 {
		return a.ReviewConfigs[c].AllowedDecisions
	}
	return nil
}

// configOf is the index of the configuration for actions of the name, or -1.
func (a *Approval) configOf(name string) int {
	return slices.IndexFunc(a.ReviewConfigs, func(c ReviewConfig) bool {
		return c.ActionName == name
	})
}

// Check implements [Body]. Silence about an action decides nothing, or rejects it.
func (a *Approval) Check(q *Question, o *Options) error {
	a.PeopleOnly = a.Severity != Routine && (a.Severity != Sensitive || !o.ProgramsDecide)
	n := len(a.ActionRequests)
	switch {
	case n == 0 || n > maxRequests:
		return fmt.Errorf("%d actions are to be decided on (want 1 to %d)", n, maxRequests)
	case q.Secret:
		return errors.New("an approval has no secret")
	}
	for i, r := range a.ActionRequests {
		allowed := a.Allowed(i)
		if r.Name == "" || len(allowed) == 0 {
			return fmt.Errorf("nothing may be decided about the action %q", r.Name)
		}
		for _, d := range allowed {
			if !slices.Contains(DecisionTypes, d) {
				return fmt.Errorf("unknown decision %q (want some of %q)", d, DecisionTypes)
			}
		}
	}
	switch q.OnTimeout {
	case "", Pause, RejectAll:
		return nil
	}
	return unknownSilence(q)
}

// Types implements [Body].
func (a *Approval) Types(*Question) []Type {
	return []Type{TypeDecisions, TypeDecline, TypeTimeout}
}

// Unfit implements [Body].
func (a *Approval) Unfit(q *Question, t Type) string {
	switch t {
	case TypeAnswer:
		return "the question is about actions: it takes decisions, and no words but yes and no"
	case TypeDelegate:
		return fmt.Sprintf("a decision about an action cannot be left to the agent "+
			"(want one of %q)", a.Types(q))
	}
	return ""
}

// Take implements [Body]. Declining rejects every action.
func (a *Approval) Take(_ *Question, r Reply, o *Options) (Resolution, error) {
	decisions, err := a.decide(r, o)
	return Resolution{Type: TypeDecisions, Decisions: decisions,
		Response: Plain(wordsOf(decisions))}, err
}

// Permit implements [Body]. A model of this program never decides; programs and the models of
// clients may where that was not left to people.
func (a *Approval) Permit(authority string) *ForbiddenError {
	switch {
	case IsPerson(authority):
		return nil
	case authority != AuthorityClientModel && authority != AuthorityToken, a.PeopleOnly:
	case a.Severity == Routine, a.Severity == Sensitive:
		return nil
	}
	return &ForbiddenError{Authority: authority, Problem: fmt.Sprintf(
		"this is a %s action, which only a person may decide on", cmp.Or(a.Severity, Critical))}
}

// Prefill implements [Body].
func (a *Approval) Prefill(string) Body { return a }

// InFull is the question in one text, with the actions that wait for it.
func (q Question) InFull() string {
	words := text.Line(q.Text)
	for _, a := range As[Approval](q).ActionRequests {
		words += "\n" + a.Name + ": " + text.Line(a.Description)
	}
	if q.App != "" {
		words += "\nin " + q.App
	}
	return words
}

// Details implements [Body].
func (a *Approval) Details() (all []Detail) {
	for i, r := range a.ActionRequests {
		all = append(all, Detail{"action", r.Description, true}, Detail{"edit", r.Edited(), true},
			Detail{"decide", strings.Join(a.Allowed(i), ", "), true})
	}
	return append(all, Detail{Name: "under", Text: a.Element}, Detail{"target", a.Target, true},
		Detail{Name: "because", Text: a.Reason}, Detail{"severity", string(a.Severity), true})
}

// Sort implements [Body].
func (a *Approval) Sort() string { return string(a.Severity) }

// Parts implements [Body].
func (a *Approval) Parts() int { return len(a.ActionRequests) }

// Offers implements [Body]. Of a question they are what may be decided about one of its actions at
// least; of several actions each has a decision of its own. The one to name may be decided about
// all of them, and without words.
func (a *Approval) Offers() (offers []Offer) {
	main := false
	for _, o := range []Offer{{Name: Approve, Own: "--approve"},
		{Name: Edit, Words: "JSON", Own: "--edit"}, {Name: Reject, Words: "WHY", Own: "--reject"},
		{Name: Respond, Words: "ANSWER", Own: "--respond"}} {
		if a.Parts() > 1 {
			o.Own = ""
		}
		some, all := a.Parts() == 0, true
		for i := range a.ActionRequests {
			may := slices.Contains(a.Allowed(i), o.Name)
			some, all = some || may, all && may
		}
		o.Main = !main && all && (o.Name == Approve || o.Name == Reject)
		if main = main || o.Main; some {
			offers = append(offers, o)
		}
	}
	return offers
}

// Say implements [Body]. It takes one decision for each action, in their order. The reply has all
// of them, also along with an error.
func (a *Approval) Say(q *Question, said ...Said) (Reply, error) {
	if len(said) == 1 && general[said[0].Name] != "" {
		return a.Words.Say(q, said...)
	}
	r := Reply{Type: TypeDecisions}
	var problem error
	for _, s := range said {
		d := Decision{Type: s.Name, Message: strings.TrimSpace(s.Words)}
		switch {
		case !slices.Contains(DecisionTypes, s.Name):
			if problem = otherKind(s.Name); problem == nil {
				verb, _, _ := strings.Cut(cmp.Or(s.Name, strings.TrimSpace(s.Words)), " ")
				problem = fmt.Errorf("%s is no decision (want one of /%s)", text.Quote(verb, 40),
					strings.Join(DecisionTypes, ", /"))
			}
		case d.Type == Edit:
			edited, err := ParseEdit(s.Words)
			if d.EditedAction, d.Message = edited, ""; err != nil {
				problem = &EditError{err}
			}
		}
		r.Decisions = append(r.Decisions, d)
	}
	return r, problem
}

// Means implements [Body]. A clear yes or no decides about all actions.
func (a *Approval) Means(words string) Type {
	if decides(words) {
		return TypeDecisions
	}
	return TypeAnswer
}

// Hear implements [Body]. Only clear words approve: anything else rejects, with those words.
func (a *Approval) Hear(_ *Question, words string) Reply {
	d := Decision{Type: Reject, Message: words}
	if saidOnly(words, consents) {
		d = Decision{Type: Approve}
	}
	return Reply{Type: TypeDecisions, Decisions: slices.Repeat([]Decision{d}, a.Parts())}
}

// decide checks the decisions of a reply, one for each request in their order, and returns them as
// they are kept. Declining rejects every action.
func (a *Approval) decide(r Reply, o *Options) ([]Decision, error) {
	if r.Type == TypeDecline {
		r.Decisions = slices.Repeat([]Decision{{Type: Reject, Message: r.Response}},
			len(a.ActionRequests))
	}
	if n, want := len(r.Decisions), len(a.ActionRequests); n != want {
		return nil, invalid("%s for %s (want one each, in their order)", text.Count(n, "decision"),
			text.Count(want, "action"))
	}
	decisions := make([]Decision, len(r.Decisions))
	for i, d := range r.Decisions {
		at := ""
		if len(r.Decisions) > 1 {
			at = fmt.Sprintf("decision %d: ", i+1)
		}
		var err *InvalidReplyError
		if decisions[i], err = a.decideOne(i, d, o); err != nil {
			err.Problem = at + err.Problem
			return nil, err
		}
	}
	return decisions, nil
}

// decideOne checks the decision about the request with this index.
func (a *Approval) decideOne(i int, d Decision, o *Options) (Decision, *InvalidReplyError) {
	allowed := a.Allowed(i)
	if !slices.Contains(allowed, d.Type) {
		return d, &InvalidReplyError{Problem: fmt.Sprintf("%s cannot be decided about %s",
			text.Quote(d.Type, maxClip), a.ActionRequests[i].Name), Options: allowed}
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
		return a.edit(a.ActionRequests[i], d, o)
	}
	return d, nil
}

// edit checks an action that is to take the place of one.
func (a *Approval) edit(was ActionRequest, d Decision, o *Options) (
	Decision, *InvalidReplyError) {
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
	case o.CheckEdit == nil && a.argsSchema(was.Name) == nil:
		return d, invalid("an action cannot be edited here (approve or reject it)")
	}
	if err := a.checkEdit(was, e, o); err != nil {
		return d, invalid("the edited action cannot be carried out: %v", err)
	}
	d.EditedAction = &e
	return d, nil
}

// argsSchema is the schema of the arguments of actions with this name; nil if missing.
func (a *Approval) argsSchema(name string) map[string]any {
	if c := a.configOf(name); c >= 0 && len(a.ReviewConfigs[c].ArgsSchema) > 0 {
		return a.ReviewConfigs[c].ArgsSchema
	}
	return nil
}

// checkEdit says why an action cannot take the place of was.
func (a *Approval) checkEdit(was ActionRequest, e EditedAction, o *Options) error {
	schema := a.argsSchema(was.Name)
	switch {
	case schema == nil:
		return o.CheckEdit(was, e)
	case e.Name == was.Name:
		return CheckArgs(schema, e.Args)
	case slices.Contains(a.EditNames[was.Name], e.Name):
		return nil // whoever carries it out knows what it takes
	}
	return fmt.Errorf("its name is %s, which is no tool that can take the place of %s",
		text.Quote(e.Name, 100), was.Name)
}

// CheckArgs says why arguments do not fit their JSON Schema, or could be read in two ways.
func CheckArgs(given map[string]any, args Args) error {
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	schema, err := shape.Parse(raw)
	if err != nil {
		return fmt.Errorf("the schema of its arguments cannot be used (approve or reject it): %w",
			err)
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		return err
	}
	return cmp.Or(schema.Validate(value), shape.Lookalike(given, value))
}

// In returns q with the text that people who read the language are shown. Of an act it says what
// would happen and who wants it; the reason is among the details.
func (q Question) In(lang string) Question {
	if a := *As[Approval](q); a.Act != nil {
		said := a.Act.Describe(lang)
		a.Reason = cmp.Or(said.Because, a.Reason)
		q.Text, q.Body = said.Text(), &a
	}
	q.Text = cmp.Or(As[Takeover](q).Says[words.Match(lang)], q.Text)
	return q
}
