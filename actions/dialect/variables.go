package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
)

// Variables are what a prompt's template may show. All of them have their values at every dialect.
type Variables struct {
	Task       Text
	Summary    Text     // the model's own account of what was done; only gelab's writes one
	Remembered []Text   // what the model noted, oldest first
	Notes      []Text   // what the model has to know in this step
	Asked      []string // in sentences: questions and what came of them, oldest first
	Earlier    []string // of Asked what came before the turns of History
	JustIn     string   // the newest answer, in a sentence; "" when the model has seen it
	Steered    bool     // JustIn is an instruction that goes before the task
	History    []Past   // former turns, oldest first, as many as the dialect keeps
	Picture    string   // the screen, where the picture is to stand
	App        Text     // package in front
	Date       string   // such as 2026-11-22
	Weekday    string   // in the prompt's language
	Place      string   // a sentence: how a place on the screen is written
	Width      int      // of the picture, in pixels
	Height     int
	Elements   []string // those that are numbered on the picture, a line each; often none
	Lang       string   // zh or en
}

// Past is a former turn.
type Past struct {
	N       int    // from 1
	Notes   []Text // that the model was shown
	JustIn  string // an answer that had just come, in a sentence; "" for none
	App     Text   // package that was in front
	Picture string // what the model saw; "" when it is not kept
	Said    Raw    // the model's reply with its thought
	Wrote   Raw    // the reply without it
	Did     Text   // what it did, in words
}

// Text is a text from elsewhere. It is shown on one line, so that nothing in it passes for a part
// of the prompt; {{quote .Task}} is it as a JSON string.
type Text string

func (t Text) String() string { return escape(strings.TrimSpace(string(t)), false) }

// Raw is a text of the model itself, shown as it was.
type Raw string

func (r Raw) String() string { return strings.ReplaceAll(string(r), mark, "") }

// Limits of texts from elsewhere, in characters, and of how many are shown.
const (
	maxTask   = 8000
	maxSaid   = 4000 // a question, an answer, the summary
	maxNote   = 2000
	maxListed = 40 // of exchanges, of remembered texts, of notes
)

// variables are those of s; pictures are put into the album.
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
		Weekday:  b.words.weekdays[s.Screen.At.Weekday()],
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
	past := Past{Notes: b.texts(t.Notes), App: b.text(t.App, maxNote), Said: Raw(said),
		Wrote: Raw(wrote), Did: b.text(t.Did, maxNote)}
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
	return Text(s + leftOut(b.words.cut, cut))
}

func (b *Base) texts(all []string) []Text {
	return newest(b, all, func(s string) Text { return b.text(s, maxNote) })
}

// newest is the end of a list in words, behind a word about what is left out.
func newest[From any, To ~string](b *Base, all []From, word func(From) To) []To {
	var out []To
	if n := len(all) - maxListed; n > 0 {
		out, all = append(out, To(fmt.Sprintf(b.words.earlier, n))), all[n:]
	}
	for _, one := range all {
		out = append(out, word(one))
	}
	return out
}

// album is the pictures of a prompt. What stands for one in a text is a mark with its number.
type album struct {
	fit      screen.Fit
	quality  int
	pictures []albumPicture // the first is the screen to decide from
	shown    bool           // the first was asked for
}

// albumPicture is a picture with the numbers that are drawn on it.
type albumPicture struct {
	frame *screen.Frame
	marks []marks.Mark
}

func (a *album) add(f *screen.Frame, list ...marks.Mark) string {
	a.pictures = append(a.pictures, albumPicture{f, list})
	return mark + strconv.Itoa(len(a.pictures)-1) + mark
}

func (a *album) part(i int) (Part, error) {
	a.shown = a.shown || i == 0
	f := a.pictures[i].frame
	jpeg, err := marks.Draw(f.Resized(a.fit.Size(f.Size())), a.pictures[i].marks).JPEG(a.quality)
	return Part{JPEG: jpeg}, err
}

// Remember is the turn that was just taken, as it is kept for later ones.
func Remember(s *Situation, step int, r actions.Reply, d actions.Decision) actions.Turn {
	t := actions.Turn{Step: step, Notes: s.Notes, App: s.Screen.State.App, Reply: r,
		Did: d.Explain}
	if t.Did == "" {
		t.Did = actions.Describe(d.Action)
	}
	if n := len(s.Exchanges); s.ReplyJustIn && n > 0 {
		t.Answer = &s.Exchanges[n-1]
	}
	return t
}
