package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

// view is what is on the screen: the board, what is chosen on it, and what is typed. Its methods
// are called by one goroutine.
type view struct {
	lang  string
	words *texts
	said  story.Words
	paint tty.Painter

	board  *Board // nil until the first was read
	chosen string // the id of a question or a session, or a phone's behind "phone "
	single bool   // only the chosen task is shown, with its steps
	note   string // what came of the last thing done
	sure   string // the session that is about to be stopped
	typing *typing
}

// typing is an answer that is being typed.
type typing struct {
	question string // its id
	prompt   string
	typed    []string // characters
	secret   bool
}

// rows are lines of the board, and the things that can be chosen with the line they begin at.
type rows struct {
	lines []string
	ids   []string
	at    map[string]int
}

// phone begins the id of a chosen phone. No other id has a space.
const phone = "phone "

// lines are the whole screen.
func (v *view) lines(columns, height int) []string {
	foot, more := v.foot(columns, height), ""
	body := rows{at: map[string]int{}}
	switch t, ok := v.task(v.chosen); {
	case v.board == nil:
		body.lines = []string{v.words.Loading}
	case v.single && ok:
		v.one(&body, t, columns)
	default:
		body = v.all(columns)
	}
	room := max(height-len(foot)-2, 1)
	// the chosen one is always to be seen
	at := body.at[v.chosen]
	first := min(max(at+2-room, 0), at, max(len(body.lines)-room, 0))
	if below := len(body.lines) - first - room; below > 0 {
		more = fmt.Sprintf(" ↓ %d", below)
	}
	rule := strings.Repeat("─", max(columns-ansi.StringWidth(more), 0)) + more
	body.lines = body.lines[first:min(first+room, len(body.lines))]
	for len(body.lines) < room {
		body.lines = append(body.lines, "")
	}
	return slices.Concat([]string{v.head(columns)}, body.lines,
		[]string{v.paint.Paint(tty.Faint, rule)}, foot)
}

func (v *view) head(columns int) string {
	head := v.paint.Paint(tty.Strong, v.words.Title)
	if v.board == nil {
		return head
	}
	running := 0
	for _, t := range v.board.Tasks {
		if !t.State.Terminal() && t.State != store.Paused {
			running++
		}
	}
	counts := fmt.Sprintf(v.words.Counts, running, len(v.board.Questions))
	return spread(head+"  "+counts, v.board.At.Local().Format(time.TimeOnly), columns)
}

// all is the list of everything.
func (v *view) all(columns int) rows {
	b, body := v.board, &rows{at: map[string]int{}}
	at := slices.IndexFunc(b.Tasks, func(t Task) bool { return t.State.Terminal() })
	if at < 0 {
		at = len(b.Tasks)
	}
	v.part(body, v.words.Waiting, len(b.Questions))
	for _, q := range b.Questions {
		place := ""
		if t, ok := v.task(q.SessionID); ok {
			place = t.Phone + "  "
		}
		mark := v.paint.Paint(tty.Asks, "?")
		v.choice(body, q.ID, spread(mark+" "+text.Line(q.In(v.lang).Text),
			place+v.said.Span(b.At.Sub(q.AskedAt)), columns-2))
	}
	v.part(body, v.words.Running, at)
	for _, t := range b.Tasks[:at] {
		v.choice(body, t.Session, spread(fmt.Sprintf("%s  %s  %s", v.place(t), v.stands(t),
			v.last(t)), v.said.Span(b.At.Sub(t.Begun)), columns-2))
		body.lines = append(body.lines, v.paint.Paint(tty.Faint,
			"    "+ansi.Truncate(text.Line(t.Title), max(columns-4, 1), text.Ellipsis)))
	}
	if len(b.Questions)+at == 0 {
		body.lines = append(body.lines, "", v.words.Quiet)
	}
	v.phones(body, b.Tasks[:at])
	v.part(body, v.words.Recent, len(b.Tasks)-at)
	for _, t := range b.Tasks[at:] {
		v.choice(body, t.Session, spread(v.outcome(t)+" "+text.Line(t.Title),
			v.place(t)+"  "+v.said.Span(t.Ended.Sub(t.Begun)), columns-2))
	}
	return *body
}

// phones are those on which nothing runs. They can be chosen, so that the list goes on to them.
func (v *view) phones(body *rows, running []Task) {
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(v.board.Phones)), func(id string) bool {
		return slices.ContainsFunc(running, func(t Task) bool { return t.Phone == id })
	})
	v.part(body, v.words.Phones, len(free)+len(v.board.Trouble))
	for _, id := range free {
		state := v.board.Phones[id]
		v.choice(body, phone+id,
			text.Line(id)+"  "+cmp.Or(v.words.PhoneStates[state], text.Line(state)))
	}
	if v.board.Trouble != "" {
		v.choice(body, phone, text.Line(v.board.Trouble))
	}
}

