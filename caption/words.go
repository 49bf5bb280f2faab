package caption

import (
	_ "embed"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wordfile"
)

// words are the prompts of one language.
type words struct {
	Task, Question, Options        string // labels of what is quoted
	About, Whole                   string // how to describe, with a task and without
	Stand, Brief, Pick, Never, End string // how to stand in for the user
}

//go:embed words.yaml
var wordsFile []byte

// languages are the words, by language.
var languages = wordfile.YAML[map[string]*words](wordsFile)

func (w *words) describe(task string) string {
	if strings.TrimSpace(task) == "" {
		return w.Whole
	}
	return w.label(w.Task, task) + "\n\n" + w.About
}

func (w *words) reply(task, question string, options []string) string {
	lines := []string{w.Stand, "", w.label(w.Task, task), w.label(w.Question, question)}
	if len(options) > 0 {
		quoted := make([]string, len(options))
		for i, o := range options {
			quoted[i] = quote(o)
		}
		lines = append(lines, w.Options+": "+strings.Join(quoted, ", "))
	}
	lines = append(lines, "", w.Brief)
	if len(options) > 0 {
		lines = append(lines, w.Pick)
	}
	return strings.Join(append(lines, w.Never, w.End), "\n")
}

func (w *words) label(name, s string) string { return name + ": " + quote(s) }

// quote makes foreign text one line in quotation marks that it cannot leave.
func quote(s string) string {
	b, _ := text.Marshal(strings.TrimSpace(s)) // strings always encode
	return string(b)
}
