package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
)

// Annotation is a command of GitHub Actions that shows words at a place.
func Annotation(level string, at keys.Position, title, words string) string {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	return fmt.Sprintf("::%s file=%s,line=%d,col=%d,title=%s::%s", level,
		property.Replace(filepath.ToSlash(at.File)), max(at.Line, 1), max(at.Column, 1),
		property.Replace(title), value.Replace(words))
}

// command is the beginning of a line that GitHub's runner takes for a command.
var command = regexp.MustCompile(`(\A|[\r\n])([\s\p{Z}\x{85}]*)::`)

// Harmless is a text in which GitHub's runner sees no commands when it is printed.
func Harmless(s string) string {
	return command.ReplaceAllString(strings.ReplaceAll(s, "##[", "## ["), "${1}${2}: :")
}

// Annotations are those of the cases that did not pass, or only in the end, and of notes.
func (s *Summary) Annotations() (lines []string) {
	for n := range s.Results {
		r := &s.Results[n]
		at, name := keys.Position{File: s.path(r.File), Line: r.Line, Column: r.Column},
			r.Suite+" / "+r.Name
		level := "error"
		if r.Outcome.Good() {
			level = "warning"
		}
		if r.Outcome != suite.Passed && r.Outcome != suite.Skipped {
			lines = append(lines, Annotation(level, at,
				name+" ("+string(r.Outcome)+inBrackets(r.Kind)+")", r.Message))
		}
		for _, note := range r.Sum().Notes {
			lines = append(lines, Annotation("warning", at, name, note))
		}
	}
	return lines
}

// Markdown is the summary of a step of GitHub Actions.
func (s *Summary) Markdown() string {
	marks := strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "`", "'", "[", `\[`, "!", `\!`)
	cell := func(words string) string { return marks.Replace(text.Line(words)) }
	var b strings.Builder
	notes := ""
	fmt.Fprintf(&b, "### taploop test: %s\n\n| outcome | suite | case | time | tokens | why |\n"+
		"| --- | --- | --- | --- | --- | --- |\n", s.Line())
	for n := range s.Results {
		r := &s.Results[n]
		sum, why := r.Sum(), r.Message
		if r.Judged() {
			why = strings.TrimSpace(why + " (judged by a model)")
		}
		fmt.Fprintf(&b, "| %s%s | %s | %s | %.1fs | %d | %s |\n", r.Outcome, inBrackets(r.Kind),
			cell(r.Suite), cell(r.Name), sum.Seconds, sum.Sent+sum.Got, cell(why))
		for _, note := range sum.Notes {
			notes += fmt.Sprintf("- %s / %s: %s\n", cell(r.Suite), cell(r.Name), cell(note))
		}
	}
	return b.String() + "\n" + notes
}
