package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// texts are what the commands say to a person, in one language.
type texts struct {
	lang string

	Session, Model           string // where the run is: an id on a phone, and what that phone is
	Now                      string // the step of the status line
	Ready, Look, Think, Act  string // the phase of a step
	Check, Note              string // before an action is carried out, and after
	Queue                    string
	Step, CutShort           string // a step that was made
	Unread, Silent           string // of the model's reply
	Exchange, Unanswered     string // the outcome of a question, with an answer and without
	Warning                  string // before one of the run's warnings
	Replayed                 string
	Ended, Steps, OneStep    string
	Worked, Waited           string
	Try, Answer, Typed, GoOn string
	Cut                      string
	Hidden, Whole            string // before an answer is typed

	Outcomes map[actions.Outcome]string
	// why a run has ended, where that needs no other words
	Reasons map[agentloop.StopReason]string
	// by stop reason or code, in front of an error, whose own words are English, so there are none
	// in English
	InFront map[string]string
	Host    hostWords
	Test    testWords
}

// testWords are those of tests.
type testWords struct {
	Of, Bad, Again, Took, Note string // of a line
	Scripted, NoSuite, Nothing string
}

// hostWords are those of a host.
type hostWords struct {
	Session, Down, Waits, Failed, Queue, Pausing, Slow, Unpriced, Unmatched, Held string
	Spent, Calls, OneCall                                                         string
}

var textsIn = words.Of[texts]("cli")

// wordsIn returns the texts in the language that fits best.
func wordsIn(lang string) texts {
	w := *textsIn(lang)
	w.lang = words.Match(lang)
	return w
}

// made is a step in one line: what was decided and why, and why it was not carried out.
func (w texts) made(s agentloop.Step) string {
	p := s.Proposal
	var line string
	switch {
	case p.Action == nil && export.Silent(p):
		line = w.Silent
	case p.Action == nil:
		line = w.Unread
	case p.Explain != "":
		line = p.Action.Verb() + " (" + text.Cut(text.Line(p.Explain), 300) + ")"
	default:
		line = p.Action.Verb() + " (" + actions.Brief(p.Action, w.lang) + ")"
	}
	if strings.HasPrefix(s.Refusal, agentloop.CutShort) {
		line += w.CutShort
	} else if s.Refusal != "" {
		line += "; " + text.Cut(text.Line(s.Refusal), 400)
	}
	return line + "  " + tenths(s.Timing.Total())
}

// count is a number of steps.
func (w texts) count(n int) string {
	if n == 1 {
		return w.OneStep
	}
	return fmt.Sprintf(w.Steps, n)
}

// spent is where a run's time went. What lay between its steps is neither.
func (w texts) spent(u store.Usage) string {
	said := fmt.Sprintf(w.Worked, tenths(u.Work()))
	if u.Asked >= 100*time.Millisecond {
		said += fmt.Sprintf(w.Waited, tenths(u.Asked))
	}
	return said
}