// one is a single task with its last steps.
func (v *view) one(body *rows, t Task, columns int) {
	put := func(label, words string) {
		if words = text.Line(words); words != "" {
			body.lines = append(body.lines, strings.Split(strings.TrimSuffix(
				tty.Wrap(label, words, columns), "\n"), "\n")...)
		}
	}
	body.lines = append(body.lines, "")
	put(v.words.Task, t.Title)
	put(v.words.Phone, v.place(t)+"  "+v.stands(t))
	put(v.words.Answer, t.Answer)
	put(v.words.Why, v.said.Why(t.Why))
	body.lines = append(body.lines, "")
	for _, s := range t.Steps {
		put(v.paint.Paint(s.Mark.Tone, fmt.Sprintf("%s %2d ", s.Mark.Text, s.Index)), s.Said)
	}
	body.at[t.Session] = len(body.lines) // the newest are to be seen
}

// part begins a part of the list, if anything is in it.
func (v *view) part(body *rows, title string, n int) {
	if n > 0 {
		body.lines = append(body.lines, "", v.paint.Paint(tty.Strong, title))
	}
}

// choice adds a line that can be chosen.
func (v *view) choice(body *rows, id, line string) {
	pointer := "  "
	if id == v.chosen {
		pointer = v.paint.Paint(tty.Strong, "› ")
	}
	body.ids, body.at[id] = append(body.ids, id), len(body.lines)
	body.lines = append(body.lines, pointer+line)
}

// foot is what is typed, what came of it, and the keys.
func (v *view) foot(columns, height int) []string {
	var foot []string
	keys := v.words.Keys
	switch {
	case v.typing != nil:
		keys = v.words.TypeKeys
		prompt := strings.Trim(text.Lines(v.typing.prompt), "\n")
		foot = strings.Split(ansi.Wrap(prompt, columns, ""), "\n")
		foot = foot[max(len(foot)-height/2, 0):]
		typed := strings.Join(v.typing.typed, "")
		if v.typing.secret && typed != "" {
			typed = v.words.Hidden
		}
		for w := ansi.StringWidth(typed); w > columns-4; w = ansi.StringWidth(typed) {
			typed = ansi.TruncateLeft(typed, w-columns+6, text.Ellipsis)
		}
		foot = append(foot, "> "+typed+"▏")
	case v.sure != "":
		foot, keys = []string{v.paint.Paint(tty.Asks, v.words.Sure)}, ""
	case v.single:
		keys = v.words.OneKeys
	}
	if v.note != "" && v.typing == nil && v.sure == "" {
		foot = append(foot, text.Line(v.note))
	}
	return append(foot, v.paint.Paint(tty.Faint, keys))
}

func (v *view) task(session string) (Task, bool) {
	if v.board == nil {
		return Task{}, false
	}
	i := slices.IndexFunc(v.board.Tasks, func(t Task) bool { return t.Session == session })
	if i < 0 {
		return Task{}, false
	}
	return v.board.Tasks[i], true
}

// place is where a task runs.
func (v *view) place(t Task) string { return cmp.Or(text.Line(t.Phone), v.words.Host) }

// stands is how far a task is.
func (v *view) stands(t Task) string {
	switch {
	case t.State != store.Running:
		return v.said.States[t.State]
	case t.Taken == 0:
		return v.words.Begins
	case t.Most == 0:
		return fmt.Sprintf(v.words.Step, t.Taken)
	}
	return fmt.Sprintf(v.words.StepOf, t.Taken, t.Most)
}

// last is what a task did last.
func (v *view) last(t Task) string {
	if len(t.Steps) == 0 {
		return ""
	}
	return text.Line(t.Steps[len(t.Steps)-1].Said)
}

func (v *view) outcome(t Task) string {
	if t.State == store.Completed {
		return v.paint.Paint(tty.Good, "✓")
	}
	return v.paint.Paint(tty.Bad, "✗") + " " + v.said.States[t.State]
}

// spread is a line with words at both ends. Those at the left are cut where both do not fit.
func spread(left, right string, columns int) string {
	room := columns - ansi.StringWidth(right) - 2
	left = ansi.Truncate(left, max(room, 1), text.Ellipsis)
	gap := max(columns-ansi.StringWidth(left)-ansi.StringWidth(right), 2)
	return left + strings.Repeat(" ", gap) + right
}
