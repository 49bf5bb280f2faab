package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/schema"
)

// newForm is a question as a client shows it to its user. problem is what was wrong with the last
// answer, or "".
func newForm(q inquiry.Question, problem string, in *messages) mcp.ElicitationParams {
	q = q.In(in.Lang)
	var b strings.Builder
	if problem != "" {
		fmt.Fprintf(&b, in.Misfit+"\n\n", text.Cut(problem, 1000))
	}
	switch {
	case q.Task != "" && q.RunID == "":
		b.WriteString(text.Cut(q.Task, 2000) + "\n\n")
	case q.Task != "":
		fmt.Fprintf(&b, in.Asks+"\n", quoted(q.Task, 300))
	}
	b.WriteString(text.Cut(q.Text, 4000))
	writeActions(&b, q, in)
	if q.Suggestion != nil {
		fmt.Fprintf(&b, "\n\n"+in.DraftOf, shortLine(q.Suggestion.By, 60))
		q = q.Prefilled()
	}
	return mcp.ElicitationParams{Message: b.String(), RequestedSchema: formSchema(q, in)}
}

// formSchema is that of the question's own fields, or of a choice, an answer, or both.
func formSchema(q inquiry.Question, in *messages) json.RawMessage {
	switch {
	case len(inquiry.As[inquiry.Form](q).Fields) > 0:
		return fieldsSchema(q, in)
	case len(inquiry.As[inquiry.Approval](q).ActionRequests) > 0:
		return approvalSchema(q, in)
	case len(q.Offers()) > 0:
		return offersSchema(q, in)
	}
	answer := &schema.Schema{Type: "string", Title: in.YourAnswer}
	if inquiry.As[inquiry.Ask](q).Draft != "" {
		answer.Default = json.RawMessage(quote(inquiry.As[inquiry.Ask](q).Draft))
	}
	form := &schema.Schema{Type: "object"}
	form.Properties = map[string]*schema.Schema{"answer": answer}
	if len(inquiry.As[inquiry.Ask](q).Options) > 0 {
		choice := &schema.Schema{Type: "string", Description: in.ChooseOne}
		for _, o := range inquiry.As[inquiry.Ask](q).Options {
			choice.Enum = append(choice.Enum, o)
		}
		if slices.Contains(inquiry.As[inquiry.Ask](q).Options, inquiry.As[inquiry.Ask](q).Draft) {
			choice.Default, answer.Default = answer.Default, nil
		}
		form.Properties["choice"] = choice
		if inquiry.As[inquiry.Ask](q).FreeText { // forms are shown in order
			answer.Title, answer.Description = in.Another, in.AnotherHelp
			choice.Description = in.ChooseOrWrite
		} else {
			delete(form.Properties, "answer")
		}
	}
	form.Properties[inPlace] = insteadSchema(in.replies(q), in)
	if again := in.again(q); len(again) > 0 {
		form.Properties[remembering] = &schema.Schema{Type: "string", Title: in.Remember,
			Enum: again}
	}
	// forms are shown in order
	for _, name := range []string{"choice", "answer", inPlace, remembering} {
		if form.Properties[name] != nil {
			form.PropertyOrder = append(form.PropertyOrder, name)
		}
	}
	return schema.JSON(form)
}

// inPlace is the name of the field with what may be said instead of an answer. That no other field
// is required lets clients send it alone; the broker refuses an answer that is not whole.
const inPlace = "instead"

// remembering is the name of the field that says for how long an answer is used again.
const remembering = "remember"

// again are the scopes for which the answer may be remembered, in words.
func (m *messages) again(q inquiry.Question) []any {
	return text.Each(q.RememberFor, func(s inquiry.Scope) any { return m.scope(s) })
}

func (m *messages) scope(s inquiry.Scope) string {
	return map[inquiry.Scope]string{inquiry.ThisSession: m.RememberSession,
		inquiry.ThisApp: m.RememberApp, inquiry.Always: m.RememberAlways}[s]
}

// rememberedAs is what the form says of using the answer again. Unknown scopes are left to
// the broker to refuse.
func rememberedAs(content any, in *messages) inquiry.Scope {
	values, _ := content.(map[string]any)
	said, _ := values[remembering].(string)
	for _, s := range inquiry.Scopes {
		if in.scope(s) == said {
			return s
		}
	}
	return inquiry.Scope(said)
}

// nameInPlace is inPlace, or a name like it that no field of the question has.
func nameInPlace(q inquiry.Question) string {
	name := inPlace
	taken := func(f inquiry.Field) bool { return f.Name == name }
	for slices.ContainsFunc(inquiry.As[inquiry.Form](q).Fields, taken) {
		name += "_"
	}
	return name
}

// replies are the types of replies that a form names in words, in their order.
func (m *messages) replies(q inquiry.Question) []any {
	if q.Kind.Flag() != "" || q.Secret {
		return []any{m.NoAnswer}
	}
	return []any{m.YouDecide, m.NoAnswer}
}

func insteadSchema(enum []any, in *messages) *schema.Schema {
	return &schema.Schema{Type: "string", Title: in.Instead, Description: in.InsteadHelp,
		Enum: enum}
}

// fieldsSchema is that of the question's own fields.
func fieldsSchema(q inquiry.Question, in *messages) json.RawMessage {
	fields := slices.Clone(inquiry.As[inquiry.Form](q).Fields)
	for i := range fields {
		fields[i].Optional = true
	}
	return inquiry.Schema(append(fields, inquiry.Field{Name: nameInPlace(q), Label: in.Instead,
		Type: inquiry.ChoiceField, Options: []string{in.YouDecide, in.NoAnswer}, Optional: true}))
}

