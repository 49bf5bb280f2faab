package channel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// Mode says who answers the questions of a run: one channel, or several that have their turn one
// after the other, for example "elicit -> pass_to_client" or "manual_reply (60s) -> auto_reply".
// The time is how long a channel is in turn; the last one is for as long as the question is
// open. The first answer wins, through whichever channel, even one whose turn is over or has not
// come. A channel may have a short name, for example "manual -> auto"; [Parse] gives the canonical
// text.
type Mode string

// Step is the turn of one channel.
type Step struct {
	Channel
	Time time.Duration // 0: not said
}

// The times that a turn may have.
const (
	shortest = time.Second
	longest  = 24 * time.Hour
)

// most is how many characters of somebody else's words are in a message.
const most = 80

// Parse reads a reply mode and gives its canonical text; "" is PassToClient. An error has a hint.
func Parse(mode string) (Mode, error) {
	steps, err := Mode(mode).Steps()
	if err != nil {
		return "", err
	}
	return Of(steps), nil
}

// Of is the canonical text of a mode with these steps.
func Of(steps []Step) Mode {
	var parts []string
	for _, s := range steps {
		part := s.Name
		if s.Time > 0 {
			part += " (" + s.Time.String() + ")"
		}
		parts = append(parts, part)
	}
	return Mode(strings.Join(parts, " -> "))
}

// Steps are the steps of the mode.
func (m Mode) Steps() ([]Step, error) {
	if strings.TrimSpace(string(m)) == "" {
		m = PassToClient
	}
	var steps []Step
	for part := range strings.SplitSeq(strings.ReplaceAll(string(m), "→", "->"), "->") {
		s, err := parseStep(part)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(steps, func(other Step) bool { return other.Name == s.Name }) {
			return nil, bad("name each channel once", "the reply mode %q has %s twice",
				text.Cut(string(m), most), s.Name)
		}
		if n := len(steps); n > 0 && steps[n-1].Last {
			return nil, bad(fmt.Sprintf("put %s at the end", steps[n-1].Name),
				"in the reply mode %q nothing can come after %s", text.Cut(string(m), most),
				steps[n-1].Name)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// Is reports whether the mode is this one channel, however its time is written.
func (m Mode) Is(one Mode) bool {
	steps, err := m.Steps()
	return err == nil && len(steps) == 1 && steps[0].Name == string(one)
}

// Has reports whether the mode has the channel among its steps.
func (m Mode) Has(one Mode) bool {
	steps, err := m.Steps()
	return err == nil &&
		slices.ContainsFunc(steps, func(s Step) bool { return s.Name == string(one) })
}

// Personal reports whether a person is asked at every step.
func (m Mode) Personal() bool {
	steps, err := m.Steps()
	return err == nil && !slices.ContainsFunc(steps, func(s Step) bool { return !s.Person })
}

func parseStep(words string) (Step, error) {
	name, rest, timed := strings.Cut(strings.TrimSpace(words), "(")
	name = strings.TrimSpace(name)
	s := Step{Channel: step(name)}
	if !s.Step {
		var names []string
		for _, c := range Steps() {
			names = append(names, c.Name)
		}
		return s, bad(
			fmt.Sprintf("use one of %v, or several like %q", names,
				"manual_reply (60s) -> auto_reply"),
			"unknown reply mode %q", text.Cut(name, most))
	}
	if !timed {
		return s, nil
	}
	after, ok := strings.CutSuffix(strings.ToLower(rest), ")")
	after = strings.ReplaceAll(after, " ", "")
	if after != "" && strings.Trim(after, "0123456789") == "" {
		after += "s"
	}
	d, err := time.ParseDuration(strings.TrimSuffix(after, "in")) // "2 min"
	if !ok || err != nil || d < shortest || d > longest {
		return s, bad("write a time from 1s to 24h, for example manual_reply (60s)",
			"the time %q of %s cannot be used", text.Cut(rest, most), name)
	}
	s.Time = d
	return s, nil
}

func bad(remedy, format string, args ...any) error {
	return hint.Add(fmt.Errorf(format, args...), remedy)
}
