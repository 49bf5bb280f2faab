package story

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/words"
)

// Words are the texts of a run's story in one language.
type Words struct {
	texts
	*export.Ends
}

// texts are those of the story, in one language.
type texts struct {
	Session, Model           string // where the run is: an id on a phone, and what that phone is
	Now                      string // the step of the status line
	Ready, Look, Think, Act  string // the phase of a step
	Check, Note              string // before an action is carried out, and after
	Queue, Away              string
	Exchange, Unanswered     string // the outcome of a question, with an answer and without
	Warning                  string // before one of the run's warnings
	Replayed                 string
	Done, Ended              string // how a run stands, after what it spent
	Steps, OneStep, Tokens   string
	Seconds, Minutes, Waited string
	Comma                    string
	Verified, Contradicted   string // in front of what the end was held against
	Try, Shows               string // in front of what to do, and of the command that shows the run

	// by stop reason or code, in front of an error, whose own words are English, so there are none
	// in English
	InFront map[string]string
}

var textsIn = words.Of[texts]("story")

// In returns the words in the language that fits best.
func In(lang string) Words {
	return Words{*textsIn(lang), export.EndsIn(lang)}
}

// Why is why a run ended or rests, or "" where its state says all.
func (w Words) Why(reason string) string {
	return cmp.Or(w.Reasons[agentloop.StopReason(reason)], w.InFront[reason])
}

// Count is a number of steps.
func (w Words) Count(n int) string {
	if n == 1 {
		return w.OneStep
	}
	return fmt.Sprintf(w.Steps, n)
}

// spent is what a run took: time, steps and tokens.
func (w Words) spent(u store.Usage) string {
	said := []string{w.Span(u.Work()) + w.Waiting(u), w.Count(u.Steps)}
	if n := u.PromptTokens + u.CompletionTokens; n > 0 {
		said = append(said, fmt.Sprintf(w.Tokens, thousands(n)))
	}
	return strings.Join(said, w.Comma)
}

// Waiting is how long a run waited for answers, behind the time of its work; "" for hardly at all.
func (w Words) Waiting(u store.Usage) string {
	if u.Asked < 100*time.Millisecond {
		return ""
	}
	return fmt.Sprintf(w.Waited, w.Span(u.Asked))
}

// Span is a duration: to a tenth of a second as long as that matters.
func (w Words) Span(d time.Duration) string {
	if d < 10*time.Second-50*time.Millisecond {
		return fmt.Sprintf(w.Seconds, strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(),
			'f', -1, 64))
	}
	s := int(d.Round(time.Second) / time.Second)
	if s < 60 {
		return fmt.Sprintf(w.Seconds, strconv.Itoa(s))
	}
	return fmt.Sprintf(w.Minutes, s/60, s%60)
}

// Parts lists the parts of a time that took any.
func (w Words) Parts(t agentloop.Timing) string {
	var list []string
	for _, p := range t.Parts() {
		if d := p.Time.Round(time.Millisecond); d > 0 {
			list = append(list, words.Phrase(w.Lang, p.Name)+" "+d.String())
		}
	}
	return strings.Join(list, w.Comma)
}

// thousands is a large number in few digits: 950, 1.2k, 12k, 3.4M.
func thousands(n int) string {
	f, unit := float64(n), ""
	switch {
	case n >= 999_500:
		f, unit = f/1e6, "M"
	case n >= 1000:
		f, unit = f/1e3, "k"
	}
	if unit == "" || f >= 9.95 {
		return strconv.FormatFloat(f, 'f', 0, 64) + unit
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + unit
}
