package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/text"
)

// Outcome is what came of a case.
type Outcome string

// The outcomes, and Skipped for a case that was not run.
const (
	Passed      Outcome = "passed"
	Healed      Outcome = "healed" // a replay that asked the model where the screen differed
	Flaky       Outcome = "flaky"  // failed, then passed
	Failed      Outcome = "failed"
	SetupFailed Outcome = "setup_failed" // phone, app, adb, model, cassette or suite
	Crashed     Outcome = "crashed"      // the app under test
	NeedsPerson Outcome = "needs_person" // a question that the suite does not expect
	Skipped     Outcome = "skipped"
)

// Good reports whether the outcome counts as passed.
func (o Outcome) Good() bool { return o == Passed || o == Healed || o == Flaky }

// The kinds of SetupFailed.
const (
	KindPhone    = "phone"
	KindApp      = "app"
	KindADB      = "adb"
	KindSuite    = "suite"
	KindModel    = "model"
	KindCassette = "cassette"
)

// Trouble is why a case could not be run as it was meant to be.
type Trouble struct {
	Kind string // of SetupFailed, or "" for what came instead of the expected
	Err  error
}

func (t *Trouble) Error() string { return t.Err.Error() }

// Unwrap returns the cause.
func (t *Trouble) Unwrap() error { return t.Err }

// Checked is an expectation with what was found.
type Checked struct {
	What     string `json:"what"`
	Line     int    `json:"line,omitempty"`
	OK       bool   `json:"ok"`
	Got      string `json:"got,omitempty"`       // what was found instead
	NotAsked string `json:"not_asked,omitempty"` // why it is not known whether it holds
	Judged   bool   `json:"judged,omitempty"`    // a model's word
}

// Attachment is a file about an attempt.
type Attachment struct {
	Name string `json:"name"` // what it is: screen, logcat, steps, ...
	Path string `json:"path"` // below the folder of the reports
	Type string `json:"type"` // its media type
}

// Asked is a question of the agent, or an action that waited, with what was said to it.
type Asked struct {
	Question string `json:"question"`
	Answer   string `json:"answer,omitempty"` // "" if there was none
	By       string `json:"by,omitempty"`     // whose it is: of the suite, or of a person
}

// Attempt is one try of a case.
type Attempt struct {
	Outcome Outcome      `json:"outcome"`
	Kind    string       `json:"kind,omitempty"`     // of SetupFailed
	Message string       `json:"message,omitempty"`  // why it did not pass
	Claimed bool         `json:"claimed,omitempty"`  // the agent claimed that the task was done
	Verdict string       `json:"verdict,omitempty"`  // verified, unverified or contradicted
	Seen    string       `json:"evidence,omitempty"` // what the verdict is about
	Phone   string       `json:"phone,omitempty"`
	Session string       `json:"session_id,omitempty"`
	Answer  string       `json:"answer,omitempty"` // the agent's report
	Step    int          `json:"step,omitempty"`   // the last one, or that of a crash
	Started time.Time    `json:"started_at"`
	Seconds float64      `json:"seconds"`
	Steps   int          `json:"steps"`
	Sent    int          `json:"prompt_tokens"`
	Got     int          `json:"completion_tokens"`
	Cost    float64      `json:"cost,omitempty"`
	Checks  []Checked    `json:"checks,omitempty"`
	Asked   []Asked      `json:"asked,omitempty"`
	Trace   string       `json:"trace,omitempty"` // of a crash
	Files   []Attachment `json:"files,omitempty"`
	Notes   []string     `json:"notes,omitempty"` // what else went wrong, such as a teardown
}

// Result is what came of an item.
type Result struct {
	Suite    string    `json:"suite"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Column   int       `json:"column,omitempty"`
	Name     string    `json:"name"`
	Key      string    `json:"key"`
	Tags     []string  `json:"tags,omitempty"`
	App      string    `json:"app,omitempty"`
	Outcome  Outcome   `json:"outcome"`
	Kind     string    `json:"kind,omitempty"`
	Message  string    `json:"message,omitempty"`
	Attempts []Attempt `json:"attempts,omitempty"`
}

// NewResult is the result of an item that was not run yet.
func NewResult(i *Item) Result {
	return Result{Suite: i.Suite.Name, File: i.Suite.File, Line: i.At().Line,
		Column: i.At().Column, Name: i.Name, Key: i.Folder(), Tags: i.Tags(), App: i.Suite.App,
		Outcome: Skipped}
}

// Unread are the results of files that cannot be read, one of each problem.
func Unread(list keys.Problems) (all []Result) {
	for _, p := range list {
		all = append(all, Result{Suite: p.File, File: p.File, Line: p.Line, Column: p.Column,
			Name: p.Position.String(), Outcome: SetupFailed, Kind: KindSuite, Message: p.Text})
	}
	return all
}

// Last is the last attempt. Without attempts it is one that came to the same.
func (r *Result) Last() Attempt {
	if len(r.Attempts) == 0 {
		return Attempt{Outcome: r.Outcome, Kind: r.Kind, Message: r.Message}
	}
	return r.Attempts[len(r.Attempts)-1]
}

// Mask hides secrets in all that was read, asked and found.
func (r *Result) Mask(m text.Mask) {
	texts := []*string{&r.Suite, &r.Name, &r.App, &r.Message}
	for n := range r.Attempts {
		a := &r.Attempts[n]
		texts = append(texts, &a.Message, &a.Answer, &a.Trace, &a.Seen)
		for n := range a.Checks {
			texts = append(texts, &a.Checks[n].What, &a.Checks[n].Got, &a.Checks[n].NotAsked)
		}
		for n := range a.Asked {
			texts = append(texts, &a.Asked[n].Question, &a.Asked[n].Answer)
		}
		for n := range a.Notes {
			texts = append(texts, &a.Notes[n])
		}
	}
	for _, s := range texts {
		*s = m.Text(*s)
	}
}

// Settle sets the outcome from the attempts. Strictly, what is flaky or healed has failed.
func (r *Result) Settle(say *Words, strict bool) {
	last := &r.Attempts[len(r.Attempts)-1]
	r.Outcome, r.Kind, r.Message = last.Outcome, last.Kind, last.Message
	if first := r.Attempts[0]; last.Outcome.Good() && len(r.Attempts) > 1 {
		r.Outcome = Flaky
		r.Message = fmt.Sprintf(say.Play.Flaky, len(r.Attempts), first.Message)
	}
	if strict && (r.Outcome == Flaky || r.Outcome == Healed) {
		r.Outcome, r.Message = Failed, "--fail-on-flaky: "+r.Message
		last.Outcome, last.Message = r.Outcome, r.Message
	}
}

// Judged reports whether the last attempt has a model's word about an expectation.
func (r *Result) Judged() bool {
	return slices.ContainsFunc(r.Last().Checks, func(c Checked) bool {
		return c.Judged && c.NotAsked == ""
	})
}

// Sum is what the attempts took together.
func (r *Result) Sum() (total Attempt) {
	for _, a := range r.Attempts {
		total.Seconds += a.Seconds
		total.Steps += a.Steps
		total.Sent += a.Sent
		total.Got += a.Got
		total.Cost += a.Cost
		total.Notes = append(total.Notes, a.Notes...)
	}
	return total
}

// Outcomes are all of them, the best first.
func Outcomes() []Outcome {
	return []Outcome{Passed, Healed, Flaky, Failed, Crashed, NeedsPerson, SetupFailed, Skipped}
}
