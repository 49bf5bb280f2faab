// Package report writes what came of suites: JUnit XML, Allure's result files, annotations for
// GitHub, one page, and JSON. Secrets were masked before.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/suite"
)

// Summary is all that came of one call.
type Summary struct {
	Program string         `json:"program"`
	Started time.Time      `json:"started_at"`
	Seconds float64        `json:"seconds"`
	Results []suite.Result `json:"results"`
	Files   string         `json:"files,omitempty"` // what paths start at, from the JSON's folder

	Dir  string `json:"-"` // the folder that the files of attempts are in
	Root string `json:"-"` // the project's folder, from which GitHub and GitLab want paths
	Lang string `json:"-"` // of the page and of Line
}

// Line sums the results up in one line.
func (s *Summary) Line() string {
	n, steps, say := map[suite.Outcome]int{}, 0, suite.WordsIn(s.Lang)
	for _, r := range s.Results {
		n[r.Outcome]++
		steps += r.Sum().Steps
	}
	var parts []string
	for _, o := range suite.Outcomes() {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf(say.Sum.Count, n[o], say.Outcomes[o]))
		}
	}
	if n[suite.Skipped] > 0 && len(parts) == 1 && steps == 0 {
		parts = append(parts, say.Sum.NoneRan)
	}
	return fmt.Sprintf(say.Sum.Line, cmp.Or(strings.Join(parts, ", "), say.Sum.None), s.Seconds)
}

// JSON is everything.
func (s *Summary) JSON() ([]byte, error) {
	s.Results = append([]suite.Result{}, s.Results...) // [], not null
	b, err := json.MarshalIndent(s, "", "  ")
	return append(b, '\n'), err
}

// path is a file from the project's folder, if it is in it.
func (s *Summary) path(file string) string {
	whole, _ := filepath.Abs(file) // "" is in no folder
	if rel, err := filepath.Rel(s.Root, whole); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return cmp.Or(whole, file)
}

// suites are the results by suite, in their order.
func (s *Summary) suites() (all [][]suite.Result) {
	for n, r := range s.Results {
		if n == 0 || r.File != s.Results[n-1].File {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

// details is what a person wants to know of an attempt, as text.
func details(r *suite.Result, a *suite.Attempt) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s:%d", r.File, r.Line)
	line("outcome: %s%s", a.Outcome, inBrackets(a.Kind))
	if a.Message != "" {
		line("%s", a.Message)
	}
	if a.Claimed {
		line("the agent claimed that it was done: %s", a.Answer)
	}
	if a.Verdict != "" {
		line("verification: %s: %s", a.Verdict, a.Seen)
	}
	if a.Phone != "" {
		line("phone %s, session %s, %d steps, %d tokens sent, %d received, cost %.6g, %.1fs",
			a.Phone, a.Session, a.Steps, a.Sent, a.Got, a.Cost, a.Seconds)
	}
	for _, c := range a.Checks {
		mark, got := "ok", ""
		if c.NotAsked != "" {
			mark, got = "not asked:", ": "+c.NotAsked
		} else if !c.OK {
			mark, got = "NOT", ": "+c.Got
		}
		line("%-3s %s%s", mark, c.What, got)
	}
	for _, q := range a.Asked {
		line("asked: %s\n  -> %s%s", q.Question, cmp.Or(q.Answer, "(no answer)"),
			inBrackets(q.By))
	}
	for _, n := range a.Notes {
		line("note: %s", n)
	}
	if a.Trace != "" {
		line("%s", a.Trace)
	}
	return b.String()
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
