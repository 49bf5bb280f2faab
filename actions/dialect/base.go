package dialect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
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
}

// Made is what a family is made of.
type Made struct {
	Profile  Profile
	Template *Template // in the options' language; its block form is how a reply has to look
	Abort    string    // what the family calls giving up
	Thinking [2]string // what stands around a thought; none means <think> and </think>
	Tools    []Tool
	Keyed    bool // x and y of a place have names, so that their order says nothing
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
	return Base{p, m.Template, prompt, WordsIn(o.Lang), o.Quality, m.Abort, m.Thinking, m.Tools,
		m.Keyed}
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

// messages are those of the prompt; shown says that the screen to decide from is among them.
func (b *Base) messages(s *Situation) (list []Message, shown bool, err error) {
	album := &album{fit: b.profile.Fit, quality: b.quality}
	list, err = b.prompt.messages(b.variables(s, album), album)
	return list, album.shown, err
}

// shownReply is how many characters of a reply are shown again to the model.
const shownReply = 2000

// Repair implements Dialect: what the model said, as far as it is not empty, then what was wrong
// with it and the form that is wanted.
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

// problem words why a reply was refused. What was expected may have TABs of its own, which stay.
func (b *Base) problem(err error) string {
	parse, ok := errors.AsType[*ParseError](err)
	if !ok {
		return OneLine(err.Error(), maxNote, b.words.cut)
	}
	return (&ParseError{Problem: OneLine(parse.Problem, maxNote, b.words.cut),
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
