package caption

import (
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// prompts are the texts for the model, in a language.
type prompts struct {
	Task, Question, Options        string // labels of the quoted texts
	About, Whole                   string // how to describe, with a task and without
	Stand, Brief, Pick, Never, End string // how to stand in for the user
}

var promptsIn = words.Of[prompts]("caption")

func (w *prompts) describe(task string) string {
	if strings.TrimSpace(task) == "" {
		return w.Whole
	}
	return w.label(w.Task, task) + "\n\n" + w.About
}

func (w *prompts) reply(task, question string, options []string) string {
	lines := []string{w.Stand, "", w.label(w.Task, task), w.label(w.Question, question)}
	if len(options) > 0 {
		lines = append(lines, w.Options+": "+strings.Join(text.Each(options, quote), ", "))
	}
	lines = append(lines, "", w.Brief)
	if len(options) > 0 {
		lines = append(lines, w.Pick)
	}
	return strings.Join(append(lines, w.Never, w.End), "\n")
}

func (w *prompts) label(name, s string) string { return name + ": " + quote(s) }

// quote makes foreign text one line in quotation marks that it cannot leave.
func quote(s string) string {
	b, _ := text.Marshal(strings.TrimSpace(s)) // strings always encode
	return string(b)
}
