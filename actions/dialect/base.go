package dialect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/text"
)

// Base is what the families share: a prompt made from a template, the way in which a model is asked
// again, and the record of a reply. A family embeds one and adds its Parse.
type Base struct {
	profile  Profile
	own      *Template // the family's, with its block form
	prompt   *Template // the one in use
	words    *Words
	quality  int
	abort    string
	thinking [2]string
	tools    []Tool
	keyed    bool
	boxes    boxOrder
	forms    Forms
	corner   bool
}

// Made is what a family is made of.
type Made struct {
	Profile  Profile
	Template *Template // in the options' language. Its block form shows the form of a reply
	Abort    string    // what the family calls giving up
	Thinking [2]string // the tags around a thought, <think> and </think> if empty
	Tools    []Tool
	Keyed    bool // x and y of a place have names, so that their order says nothing
	Boxes    bool // the prompt says how a box_2d is written, with x in front
	Corner   bool // of a box its first corner is the place, and not its centre
	Forms    Forms
}

// NewBase is m as the options, with their defaults filled in, want it.
func NewBase(o Options, m Made) Base {
	p := m.Profile
	p.Lang = o.Lang
	if o.Fit != nil {
		p.Fit = *o.Fit
	}
	if o.Coordinates != nil {
		p.Coordinates = *o.Coordinates
	}
	if m.Thinking[0] == "" {
		m.Thinking = [2]string{"<think>", "</think>"}
	}
	prompt := m.Template
	if o.Template != nil {
		prompt = o.Template
	}
	boxes := boxesOf(o.Model)
	if m.Boxes && boxes == unsaid {
		boxes = xFirst
	}
	return Base{p, m.Template, prompt, wordsIn(o.Lang), o.Quality, m.Abort, m.Thinking, m.Tools,
		m.Keyed, boxes, m.Forms, m.Corner}
}

// Profile implements Dialect.
func (b *Base) Profile() Profile { return b.profile }

// Scale is how the model writes places on the screen of s.
func (b *Base) Scale(s *Situation) Scale {
	scale := Scale{Coordinates: b.profile.Coordinates}
	if s.Screen.Frame != nil {
		scale.Picture = b.profile.Fit.Size(s.Screen.Frame.Size())
		scale.Marks = b.marks(s, scale.Picture)
	}
	return scale
}

// Prompt implements Dialect.
func (b *Base) Prompt(s Situation) (Request, error) {
	if s.Screen.Frame == nil {
		return Request{}, errors.New("prompting: there is no frame to decide from")
	}
	messages, shown, err := b.messages(&s)
	if err == nil && !shown {
		err = hint.Add(errors.New("the template does not show .Picture in this step"),
			"show it in every step, whatever else a step has: taploop prompt check FILE")
	}
	if err != nil {
		return Request{}, fmt.Errorf("prompting: %w", err)
	}
	return Request{Messages: messages, Tools: b.tools}, nil
}

// messages returns the messages of the prompt. shown says that the current screen is among them.
func (b *Base) messages(s *Situation) (list []Message, shown bool, err error) {
	album := &album{fit: b.profile.Fit, quality: b.quality}
	list, err = b.prompt.messages(b.variables(s, album), album)
	return list, album.shown, err
}

// shownReply is how many characters of a reply are shown again to the model.
const shownReply = 2000

// Repair implements Dialect. It repeats the model's reply, unless that was empty, and adds the
// problem and the wanted form.
func (b *Base) Repair(r actions.Reply, err error) []Message {
	var again []Message
	if said := strings.TrimSpace(r.Text + calls(r)); said != "" {
		said, _ = Shorten(said, shownReply)
		again = append(again, message("assistant", said))
	}
	return append(again, message("user", b.words.Repair(b.problem(err))+"\n\n"+b.own.form))
}

func message(role, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text}}}
}

// problem words why a reply was refused. TABs in the expected form are kept.
func (b *Base) problem(err error) string {
	parse, ok := errors.AsType[*ParseError](err)
	if !ok {
		return oneLine(err.Error(), maxNote, b.words.Cut)
	}
	return (&ParseError{Problem: oneLine(parse.Problem, maxNote, b.words.Cut),
		Want: parse.Want}).Error()
}

