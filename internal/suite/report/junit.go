package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
)

// The elements of JUnit XML, as Jenkins' junit-10.xsd has them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Time     string       `xml:"time,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		File       string          `xml:"file,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string         `xml:"name,attr"`
		Classname string         `xml:"classname,attr"`
		Time      string         `xml:"time,attr"`
		Skipped   *junitProblem  `xml:"skipped"`
		Error     *junitProblem  `xml:"error"`
		Failure   *junitProblem  `xml:"failure"`
		Flaky     []junitProblem `xml:"flakyFailure"`
		Rerun     []junitProblem `xml:"rerunFailure"`
		Out       string         `xml:"system-out"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
		Trace   string `xml:"stackTrace,omitempty"` // of what was tried again
	}
)

// JUnit is the results as JUnit XML that is valid against Jenkins' schema. What that does not allow
// at a case, its place, tokens and cost, stands in the properties of its suite.
func (s *Summary) JUnit() ([]byte, error) {
	all := junitSuites{Name: "taploop", Time: fmt.Sprintf("%.3f", s.Seconds)}
	for _, list := range s.suites() {
		one := s.junitSuite(list)
		all.Tests += one.Tests
		all.Failures += one.Failures
		all.Errors += one.Errors
		all.Suites = append(all.Suites, one)
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), append(b, '\n')...), err
}

func (s *Summary) junitSuite(list []suite.Result) junitSuite {
	first := list[0]
	out := junitSuite{Name: clean(first.Suite), Tests: len(list), File: clean(first.File),
		Timestamp: s.Started.UTC().Format(time.RFC3339)}
	property := func(name, format string, args ...any) {
		out.Properties = append(out.Properties,
			junitProperty{clean(name), clean(fmt.Sprintf(format, args...))})
	}
	property("program", "%s", s.Program)
	property("app", "%s", cmp.Or(first.App, "none"))
	total := 0.0
	for _, r := range list {
		sum := r.Sum()
		total += sum.Seconds
		property(r.Name+".outcome", "%s%s", r.Outcome, inBrackets(r.Kind))
		property(r.Name+".place", "%s:%d", r.File, r.Line)
		property(r.Name+".tokens", "%d", sum.Sent+sum.Got)
		property(r.Name+".verification", "%s", cmp.Or(r.Last().Verdict, "none"))
		property(r.Name+".cost", "%.6f", sum.Cost)
		c := s.junitCase(&r)
		switch {
		case c.Failure != nil:
			out.Failures++
		case c.Error != nil:
			out.Errors++
		case c.Skipped != nil:
			out.Skipped++
		}
		out.Cases = append(out.Cases, c)
	}
	out.Time = fmt.Sprintf("%.3f", total)
	return out
}

func (s *Summary) junitCase(r *suite.Result) junitCase {
	c := junitCase{Name: clean(r.Name), Classname: clean(r.Suite),
		Time: fmt.Sprintf("%.3f", r.Sum().Seconds)}
	last := r.Last()
	problem := &junitProblem{string(r.Outcome) + inBrackets(r.Kind), clean(r.Message),
		clean(details(r, &last)), ""}
	switch r.Outcome {
	case suite.Skipped:
		problem.Text = ""
		c.Skipped = problem
	case suite.Failed, suite.Crashed:
		c.Failure = problem
	case suite.SetupFailed, suite.NeedsPerson:
		c.Error = problem
	}
	for n := range r.Attempts {
		a := &r.Attempts[n]
		c.Out += clean(details(r, a))
		if n == len(r.Attempts)-1 {
			break
		}
		again := junitProblem{string(a.Outcome), clean(a.Message), "", clean(details(r, a))}
		if r.Outcome.Good() {
			c.Flaky = append(c.Flaky, again)
		} else {
			c.Rerun = append(c.Rerun, again)
		}
	}
	for _, a := range slices.Backward(r.Attempts) { // GitLab shows the first: the last screen
		for _, f := range slices.Backward(a.Files) {
			c.Out += "[[ATTACHMENT|" + clean(s.path(filepath.Join(s.Dir, f.Path))) + "]]\n"
		}
	}
	return c
}

// clean takes out what steers, hides or marks attachments, and what XML does not have.
func clean(s string) string {
	s = strings.NewReplacer("\uFFFE", "", "\uFFFF", "").Replace(text.Lines(s))
	for strings.Contains(s, "[[") {
		s = strings.ReplaceAll(s, "[[", "[ [")
	}
	return s
}
