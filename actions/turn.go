package actions

import (
	"encoding/json"

	"github.com/taploop/taploop/internal/text"
)

// Reply is what a model answered, as it was.
type Reply struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"` // thoughts that the endpoint split off
	Calls     []Call `json:"calls,omitempty"`     // native tool calls
	Cut       bool   `json:"cut,omitempty"`       // the model was stopped at its length limit
}

// Call is a native tool call. Arguments is JSON as the model wrote it, not checked.
type Call struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Turn is a step that the model is shown again in later ones. Its picture is not kept here: it is
// the frame of the step. What came of its action is in the notes of the turn after it.
type Turn struct {
	Step   int       `json:"step"`             // index within the session, from 1
	Notes  []string  `json:"notes,omitempty"`  // shown to the model in this step, in its language
	Answer *Exchange `json:"answer,omitempty"` // that had just come in
	App    string    `json:"app,omitempty"`    // package that was in front
	Reply  Reply     `json:"reply"`
	Did    string    `json:"did,omitempty"` // the action, in the model's words or in ours

	Kept json.RawMessage `json:"kept,omitempty"` // what a policy keeps in the place of a step
}

// Texts returns the turn with f applied to every text in it, for example to mask a secret.
func (t Turn) Texts(f func(string) string) Turn {
	t.Notes = text.Each(t.Notes, f)
	if t.Answer != nil {
		t.Answer = &Exchange{f(t.Answer.Question), f(t.Answer.Answer), t.Answer.Outcome}
	}
	t.App, t.Did = f(t.App), f(t.Did)
	var kept any
	if json.Unmarshal(t.Kept, &kept) == nil { // numbers are no text
		t.Kept, _ = json.Marshal(text.InJSON(kept, f)) // of JSON
	}
	t.Reply.Text = f(t.Reply.Text)
	t.Reply.Reasoning = f(t.Reply.Reasoning)
	t.Reply.Calls = text.Each(t.Reply.Calls, func(c Call) Call {
		return Call{c.ID, c.Name, f(c.Arguments)}
	})
	return t
}

// Exchange is a question that was asked and what came of it, kept for all later steps.
type Exchange struct {
	Question string  `json:"question"`
	Answer   string  `json:"answer"`
	Outcome  Outcome `json:"outcome"`
}

// Outcome says how an exchange ended. Each dialect has words for it.
type Outcome string

// The outcomes of a question, and of what the other side said unasked: then there is no question.
const (
	Answered      Outcome = "answered"       // a person answered
	Refused       Outcome = "refused"        // a person chose not to answer
	Silence       Outcome = "silence"        // no answer came in time
	DefaultAnswer Outcome = "default"        // no answer came, Answer was agreed beforehand
	ModelAnswer   Outcome = "model_answered" // a model answered in the person's place
	Remembered    Outcome = "remembered"     // a person's earlier answer, to be used again
	Delegated     Outcome = "delegated"      // a person left it to the one who asked
	NoReply       Outcome = "no_reply"       // questions are switched off for this run
	LimitReached  Outcome = "limit"          // no more questions in this run
	HandedBack    Outcome = "handed_back"    // a person had the phone, and says that it is done
	CouldNot      Outcome = "could_not"      // a person had the phone, and could not do it
	Noted         Outcome = "noted"          // said unasked, beside the task
	Instructed    Outcome = "instructed"     // an instruction that goes before what was said before
)
