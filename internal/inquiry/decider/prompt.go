package decider

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// prompts are the texts for the model, in a language.
type prompts struct {
	Role, Data, Judge, Never, Reply           string
	Choice, Text, Values, Document, Undecided string // the forms of a reply
	Seen, Unseen, Told                        string // of the screen
	Silence                                   string // of a person who did not answer
}

var promptsIn = words.Of[prompts]("decider")

// data is what the model is shown, as one JSON object: text cannot leave its quotes.
type data struct {
	Task     string          `json:"task,omitempty"`
	About    string          `json:"about,omitempty"`
	Steps    []string        `json:"steps,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Earlier  []string        `json:"earlier_answers,omitempty"`
	Screen   string          `json:"screen_in_words,omitempty"`
	Person   string          `json:"person,omitempty"`
	Question string          `json:"question"`
	Choices  []string        `json:"choices,omitempty"`
	Form     json.RawMessage `json:"form,omitempty"`
	Document string          `json:"document,omitempty"`
}

// How much of what comes before the question is shown: lines, and characters of each.
const (
	maxSteps, maxNotes   = 20, 10
	maxEarlier           = 8
	lineChars, noteChars = 200, 400
	longChars            = 4000  // of a task, a question, a caption
	documentChars        = 20000 // of a document to edit
)

// prompt is the rules, which are ours alone, and the data, which is others'.
func (w *prompts) prompt(c *Case) (rules, shown string) {
	q := &c.Question
	how := []string{w.Undecided}
	switch {
	case len(inquiry.As[inquiry.Form](*q).Fields) > 0:
		how = append(how, w.Values)
	case inquiry.As[inquiry.Ask](*q).Draft != "":
		how = append(how, w.Document)
	case len(inquiry.As[inquiry.Ask](*q).Options) > 0 && !inquiry.As[inquiry.Ask](*q).FreeText:
		how = append(how, w.Choice)
	case len(inquiry.As[inquiry.Ask](*q).Options) > 0:
		how = append(how, w.Choice, w.Text)
	default:
		how = append(how, w.Text)
	}
	seen := w.Unseen
	switch {
	case c.Frame != nil:
		seen = w.Seen
	case c.Caption != "":
		seen = w.Told
	}
	rules = strings.Join(append([]string{w.Role, w.Data, seen, w.Judge, w.Never, w.Reply}, how...),
		"\n")
	d := data{
		Steps: tail(c.Steps, maxSteps, lineChars), Notes: tail(c.Notes, maxNotes, noteChars),
		Earlier: tail(c.Earlier, maxEarlier, lineChars), Screen: text.Cut(c.Caption, longChars),
		Question: text.Cut(q.Text, longChars), Choices: inquiry.As[inquiry.Ask](*q).Options,
		Document: text.Cut(inquiry.As[inquiry.Ask](*q).Draft, documentChars),
	}
	if q.Kind == inquiry.KindInquiry {
		d.About = text.Cut(q.Task, longChars)
	} else {
		d.Task = text.Cut(q.Task, longChars)
	}
	if len(inquiry.As[inquiry.Form](*q).Fields) > 0 {
		d.Form = inquiry.Schema(inquiry.As[inquiry.Form](*q).Fields)
	}
	if p := q.Deferred; p != nil {
		d.Person = w.Silence
		if said := p.Response.String(); said != "" {
			d.Person += ": " + text.Cut(said, noteChars)
		}
	}
	b, _ := text.Marshal(d) // it is texts only
	return rules, string(b)
}

// tail is the last lines, each cut and on one line.
func tail(lines []string, most, chars int) (out []string) {
	for _, l := range lines[max(len(lines)-most, 0):] {
		out = append(out, text.Cut(text.Line(l), chars))
	}
	return out
}
