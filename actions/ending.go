package actions

import (
	"github.com/taploop/taploop/internal/text"
)

// Complete ends the run as done, with a report, which may be empty.
type Complete struct {
	Report string `json:"report" arg:"return,value"`
}

func (Complete) Verb() string      { return "COMPLETE" }
func (Complete) Traits() Traits    { return Traits{} }
func (a Complete) Validate() error { return because(a, plain("the report", a.Report, maxReport)) }

func (a Complete) describe() string   { return reported("done", a.Report) }
func (a Complete) with(string) string { return quoted(a.Report) }

// Abort ends the run as not done, with the reason, which may be empty.
type Abort struct {
	Reason string `json:"reason" arg:"value,return"`
}

func (Abort) Verb() string      { return "ABORT" }
func (Abort) Traits() Traits    { return Traits{} }
func (a Abort) Validate() error { return because(a, plain("the reason", a.Reason, maxReport)) }

func (a Abort) describe() string   { return reported("give up", a.Reason) }
func (a Abort) with(string) string { return quoted(a.Reason) }

func reported(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + text.Quote(why, maxDescribed)
}
