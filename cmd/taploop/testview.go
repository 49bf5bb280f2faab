package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
	testreport "github.com/taploop/taploop/internal/suite/report"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

// testView shows tests as they run: a line for each that ended, and at a terminal below them what
// each phone does now.
type testView struct {
	inv *invocation
	say testWords

	mu    sync.Mutex
	all   int
	done  int
	bad   int
	doing map[string]string // by serial
}

// Note implements play.View.
func (v *testView) Note(words string) { v.line(fmt.Sprintf(v.say.Note, text.Line(words))) }

// line prints what cases, screens and models may have worded.
func (v *testView) line(words string) {
	if inGitHub(v.inv) {
		words = testreport.Harmless(words)
	}
	v.inv.notef("%s", words)
}

// inGitHub reports whether GitHub's runner reads the output.
func inGitHub(a *invocation) bool { return a.Options.Getenv("GITHUB_ACTIONS") == "true" }

// Began implements play.View.
func (v *testView) Began(a play.Attempt) {
	again := ""
	if a.Number > 1 {
		again = fmt.Sprintf(v.say.Again, a.Number)
	}
	v.now(a.Serial, a.Item.Name+again)
}

// Step implements play.View.
func (v *testView) Step(a play.Attempt, words string) { v.now(a.Serial, a.Item.Name+": "+words) }

func (v *testView) now(serial, doing string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.doing[serial] = doing
	v.show()
}

// show rewrites the line of a terminal.
func (v *testView) show() {
	line := fmt.Sprintf(v.say.Of, v.done, v.all)
	if v.bad > 0 {
		line += fmt.Sprintf(v.say.Bad, v.bad)
	}
	for _, serial := range slices.Sorted(maps.Keys(v.doing)) {
		line += " | " + serial + ": " + v.doing[serial]
	}
	tty.StatusOf(v.inv.err).Show(line)
}

// Ended implements play.View.
func (v *testView) Ended(r suite.Result) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done++
	if !r.Outcome.Good() && r.Outcome != suite.Skipped {
		v.bad++
	}
	sum := r.Sum()
	say := suite.WordsIn(v.inv.Lang())
	line := fmt.Sprintf("%-12s %s", strings.ToUpper(say.Outcomes[r.Outcome]),
		text.Line(r.Suite+" / "+r.Name))
	if r.Judged() {
		line += " " + say.Page.Judged
	}
	if len(r.Attempts) > 0 {
		line += fmt.Sprintf(v.say.Took, sum.Seconds, sum.Steps, sum.Sent+sum.Got)
		delete(v.doing, r.Last().Phone)
		if said := say.Verdicts[r.Last().Verdict]; said != "" {
			line += ", " + said
		}
	}
	v.line(line)
	if r.Message != "" && r.Outcome != suite.Passed {
		v.line(fmt.Sprintf("             %s:%d: %s", text.Line(r.File), r.Line,
			indented(r.Message, "             ")))
	}
	v.show()
}

func (v *testView) end() { tty.StatusOf(v.inv.err).Show("") }