// Transcript implements Dialect: reasoning that the endpoint split off goes in front, as the
// thought that it is, and calls behind.
func (b *Base) Transcript(r actions.Reply) string {
	said := r.Text + calls(r)
	if r.Reasoning == "" {
		return said
	}
	return b.thinking[0] + strings.TrimSpace(r.Reasoning) + b.thinking[1] + said
}

// calls are a reply's native tool calls as text, a line each.
func calls(r actions.Reply) string {
	var b strings.Builder
	for _, c := range r.Calls {
		b.WriteString("\n" + c.Name + " " + c.Arguments)
	}
	return b.String()
}

// Args are arguments that stand behind a thought.
func (b *Base) Args(values loose.Object, thought string, now *Situation) *Args {
	return &Args{Values: snake(values), Scale: b.Scale(now), Thought: thought, Now: now,
		Lang: b.profile.Lang, boxes: b.boxes, corner: b.corner}
}

// marks returns the elements on the screen of s with the numbers that they have on its picture, or
// none if the dialect does not use numbers.
func (b *Base) marks(s *Situation, picture screen.Size) []marks.Mark {
	if !b.profile.Elements {
		return nil
	}
	return marks.List(s.Screen.Elements, picture)
}

// variables returns the prompt's variables for s, and puts the pictures into the album.
func (b *Base) variables(s *Situation, a *album) *Variables {
	scale := b.Scale(s)
	written := scale.Coordinates
	written.YFirst = written.YFirst && !b.keyed
	v := &Variables{
		Task: b.text(s.Task, maxTask), Summary: b.text(s.Summary, maxSaid),
		Remembered: b.texts(s.Remembered), Notes: b.texts(s.Notes),
		App: b.text(s.Screen.State.App, maxNote), Picture: a.add(s.Screen.Frame, scale.Marks...),
		Elements: b.words.Elements(scale.Marks),
		Date:     s.Screen.At.Format("2006-01-02"),
		Weekday:  b.words.Weekdays[s.Screen.At.Weekday()],
		Place:    b.words.Place(written, scale.Picture),
		Width:    scale.Picture.W, Height: scale.Picture.H, Lang: b.profile.Lang,
	}
	asked := s.Exchanges
	if last := len(asked) - 1; s.ReplyJustIn && last >= 0 {
		v.JustIn = b.exchange(asked[last])
		v.Steered = asked[last].Outcome == actions.Instructed
		asked = asked[:last]
	}
	again := 0
	for i, t := range s.History {
		past := b.past(&t, a)
		past.N = i + 1
		v.History = append(v.History, past)
		if past.JustIn != "" {
			again++
		}
	}
	v.Asked = newest(b, asked, b.exchange)
	v.Earlier = newest(b, asked[:max(len(asked)-again, 0)], b.exchange)
	return v
}

func (b *Base) exchange(e actions.Exchange) string {
	return b.words.Exchange(e, b.abort, maxSaid)
}

func (b *Base) past(t *Turn, a *album) Past {
	said, wrote := b.Transcript(t.Reply), thoughtless(t.Reply.Text)
	if b.profile.Elements {
		said, wrote = unnumbered(said, t.Did), unnumbered(wrote, t.Did)
	}
	said, _ = Shorten(said, maxTask)
	wrote, _ = Shorten(wrote, maxTask)
	past := Past{Notes: b.texts(t.Notes), App: b.text(t.App, maxNote), Said: raw(said),
		Wrote: raw(wrote), Did: b.text(t.Did, maxNote)}
	if t.Frame != nil {
		past.Picture = a.add(t.Frame)
	}
	if t.Answer != nil {
		past.JustIn = b.exchange(*t.Answer)
	}
	return past
}

// text is s with the middle left out, and a word about it, when it is too long.
func (b *Base) text(s string, limit int) Text {
	s, cut := Shorten(s, limit)
	return Text(s + leftOut(b.words.Cut, cut))
}

func (b *Base) texts(all []string) []Text {
	return newest(b, all, func(s string) Text { return b.text(s, maxNote) })
}

// newest returns the end of a list in words. A word about the omitted part comes first.
func newest[From any, To ~string](b *Base, all []From, word func(From) To) []To {
	var out []To
	if n := len(all) - maxListed; n > 0 {
		out, all = append(out, To(fmt.Sprintf(b.words.Earlier, n))), all[n:]
	}
	return append(out, text.Each(all, word)...)
}
