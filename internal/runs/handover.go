package runs

import (
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/words"
)

// errTakenByPerson is the cause of a takeover by a person. Only people can hand the phone back
// then.
var errTakenByPerson error = byPerson{agentloop.ErrTakeover}

type byPerson struct{ error }

func (p byPerson) Error() string { return "a person has taken the phone over" }

func (p byPerson) Unwrap() error { return p.error }

// texts are the questions that people get at a takeover, and the answers for the model, in one
// language.
type texts struct {
	Locked, Secure, Wanted string
	Handed                 string // requested by a program
	Done, NoReason         string // defaults for an empty answer
	Secret                 string // a format for the placeholder
	Key                    string // in the place of words about a key of a secret
}

var textsIn = words.Of[texts]("runs")

// saysOf is the question of a takeover by a person or by a program.
func saysOf(person bool) func(lang string) string {
	return func(lang string) string {
		if person {
			return textsIn(lang).Wanted
		}
		return textsIn(lang).Handed
	}
}

// personalMode returns the mode for a question that only a person can settle in a run with these
// settings: the steps of its reply mode at which a person answers, or else the client. A client
// that shows its user forms does so first.
func personalMode(set Settings) channel.Mode {
	steps, err := set.ReplyMode.Steps()
	steps = slices.DeleteFunc(steps, func(s channel.Step) bool { return !s.Person })
	mode := channel.PassToClient
	if err == nil && len(steps) > 0 {
		mode = channel.Of(steps)
	}
	if set.Forms && mode.Is(channel.PassToClient) {
		return channel.Elicit + " -> " + mode
	}
	return mode
}
