package dialect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// gelab is the dialect of gelab-zero: one user message with the rules, the situation, the picture and the form of the
// answer; replies of a thought in tags and one line of TAB-separated fields; points as integers from 0 to 1000.
type gelab struct {
	opts  Options
	words *gelabWords
}

func newGelab(o Options) *gelab {
	if o.Lang == "en" {
		return &gelab{o, &gelabEnglish}
	}
	return &gelab{o, &gelabChinese}
}

func (g *gelab) Name() string { return "gelab" }

func (g *gelab) Lang() string { return g.opts.Lang }

// Limits of texts from elsewhere, in characters, and of how many are shown.
const (
	maxTask   = 8000
	maxSaid   = 4000 // a question, an answer, the summary
	maxNote   = 2000
	maxListed = 40 // of exchanges, of remembered texts, of notes
)

// gelabImage is the size that gelab-zero was trained on.
var gelabImage = screen.Size{W: 728, H: 728}

func (g *gelab) Prompt(s Situation) ([]Message, error) {
	if s.Frame == nil {
		return nil, errors.New("prompting: there is no frame to decide from")
	}
	jpeg, err := g.opts.picture(s.Frame, gelabImage)
	if err != nil {
		return nil, fmt.Errorf("prompting: %w", err)
	}
	return []Message{{Role: "user", Parts: []Part{
		{Text: g.words.rules() + "\n\n" + g.situation(&s)},
		{JPEG: jpeg},
		{Text: g.words.form},
	}}}, nil
}

// situation is the prompt's second part: the task, what was asked and answered, what was done and noted.
func (g *gelab) situation(s *Situation) string {
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
	list(&b, w, w.notes, s.Notes, func(t string) string { return oneLine(t, maxNote, w.cut) })
	b.WriteString("\n" + w.screen)
	return b.String()
}

// exchanges writes what was asked so far, and the newest reply by itself, with the task, when it has just come.
func (g *gelab) exchanges(b *strings.Builder, s *Situation) {
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
	return strings.NewReplacer("{q}", g.quote(e.Question, maxSaid), "{a}", g.quote(e.Answer, maxSaid)).Replace(form)
}

// list writes the newest of the items under a heading, or nothing when there are none.
func list[T any](b *strings.Builder, w *gelabWords, heading string, items []T, word func(T) string) {
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

func (g *gelab) quote(s string, limit int) string { return quote(s, limit, g.words.cut) }

func (g *gelab) Repair(r Reply, err error) []Message {
	const shown = 2000
	var again []Message
	if said := strings.TrimSpace(r.Text); said != "" {
		said, _ = shorten(said, shown)
		again = append(again, Message{Role: "assistant", Parts: []Part{{Text: said}}})
	}
	text := strings.Replace(g.words.repair, "{problem}", g.problem(err), 1) + "\n\n" + g.words.form
	return append(again, Message{Role: "user", Parts: []Part{{Text: text}}})
}

// problem words why a reply was refused. What was expected has TABs of its own, which stay.
func (g *gelab) problem(err error) string {
	var parse *ParseError
	if errors.As(err, &parse) {
		return (&ParseError{oneLine(parse.Problem, maxNote, g.words.cut), parse.Want}).Error()
	}
	return oneLine(err.Error(), maxNote, g.words.cut)
}
