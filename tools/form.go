package tools

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// The fields of a form that is not the question's own.
const (
	choiceField = "choice" // stands before the other, as forms are shown in order
	answerField = "answer"
)

// formOf is a question as a client shows it to its user. problem is what was wrong with the last answer, or "".
func formOf(q inquiry.Question, problem string, in *tongue) mcp.ElicitationParams {
	var b strings.Builder
	if problem != "" {
		b.WriteString(say(in.misfit, text.Cut(problem, 1000)) + "\n\n")
	}
	switch {
	case q.Task != "" && q.RunID == "":
		b.WriteString(text.Cut(q.Task, 2000) + "\n\n")
	case q.Task != "":
		b.WriteString(say(in.asks, quoted(q.Task, 300)) + "\n")
	}
	b.WriteString(text.Cut(q.Text, 4000))
	return mcp.ElicitationParams{Message: b.String(), RequestedSchema: formSchema(q, in)}
}

func formSchema(q inquiry.Question, in *tongue) json.RawMessage {
	if len(q.Fields) > 0 {
		return inquiry.Schema(q.Fields)
	}
	answer := props{"type": "string", "title": in.yourAnswer, "minLength": 1}
	if q.Draft != "" {
		answer["default"] = q.Draft
	}
	switch {
	case len(q.Options) == 0:
		return json.RawMessage(`{"type":"object","properties":{"answer":` + quote(answer) + `},"required":["answer"]}`)
	case !q.FreeText:
		return json.RawMessage(`{"type":"object","properties":{"choice":` + quote(oneOf(q.Options, in.chooseOne)) + `},"required":["choice"]}`)
	}
	delete(answer, "minLength")
	answer["title"], answer["description"] = in.another, in.anotherHelp
	return json.RawMessage(`{"type":"object","properties":{"choice":` + quote(oneOf(q.Options, in.chooseOrWrite)) + `,"answer":` + quote(answer) + `}}`)
}

// responseIn is the answer in what came from a form. What does not fit is left to the broker to refuse.
func responseIn(q inquiry.Question, content any) string {
	values, _ := content.(map[string]any)
	if len(q.Fields) == 0 {
		text, _ := values[answerField].(string)
		if choice, _ := values[choiceField].(string); strings.TrimSpace(text) == "" {
			return choice
		}
		return text
	}
	b, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	return string(b)
}