// insteadOf is what the form says instead of an answer, as a type of reply, or "" if it says
// nothing of the kind.
func insteadOf(q inquiry.Question, content any, in *messages) inquiry.Type {
	values, _ := content.(map[string]any)
	said, _ := values[nameInPlace(q)].(string)
	delete(values, nameInPlace(q)) // it is no part of the answer
	switch said {
	case in.YouDecide:
		return inquiry.TypeDelegate
	case in.NoAnswer:
		return inquiry.TypeTimeout
	}
	return ""
}

// outcome is an offer as a form words it.
func (m *messages) outcome(name string) string {
	return cmp.Or(map[string]string{"done": m.IsDone, "cannot": m.CouldNot,
		"timeout": m.NoAnswer}[name], name)
}

// offersSchema is that of the question's offers, with words to one of them.
func offersSchema(q inquiry.Question, in *messages) json.RawMessage {
	outcome := &schema.Schema{Type: "string", Title: in.Outcome}
	for _, o := range q.Offers() {
		outcome.Enum = append(outcome.Enum, in.outcome(o.Name))
	}
	outcome.Enum = append(outcome.Enum, in.NoAnswer)
	return schema.JSON(&schema.Schema{Type: "object", Properties: map[string]*schema.Schema{
		"outcome": outcome,
		"remark":  {Type: "string", Title: in.Remark, Description: in.RemarkHelp},
	}, PropertyOrder: []string{"outcome", "remark"}, Required: []string{"outcome"}})
}

// offered is the reply r with what a form says to a question's offers. What does not fit is left to
// the broker to refuse; what was written for another offer than the one chosen does not count.
func offered(r inquiry.Reply, q inquiry.Question, content any, in *messages) inquiry.Reply {
	values, _ := content.(map[string]any)
	value := func(name string) string {
		s, _ := values[name].(string)
		return s
	}
	var said []inquiry.Said
	for i := range inquiry.As[inquiry.Approval](q).ActionRequests {
		s := inquiry.Said{Name: value(part("decision", q, i))}
		switch s.Name {
		case inquiry.Reject, inquiry.Respond:
			s.Words = value(part("message", q, i))
		case inquiry.Edit:
			s.Words = value(part("edited_action", q, i))
		}
		said = append(said, s)
	}
	if said == nil {
		said = []inquiry.Said{{Name: value("outcome"), Words: value("remark")}}
		for _, o := range append(q.Offers(), inquiry.Offer{Name: "timeout"}) {
			if said[0].Name == in.outcome(o.Name) {
				said[0].Name = o.Name
			}
		}
		if said[0].Name == "timeout" {
			said[0].Words = ""
		}
	}
	filled, _ := q.Say(said...)
	r.Type = cmp.Or(filled.Type, inquiry.Type(said[0].Name))
	r.Response, r.Decisions = filled.Response, filled.Decisions
	return r
}

// answerIn is the answer in what came from a form. What does not fit is left to the broker to
// refuse.
func answerIn(q inquiry.Question, content any) string {
	values, _ := content.(map[string]any)
	if len(inquiry.As[inquiry.Form](q).Fields) == 0 {
		written, _ := values["answer"].(string)
		if choice, _ := values["choice"].(string); strings.TrimSpace(written) == "" {
			return choice
		}
		return written
	}
	return quote(values)
}

// visible returns the details of a question that are shown wherever it is asked. Its options are
// shown in another way.
func visible(q inquiry.Question) []inquiry.Detail {
	return slices.DeleteFunc(q.Details(), func(d inquiry.Detail) bool {
		return d.Full || d.Text == "" || d.Name == "option"
	})
}

// writeActions writes the actions to decide on, or the details, below the words of a question.
func writeActions(b *strings.Builder, q inquiry.Question, in *messages) {
	about := inquiry.As[inquiry.Approval](q)
	if len(about.ActionRequests) == 0 {
		for _, d := range visible(q) {
			fmt.Fprintf(b, "\n%s: %s", d.Name, quoted(d.Text, 500))
		}
		return
	}
	if about.Reason != "" {
		fmt.Fprintf(b, in.AskedBecause, quoted(about.Reason, 500))
	}
	b.WriteString("\n\n" + in.Details)
	if about.Element != "" {
		fmt.Fprintf(b, in.UnderFinger, shortLine(about.Element, 300))
	}
	for i, r := range about.ActionRequests {
		fmt.Fprintf(b, "\n%d. %s", i+1, quoted(r.Description, 500))
	}
}

// part is the name of a field of the form about the action with this index.
func part(name string, q inquiry.Question, i int) string {
	if len(inquiry.As[inquiry.Approval](q).ActionRequests) == 1 {
		return name
	}
	return fmt.Sprint(name, "_", i+1)
}

// approvalSchema is that of decisions, one for each action.
func approvalSchema(q inquiry.Question, in *messages) json.RawMessage {
	form := &schema.Schema{Type: "object", Properties: map[string]*schema.Schema{}}
	add := func(name string, s *schema.Schema) {
		form.Properties[name] = s
		form.PropertyOrder = append(form.PropertyOrder, name)
	}
	for i, r := range inquiry.As[inquiry.Approval](q).ActionRequests {
		choice := &schema.Schema{Type: "string", Title: in.Decision,
			Description: quoted(r.What(), 300)}
		for _, d := range inquiry.As[inquiry.Approval](q).Allowed(i) {
			choice.Enum = append(choice.Enum, d)
		}
		add(part("decision", q, i), choice)
		add(part("message", q, i), &schema.Schema{Type: "string", Title: in.DecisionMessage})
		add(part("edited_action", q, i), &schema.Schema{Type: "string", Title: in.EditedAction,
			Description: r.Edited()})
	}
	add(inPlace, insteadSchema(in.replies(q), in))
	return schema.JSON(form)
}
