package dialect

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
)

// Variables are what a prompt's template may show. All of them have their values at every dialect.
type Variables struct {
	Task       Text
	Summary    Text     // the model's own account of the steps so far, gelab's models only
	Remembered []Text   // what the model noted, oldest first
	Notes      []Text   // what the model has to know in this step
	Asked      []string // in sentences: questions and what came of them, oldest first
	Earlier    []string // of Asked what came before the turns of History
	JustIn     string   // the newest answer, in a sentence, unless the model has seen it
	Steered    bool     // JustIn is an instruction that goes before the task
	History    []Past   // former turns, oldest first, as many as the dialect keeps
	Picture    string   // the screen, where the picture is to stand
	App        Text     // package in front
	Date       string   // such as 2026-11-22
	Weekday    string   // in the prompt's language
	Place      string   // a sentence: how a place on the screen is written
	Width      int      // of the picture, in pixels
	Height     int
	Elements   []string // the elements numbered on the picture, a line each, often none
	Lang       string   // zh or en
}

// Past is a former turn.
type Past struct {
	N       int    // from 1
	Notes   []Text // that the model was shown
	JustIn  string // an answer that had just come, in a sentence, or ""
	App     Text   // package that was in front
	Picture string // what the model saw, "" if it was not kept
	Said    raw    // the model's reply with its thought
	Wrote   raw    // the reply without it
	Did     Text   // what it did, in words
}

// Text is a text from elsewhere. It is shown on one line, so that nothing in it passes for a part
// of the prompt. {{quote .Task}} shows it as a JSON string.
type Text string

func (t Text) String() string { return escape(strings.TrimSpace(string(t)), false) }

// raw is a text of the model itself, shown as it was.
type raw string

func (r raw) String() string { return strings.ReplaceAll(string(r), mark, "") }

// Limits of texts from elsewhere, in characters, and of how many are shown.
const (
	maxTask   = 8000
	maxSaid   = 4000 // a question, an answer, the summary
	maxNote   = 2000
	maxListed = 40 // of exchanges, of remembered texts, of notes
)

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

// Remember returns the turn that was just taken, in the form that is kept for later ones.
func Remember(s *Situation, step int, r actions.Reply, d actions.Decision) actions.Turn {
	t := actions.Turn{Step: step, Notes: s.Notes, App: s.Screen.State.App, Reply: r,
		Did: d.Explain}
	t.Did = cmp.Or(t.Did, actions.Describe(d.Action))
	if n := len(s.Exchanges); s.ReplyJustIn && n > 0 {
		t.Answer = &s.Exchanges[n-1]
	}
	return t
}

// mark surrounds what is not text in a template's output. Texts from elsewhere never contain it.
const mark = "\x00"
