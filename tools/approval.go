package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/tools/schema"
)

// writeActions writes what is to be decided on below the words of an approval.
func writeActions(b *strings.Builder, q inquiry.Question, in *messages) {
	for i, r := range q.ActionRequests {
		fmt.Fprintf(b, "\n%d. %s", i+1, quoted(r.Description, 500))
	}
	if q.Element != "" {
		fmt.Fprintf(b, in.UnderFinger, quoted(q.Element, 300))
	}
	if q.Reason != "" {
		fmt.Fprintf(b, in.AskedBecause, quoted(q.Reason, 500))
	}
}

// part is the name of a field of the form about the action with this index.
func part(name string, q inquiry.Question, i int) string {
	if len(q.ActionRequests) == 1 {
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
	for i, r := range q.ActionRequests {
		choice := &schema.Schema{Type: "string", Title: in.Decision,
			Description: quoted(r.Description, 300)}
		for _, d := range q.Allowed(i) {
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

// decided are the decisions in what came from a form. What does not fit is left to the broker to
// refuse; what was written for another decision than the one chosen does not count.
func decided(r *inquiry.Reply, q inquiry.Question, content any) {
	r.Type = inquiry.TypeDecisions
	values, _ := content.(map[string]any)
	for i := range q.ActionRequests {
		value := func(name string) string {
			s, _ := values[part(name, q, i)].(string)
			return s
		}
		d := inquiry.Decision{Type: value("decision")}
		switch d.Type {
		case inquiry.Reject, inquiry.Respond:
			d.Message = value("message")
		case inquiry.Edit:
			d.EditedAction, _ = inquiry.ParseEdit(value("edited_action")) // none is refused
		}
		r.Decisions = append(r.Decisions, d)
	}
}
