// Package calibrate finds out how to prompt a model. It shows the model screens with targets at
// known places and asks it to tap them. The form of the replies tells the dialect, and the places
// in them tell the coordinates.
package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Target is something on a screen that can be tapped.
type Target struct {
	Task   map[string]string // the request, by the language of the prompts, zh and en
	Box    image.Rectangle   // in the frame's pixels
	Groups []string          // such as icon, small
}

// Screen is a frame with targets on it.
type Screen struct {
	Frame   *screen.Frame
	Targets []Target
	Groups  []string // such as landscape
}

// Options of a calibration. Model, Table and Screens have to be there.
type Options struct {
	Model   policy.Completer
	Table   dialect.Table
	Dialect string          // of the prompts, "auto" to choose by the model's name
	Prompt  dialect.Options // how
	Screens []Screen
	Asking  func(done, all int) // called before each question unless nil
}

// Group is a part of the targets.
type Group struct {
	Name string `json:"name"`
	Hits int    `json:"hits"`
	All  int    `json:"asked"`
}

// Report is the result of a calibration. Its settings are the ones that hit the most targets.
type Report struct {
	Prompted    string         `json:"prompted"` // the dialect of the questions
	Dialect     string         `json:"dialect"`  // of the replies, "" if unknown
	Forms       map[string]int `json:"forms"`    // replies by dialect, "" for unreadable ones
	Coordinates string         `json:"coordinates"`
	ImageSize   string         `json:"image_size"`
	Sure        bool           `json:"sure"`               // half was hit, some on each screen
	AsGood      []Way          `json:"as_good,omitempty"`  // that explain the replies no worse
	Rejected    []Way          `json:"rejected,omitempty"` // the best of the others
	Example     string         `json:"example,omitempty"`  // a reply that could not be read
	LastError   string         `json:"last_error,omitempty"`

	Asked      int `json:"asked"`
	Unanswered int `json:"unanswered"` // the endpoint failed, or took too long
	Unreadable int `json:"unreadable"` // no place could be read
	Hits       int `json:"hits"`
	lab.Rate       // of Hits among Asked

	Pixels   float64 `json:"error_pixels"` // from the middle of the target, median
	Pixels90 float64 `json:"error_pixels_90"`
	Seconds  float64 `json:"seconds"` // of a reply, median

	Seconds90        float64 `json:"seconds_90"`
	PromptTokens     float64 `json:"prompt_tokens"` // of a question, median
	CompletionTokens float64 `json:"completion_tokens"`
	Groups           []Group `json:"groups"`
}

// answer is what came back for one target.
type answer struct {
	screen  *Screen
	target  *Target
	at      dialect.Situation
	reply   actions.Reply
	numbers *[2]float64 // as the model wrote them, or nil
	took    time.Duration
	prompt  int
	words   int
}

// inARow is after how many questions without an answer, one behind the other, no more are asked.
const inARow = 2

// Run asks for every target once and sums up. When the model cannot be asked, or ctx ends, the
// error says why, and the report has what came before.
func Run(ctx context.Context, o Options) (Report, error) {
	spoken, err := o.Table.New(o.Dialect, &o.Prompt)
	if err != nil {
		return Report{}, err
	}
	r := Report{Prompted: spoken.Profile().Name, Forms: map[string]int{}}
	var answers []*answer
	all, failed := 0, 0
	for _, s := range o.Screens {
		all += len(s.Targets)
	}
	for i := range o.Screens {
		for j := range o.Screens[i].Targets {
			if o.Asking != nil {
				o.Asking(r.Asked, all)
			}
			a := &answer{screen: &o.Screens[i], target: &o.Screens[i].Targets[j]}
			if err = a.ask(ctx, spoken, o.Model); policy.RefusesTools(err) {
				if other := spoken.(dialect.Tooled).Toolless(); other != nil {
					spoken, r.Prompted = other, other.Profile().Name
					err = a.ask(ctx, spoken, o.Model)
				}
			}
			if ctx.Err() != nil {
				return o.sum(r, spoken, answers), context.Cause(ctx)
			}
			if r.Asked++; err != nil {
				r.Unanswered++
				r.LastError = text.Cut(text.Line(err.Error()), 500)
				if failed++; failed == inARow {
					return o.sum(r, spoken, answers), err
				}
				continue
			}
			failed = 0
			answers = append(answers, a)
		}
	}
	return o.sum(r, spoken, answers), nil
}

