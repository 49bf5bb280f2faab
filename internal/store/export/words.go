package export

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// span is a duration for people.
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// grouped is a number with thin spaces between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
}

// The bounds of the page's texts, in characters: what a model or a person wrote may be huge.
const (
	longest   = 20_000
	longLabel = 200 // of a single line
)

func bounded(s string) string { return cut(s, longest) }

func label(s string) string { return cut(s, longLabel) }

func cut(s string, most int) string {
	head, left := text.Head(strings.ToValidUTF8(s, "\uFFFD"), most)
	if left == 0 {
		return head
	}
	return fmt.Sprintf("%s\n[... %s more characters]", head, grouped(left))
}

// outcome is how a run stands, for people, with the tone in which it is shown.
func outcome(r store.Run) (words, tone string) {
	o, known := outcomes[r.State]
	what, waits := strings.CutPrefix(string(r.State), "WAITING_")
	switch {
	case known:
		return o[0], o[1]
	case waits:
		return "Waiting for " + strings.ReplaceAll(strings.ToLower(what), "_", " "), "open"
	}
	return "Running", "open"
}

var outcomes = map[store.State][2]string{
	store.Completed:       {"Completed", "good"},
	store.Aborted:         {"Given up", "bad"},
	store.Failed:          {"Failed", "bad"},
	store.Cancelled:       {"Stopped", "plain"},
	store.Expired:         {"Expired", "plain"},
	store.WaitingReply:    {"Waiting for a reply", "open"},
	store.WaitingTakeover: {"Taken over by a person", "open"},
	store.Paused:          {"Paused", "open"},
	store.Queued:          {"Queued", "open"},
}

// answered is who an answer is from.
func answered(o actions.Outcome) string { return cmp.Or(answerers[o], label(string(o))) }

var answerers = map[actions.Outcome]string{
	actions.Answered:      "answered by a person",
	actions.Refused:       "a person chose not to answer",
	actions.Silence:       "nobody answered in time",
	actions.DefaultAnswer: "nobody answered; this was agreed beforehand",
	actions.ModelAnswer:   "answered by a model",
	actions.Remembered:    "a remembered answer of a person's",
	actions.Delegated:     "a person left it to the agent",
	actions.NoReply:       "questions are switched off for this run",
	actions.HandedBack:    "a person did it by hand on the phone",
	actions.CouldNot:      "a person had the phone and could not do it",
	actions.LimitReached:  "no more questions in this run",
	actions.Noted:         "said by the other side, unasked",
	actions.Instructed:    "a new instruction",
}

// boundAll cuts texts in their places.
func boundAll(texts ...*string) {
	for _, s := range texts {
		*s = bounded(*s)
	}
}
