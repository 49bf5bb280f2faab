package tools

import (
	"encoding/json"

	"github.com/taploop/taploop/inquiry"
)

var (
	allStatuses = []inquiry.Status{inquiry.Pending, inquiry.Answered, inquiry.Refused, inquiry.TimedOut, inquiry.Withdrawn, inquiry.Expired}
	allFields   = []inquiry.FieldType{inquiry.TextField, inquiry.ChoiceField, inquiry.ChoicesField, inquiry.YesNoField, inquiry.NumberField, inquiry.DateField}
)

func questionSchema() props {
	return orNull(structure("The open question, for your user; null when there is none.",
		[]string{"question_id", "inquiryId", "kind", "text", "asked_at", "attention_until", "expires_at", "round"}, props{
			"question_id":     typed("string", "Pass it with the answer."),
			"inquiryId":       typed("string", "The same."),
			"session_id":      typed("string", "Its session; absent where the result names it, and when there is none."),
			"kind":            oneOf([]inquiry.Kind{inquiry.Info, inquiry.Inquiry, inquiry.Approval, inquiry.Takeover}, "What sort of decision it wants; inquiry: asked by send_inquiry."),
			"context":         typed("string", "What an inquiry is about."),
			"text":            typed("string", "The question."),
			"options":         listOf(props{"type": "string"}, "Answers to choose from."),
			"free_text":       typed("boolean", "Another answer than the options is fine, too."),
			"fields":          listOf(fieldSchema(), "A form: the answer is one object with a value for each name."),
			"draft":           typed("string", "Markdown that is edited: the answer is the whole text."),
			"default_answer":  typed("string", "The answer that was given beforehand."),
			"on_timeout":      oneOf([]inquiry.OnTimeout{inquiry.Pause, inquiry.AskModel, inquiry.GoOn, inquiry.Default, inquiry.GiveUp}, "What follows when nobody looks at it until attention_until; absent: pause."),
			"secret":          typed("boolean", "The answer is shown nowhere."),
			"doors":           listOf(doorSchema(), "Through which it can still be answered; those that ask actively first, in their order."),
			"reply_url":       typed("string", "Where programs POST the answer."),
			"page_url":        typed("string", "Where people answer it in a browser."),
			"asked_at":        moment("When it was asked."),
			"attention_until": moment("Until when somebody should have looked at it."),
			"expires_at":      moment("Until when it can be answered."),
			"round":           typed("integer", "How many questions the run has asked, this one included."),
		}))
}

func doorSchema() props {
	return structure("", []string{"door"}, props{"door": typed("string", "Its name: a reply mode, or a place."), "until": moment("When the next one has its turn."),
		"asks": typed("boolean", "It has its turn now.")})
}

func fieldSchema() props {
	return structure("", []string{"name", "type"}, props{
		"name": typed("string", "Key of its value in the answer."), "label": typed("string", "The question."), "type": oneOf(allFields, "Its value."),
		"options": listOf(props{"type": "string"}, "Of choice and choices."), "optional": typed("boolean", "May be left out."),
		"default": props{"description": "Filled in beforehand."}, "min": typed("number", "Least."), "max": typed("number", "Most."),
	})
}

func winnerSchema(words string) props {
	return structure(words, []string{"status", "channel", "at"}, props{
		"status": oneOf(allStatuses[1:], "How it ended."), "channel": typed("string", "The door through which it was settled."),
		"authority": typed("string", "With whose authority: client_ui, human_token and local_operator are people, client_model and agent are models."),
		"by":        typed("string", "By whom."), "answer": typed("string", "The answer; masked when it is secret."), "at": moment("When."),
	})
}

// inquirySchema is that of an result.Inquiry.
func inquirySchema() props {
	values := orNull(typed("object", "The answers of a form by their names; else null."))
	values["additionalProperties"] = true
	return structure("", []string{"answer", "values", "resolution", "question", "next", "error"}, props{
		"question_id": typed("string", "The question; absent only when the call could not be carried out."),
		"session_id":  typed("string", "Its session, when it has one."),
		"status":      oneOf(allStatuses, "Where it stands. pending: nobody has answered yet."),
		"answer":      orNull(typed("string", "The answer, that of a form as JSON, a default one included; [secret] for a secret one; null while there is none.")),
		"values":      values,
		"resolution":  orNull(winnerSchema("How the question was settled; null while it is open.")),
		"replayed":    typed("boolean", "The same reply_id had been accepted before."),
		"question":    questionSchema().as("The question while it is open, as ask_agent_start_new_task returns one; else null."),
		"next":        nextSchema().as("The call that goes on from here, with tool, arguments and why; else null."),
		"timing": structure("In milliseconds.", nil, props{
			"waited_ms": typed("integer", "How long this call took."), "wait_budget_ms": typed("integer", "How long it would have waited at most."),
		}),
		"notes": listOf(props{"type": "string"}, "What is left out, and why."),
		"error": failureSchema().as("Why the call could not be carried out, as in ask_agent_start_new_task; else null."),
	})
}

func pendingSchema() json.RawMessage {
	question := props{"type": "object"}
	return structure("", []string{"questions", "total", "error"}, props{
		"questions": listOf(question, "The open questions, oldest first, each as the question that ask_agent_start_new_task returns."),
		"total":     typed("integer", "How many there are, those that are not listed included."),
		"notes":     listOf(props{"type": "string"}, "What is left out, and why."),
		"error":     failureSchema().as("Why the call could not be carried out, as in ask_agent_start_new_task; else null."),
	}).encode()
}