// ask asks for one target.
func (a *answer) ask(ctx context.Context, d dialect.Dialect, m policy.Completer) error {
	a.at = dialect.Situation{Task: a.target.Task[d.Profile().Lang],
		Screen: screen.Observation{Frame: a.screen.Frame}}
	asked, err := d.Prompt(a.at)
	if err != nil {
		return err
	}
	began := time.Now()
	reply, usage, err := policy.Ask(ctx, m, asked)
	a.reply, a.took = reply, time.Since(began)
	a.prompt, a.words = usage.PromptTokens, usage.CompletionTokens
	return err
}

// sum fills in what the answers come to.
func (o *Options) sum(r Report, spoken dialect.Dialect, answers []*answer) Report {
	form := o.form(spoken)
	for _, a := range answers {
		r.Forms[form(a)]++
	}
	for _, name := range append([]string{r.Prompted}, o.Table.Names()...) {
		if n := r.Forms[name]; n > 0 && (r.Dialect == "" || n > r.Forms[r.Dialect]) {
			r.Dialect = name
		}
	}
	for _, a := range answers {
		if a.numbers = o.read(form(a), a); a.numbers == nil {
			r.Unreadable++
			r.Example = cmp.Or(r.Example, text.Cut(text.Line(spoken.Transcript(a.reply)), 300))
		}
	}
	r.choose(spoken.Profile(), answers)
	r.spent(answers)
	return r
}

// form returns the name of a reply's dialect, or "".
func (o *Options) form(spoken dialect.Dialect) func(*answer) string {
	prompted := spoken.Profile().Name
	return func(a *answer) string {
		_, err := spoken.Parse(a.reply, a.at)
		first := func(f dialect.Family) bool { return f.Name == prompted && f.Wrote(a.reply) }
		if err == nil || slices.ContainsFunc(o.Table, first) {
			return prompted
		}
		for _, f := range o.Table {
			if f.Wrote(a.reply) {
				return f.Name
			}
		}
		return ""
	}
}

// wide is a unit in which all that a model may write is a place: numbers of pixels, and all below.
const wide = 10_000

// read returns the coordinates that a reply taps, as the model wrote them, or nil.
func (o *Options) read(form string, a *answer) *[2]float64 {
	if form == "" {
		return nil
	}
	for _, unit := range []float64{wide, 1} { // fractions are a place in their own unit only
		how := o.Prompt
		how.Coordinates, how.Template = &screen.Coordinates{Unit: unit}, nil
		d, err := o.Table.New(form, &how)
		if err != nil {
			return nil
		}
		decision, err := d.Parse(a.reply, a.at)
		parse, ok := errors.AsType[*dialect.ParseError](err)
		if ok && parse.Off != nil {
			continue
		}
		if err != nil {
			return nil
		}
		t := decision.Action.Traits()
		if !t.Pointed() {
			return nil
		}
		return &[2]float64{t.Points[0].X * unit, t.Points[0].Y * unit}
	}
	return nil
}

// spent fills in what the answers cost.
func (r *Report) spent(answers []*answer) {
	var seconds, prompt, words []float64
	for _, a := range answers {
		seconds = append(seconds, a.took.Seconds())
		prompt, words = append(prompt, float64(a.prompt)), append(words, float64(a.words))
	}
	r.Seconds, r.Seconds90 = lab.Median(seconds), lab.Quantile(seconds, 0.9)
	r.PromptTokens, r.CompletionTokens = lab.Median(prompt), lab.Median(words)
}

// hold fills in how well the answers hit, read in that way.
func (r *Report) hold(w Way, answers []*answer) {
	var pixels []float64
	groups := map[string]*Group{}
	for _, a := range answers {
		hit := false
		if p, ok := w.place(a); ok {
			hit = p.In(a.target.Box)
			pixels = append(pixels, a.far(p))
		}
		if hit {
			r.Hits++
		}
		for _, name := range slices.Concat(a.screen.Groups, a.target.Groups) {
			g := groups[name]
			if g == nil {
				g = &Group{Name: name}
				groups[name] = g
			}
			if g.All++; hit {
				g.Hits++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		r.Groups = append(r.Groups, *groups[name])
	}
	r.Rate = lab.NewRate(r.Hits, r.Asked)
	r.Pixels, r.Pixels90 = lab.Median(pixels), lab.Quantile(pixels, 0.9)
}

// far is how many pixels a place is from the middle of the target.
func (a *answer) far(p image.Point) float64 {
	b := a.target.Box
	return math.Hypot(float64(p.X)-float64(b.Min.X+b.Max.X)/2,
		float64(p.Y)-float64(b.Min.Y+b.Max.Y)/2)
}

// String is the report's settings in words.
func (w Way) String() string {
	return fmt.Sprintf("coordinates %s, image_size %s", w.Coordinates, w.Fit)
}
