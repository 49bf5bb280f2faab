// Package gelab is the dialect of gelab-zero: one user message with the rules, the situation, the
// picture and the form of the answer; replies of a thought in tags and one line of TAB-separated
// fields; points as integers from 0 to 1000.
package gelab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// gelab is the dialect.
type gelab struct {
	opts  dialect.Options
	words *words
}

// New returns the dialect; its options have their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	if o.Lang == "en" {
		return &gelab{o, &english}
	}
	return &gelab{o, &chinese}
}

// Profile implements dialect.Dialect. The model's own summary is its only memory: it is shown no
// former turns.
func (g *gelab) Profile() dialect.Profile {
	return dialect.Profile{Name: "gelab", Lang: g.opts.Lang}
}

// Limits of texts from elsewhere, in characters, and of how many are shown.
const (
	maxTask   = 8000
	maxSaid   = 4000 // a question, an answer, the summary
	maxNote   = 2000
	maxListed = 40 // of exchanges, of remembered texts, of notes
)

// usualImage is the size that gelab-zero was trained on.
var usualImage = screen.Size{W: 728, H: 728}

// Prompt implements dialect.Dialect.
func (g *gelab) Prompt(s dialect.Situation) (dialect.Request, error) {
	if s.Look.Frame == nil {
		return dialect.Request{}, errors.New("prompting: there is no frame to decide from")
	}
	jpeg, err := g.opts.Picture(s.Look.Frame, usualImage)
	if err != nil {
		return dialect.Request{}, fmt.Errorf("prompting: %w", err)
	}
	return dialect.Request{Messages: []dialect.Message{{Role: "user", Parts: []dialect.Part{
		{Text: g.words.rules() + "\n\n" + g.situation(&s)},
		{JPEG: jpeg},
		{Text: g.words.form},
	}}}}, nil
}

// situation is the prompt's second part: the task, what was asked and answered, what was done and
// noted.
func (g *gelab) situation(s *dialect.Situation) string {
	w := g.words
	var b strings.Builder
	b.WriteString(w.quoting + "\n\n" + w.task + g.quote(s.Task, maxTask) + "\n")
	g.exchanges(&b, s)
	b.WriteString("\n" + w.history)
	if s.Summary == "" {
		b.WriteString(w.noHistory + "\n")
	} else {
		b.WriteString(g.quote(s.Summary, maxSaid) + "\n")
	}
	list(&b, w, w.remembered, s.Remembered, func(t string) string { return g.quote(t, maxNote) })
	list(&b, w, w.notes, s.Notes, g.oneLine)
	b.WriteString("\n" + w.screen)
	return b.String()
}

// exchanges writes what was asked so far, and the newest reply by itself, with the task, when it
// has just come.
func (g *gelab) exchanges(b *strings.Builder, s *dialect.Situation) {
	old := s.Exchanges
	if s.ReplyJustIn && len(old) > 0 {
		old = old[:len(old)-1]
	}
	list(b, g.words, g.words.asked, old, g.exchange)
	if len(old) < len(s.Exchanges) {
		newest := s.Exchanges[len(old)]
		b.WriteString("\n" + g.words.justIn + g.exchange(newest))
		b.WriteString(g.words.goOn + g.quote(s.Task, maxTask) + g.words.stop + "\n")
	}
}

func (g *gelab) exchange(e actions.Exchange) string {
	form, ok := g.words.outcomes[e.Outcome]
	if !ok {
		form = g.words.unknown
	}
	question, answer := g.quote(e.Question, maxSaid), g.quote(e.Answer, maxSaid)
	return strings.NewReplacer("{q}", question, "{a}", answer).Replace(form)
}

// list writes the newest of the items under a heading, or nothing when there are none.
func list[T any](b *strings.Builder, w *words, heading string, items []T, word func(T) string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n" + heading + "\n")
	if n := len(items) - maxListed; n > 0 {
		b.WriteString(fmt.Sprintf(w.earlier, n) + "\n")
		items = items[n:]
	}
	for i, t := range items {
		b.WriteString(strconv.Itoa(i+1) + ". " + word(t) + "\n")
	}
}

func (g *gelab) quote(s string, limit int) string { return dialect.Quote(s, limit, g.words.cut) }

func (g *gelab) oneLine(s string) string { return dialect.OneLine(s, maxNote, g.words.cut) }

// Repair implements dialect.Dialect.
func (g *gelab) Repair(r actions.Reply, err error) []dialect.Message {
	const shown = 2000
	var again []dialect.Message
	if said := strings.TrimSpace(r.Text); said != "" {
		said, _ = dialect.Shorten(said, shown)
		again = append(again, message("assistant", said))
	}
	problem := strings.Replace(g.words.repair, "{problem}", g.problem(err), 1)
	return append(again, message("user", problem+"\n\n"+g.words.form))
}

func message(role, text string) dialect.Message {
	return dialect.Message{Role: role, Parts: []dialect.Part{{Text: text}}}
}

// Transcript implements dialect.Dialect: reasoning that the endpoint split off goes in front, as
// the thought that it is.
func (g *gelab) Transcript(r actions.Reply) string {
	if r.Reasoning == "" {
		return r.Text
	}
	return "<THINK> " + strings.TrimSpace(r.Reasoning) + " </THINK>\n" + r.Text
}

// problem words why a reply was refused. What was expected has TABs of its own, which stay.
func (g *gelab) problem(err error) string {
	var parse *dialect.ParseError
	if errors.As(err, &parse) {
		return (&dialect.ParseError{Problem: g.oneLine(parse.Problem), Want: parse.Want}).Error()
	}
	return g.oneLine(err.Error())
}
