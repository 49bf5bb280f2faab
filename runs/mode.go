package runs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/inquiry"
)

// ReplyMode says who answers the questions of a run: one door, or several that have their turn one after the other, for example
// "elicit -> pass_to_client" or "manual_reply (60s) -> auto_reply". The time is how long a door has its turn; left out, it is
// Options.Attention, and the last one has it for as long as the question is open. Whoever answers first wins, through whichever
// door, also one whose turn is over or has not come. ParseReplyMode gives the canonical text.
type ReplyMode string

// The reply modes with one door.
const (
	PassToClient ReplyMode = "pass_to_client" // the run waits for an answer from outside
	Elicit       ReplyMode = "elicit"         // the client that waits for the run shows its user a form
	ManualReply  ReplyMode = "manual_reply"   // the person at the console answers
	AutoReply    ReplyMode = "auto_reply"     // a model answers
	NoReply      ReplyMode = "no_reply"       // the run is told to go on without
)

// replyModes are all that have one door.
var replyModes = []ReplyMode{PassToClient, Elicit, ManualReply, AutoReply, NoReply}

// Elsewhere reports whether somebody other than the client is being asked, while this door has its turn.
func (m ReplyMode) Elsewhere() bool { return m == ManualReply || m == AutoReply || m == NoReply }

// turn is one door of a reply mode.
type turn struct {
	door ReplyMode
	time time.Duration // 0: not said
}

const maxTurn = 24 * time.Hour

// ParseReplyMode reads a reply mode and gives its canonical text; "" is PassToClient.
func ParseReplyMode(text string) (ReplyMode, error) {
	turns, err := turnsOf(ReplyMode(text))
	if err != nil {
		return "", err
	}
	var parts []string
	for _, t := range turns {
		part := string(t.door)
		if t.time > 0 {
			part += " (" + t.time.String() + ")"
		}
		parts = append(parts, part)
	}
	return ReplyMode(strings.Join(parts, " -> ")), nil
}

// Doors are the reply modes with one door of which m consists; nil when it cannot be read.
func (m ReplyMode) Doors() []ReplyMode {
	turns, err := turnsOf(m)
	if err != nil {
		return nil
	}
	var doors []ReplyMode
	for _, t := range turns {
		doors = append(doors, t.door)
	}
	return doors
}

func turnsOf(m ReplyMode) ([]turn, error) {
	if strings.TrimSpace(string(m)) == "" {
		m = PassToClient
	}
	var turns []turn
	for part := range strings.SplitSeq(strings.ReplaceAll(string(m), "→", "->"), "->") {
		t, err := parseTurn(part)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(turns, func(other turn) bool { return other.door == t.door }) {
			return nil, invalid("name each door once", "the reply mode %q has %s twice", brief(string(m)), t.door)
		}
		if len(turns) > 0 && turns[len(turns)-1].door == NoReply {
			return nil, invalid("put no_reply at the end", "in the reply mode %q nothing can come after %s", brief(string(m)), NoReply)
		}
		turns = append(turns, t)
	}
	return turns, nil
}

func parseTurn(text string) (turn, error) {
	name, rest, timed := strings.Cut(strings.TrimSpace(text), "(")
	t := turn{door: ReplyMode(strings.TrimSpace(name))}
	if !slices.Contains(replyModes, t.door) {
		return t, invalid(fmt.Sprintf("use one of %v, or several like %q", replyModes, "manual_reply (60s) -> auto_reply"),
			"unknown reply mode %q", brief(string(t.door)))
	}
	if !timed {
		return t, nil
	}
	words, ok := strings.CutSuffix(rest, ")")
	words = strings.ReplaceAll(words, " ", "")
	if words != "" && strings.Trim(words, "0123456789") == "" {
		words += "s"
	}
	d, err := time.ParseDuration(strings.TrimSuffix(words, "in")) // "2 min"
	if !ok || err != nil || d < time.Second || d > maxTurn {
		return t, invalid("write a time from 1s to 24h, for example manual_reply (60s)", "the time %q of %s cannot be used", brief(rest), t.door)
	}
	t.time = d
	return t, nil
}

// brief is a text of somebody else's in a message.
func brief(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// put says through which doors the question goes, and what silence leads to, when it is asked now.
func (f *Manager) put(q *inquiry.Question, m ReplyMode) error {
	turns, err := turnsOf(m)
	if err != nil {
		return err
	}
	at := time.Now()
	for i, t := range turns {
		d := inquiry.Door{Name: string(t.door)}
		last := i == len(turns)-1
		if t.time == 0 {
			t.time = f.attention
		}
		if q.AttentionUntil = at.Add(t.time); !last {
			d.Until = q.AttentionUntil.UTC().Truncate(time.Millisecond)
		}
		if last && t.door == NoReply {
			q.AttentionUntil, q.OnTimeout = at, inquiry.GoOn
		}
		q.Doors = append(q.Doors, d)
		at = q.AttentionUntil
	}
	for _, name := range f.opts.Doors {
		q.Doors = append(q.Doors, inquiry.Door{Name: name})
	}
	return nil
}
