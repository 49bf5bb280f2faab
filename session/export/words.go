package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/session"
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

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

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
	longest = 20_000
	longTag = 200 // of what is shown in one line
)

func bounded(s string) string { return cut(s, longest) }

func tag(s string) string { return cut(s, longTag) }

func cut(s string, most int) string {
	head, left := text.Head(strings.ToValidUTF8(s, "\uFFFD"), most)
	if left == 0 {
		return head
	}
	return fmt.Sprintf("%s\n[... %s more characters]", head, grouped(left))
}

// outcome is how a run stands, for people, with the tone in which it is shown.
func outcome(r session.Run) (words, tone string) {
	switch r.State {
	case session.Completed:
		return "Completed", "good"
	case session.Aborted:
		return "Given up", "bad"
	case session.Failed:
		return "Failed", "bad"
	case session.Cancelled:
		return "Stopped", "plain"
	case session.Expired:
		return "Expired", "plain"
	case session.WaitingReply:
		return "Waiting for a reply", "open"
	case session.Paused:
		return "Paused", "open"
	case session.Queued:
		return "Queued", "open"
	}
	return "Running", "open"
}

// answered is who an answer is from.
func answered(o actions.Outcome) string {
	switch o {
	case actions.Answered:
		return "answered by a person"
	case actions.Refused:
		return "a person chose not to answer"
	case actions.Silence:
		return "nobody answered in time"
	case actions.DefaultAnswer:
		return "nobody answered; this was agreed beforehand"
	case actions.ModelAnswer:
		return "answered by a model"
	case actions.NoReply:
		return "questions are switched off for this run"
	case actions.LimitReached:
		return "no more questions in this run"
	}
	return tag(string(o))
}

func bound(texts ...*string) {
	for _, s := range texts {
		*s = bounded(*s)
	}
}
