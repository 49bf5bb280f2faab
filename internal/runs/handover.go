package runs

import (
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/words"
)

// errTakenByPerson is the cause of a take-over that a person began, which only people hand back.
var errTakenByPerson error = byPerson{agentloop.ErrTakeover}

type byPerson struct{ error }

func (p byPerson) Error() string { return "a person has taken the phone over" }

func (p byPerson) Unwrap() error { return p.error }

// texts are what people are asked when the phone is handed over, and what the model reads in place
// of their answer, in one language.
type texts struct {
	Locked, Secure, Wanted string
	Handed                 string // wanted, by a program
	Done, NoReason         string // if they say nothing
	Secret                 string // takes the word that stands for it
}

var textsIn = words.Of[texts]("runs")

// asked is what people are asked when a person, or else a program, has taken the phone over.
func (w *texts) asked(person bool) string {
	if person {
		return w.Wanted
	}
	return w.Handed
}

// personalMode is how people are asked in a run of this reply mode for what no model can do or
// decide: at its steps where a person answers, or through the client.
func personalMode(mode channel.Mode) channel.Mode {
	steps, err := mode.Steps()
	steps = slices.DeleteFunc(steps, func(s channel.Step) bool { return !s.Person })
	if err != nil || len(steps) == 0 {
		return channel.PassToClient
	}
	return channel.Of(steps)
}
