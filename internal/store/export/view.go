package export

import (
	"html/template"
	"math"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// view is what the page shows.
type view struct {
	Style   template.CSS
	Policy  string
	Title   string
	Session store.Session
	Outcome string
	Tone    string
	Totals  totals
	Bars    []bar
	Runs    []runView
	Tree    []*node // of a session without a phone
}

// totals are over all runs.
type totals struct {
	Steps, Questions               int
	Again                          int // steps whose first screen moved on
	PromptTokens, CompletionTokens int
	Work, Model, Phone, Asked      time.Duration
}

// Total is the work and the waiting, without pauses.
func (t totals) Total() time.Duration { return t.Work + t.Asked }

// bar is a step in the strip of times, in units of 1000 to its width.
type bar struct {
	Index                int
	X, Phone, Model, Ask float64
	Title                string
}

// AfterPhone is where the model's part begins.
func (b bar) AfterPhone() float64 { return tenth(b.X + b.Phone) }

// AfterModel is where the person's part begins.
func (b bar) AfterModel() float64 { return tenth(b.X + b.Phone + b.Model) }

func tenth(f float64) float64 { return math.Round(10*f) / 10 }

type runView struct {
	store.Run
	Many    bool // the session has more runs
	Outcome string
	// Recorded is the screen of the step that a skill could not repeat, as it was recorded, or nil.
	Recorded *screenshot
	Tone     string
	Steps    []stepView
}

type stepView struct {
	store.StepRecord
	Verb     string
	Heading  string
	Words    string // the action
	Plain    bool   // the page shows the Words elsewhere
	Touch    *touch
	Wide     bool
	Asked    time.Duration // for the answer to Question
	Question string
	Options  []string
	Answer   string
	Answered string // by whom, or ""
	Open     bool   // the question waits for an answer
	picture  func(id string) (screenshot, error)
}

// Partial reports whether the action had touched the phone when it failed.
func (s stepView) Partial() bool { return strings.HasPrefix(s.Refusal, agentloop.PartialRefusal) }

// screenshot is a picture as a data URL, or the reason for its absence.
type screenshot struct {
	URL     template.URL
	Missing string
}

// Picture is the step's screenshot. It is made when the page is written, so that only one is in
// memory at a time.
func (s stepView) Picture() (screenshot, error) {
	if s.FrameID == "" {
		return screenshot{Missing: "The display was off"}, nil
	}
	return s.picture(s.FrameID)
}

// timePart is a part of a step's time, with its class on the page, "" for the store's.
type timePart struct {
	agentloop.Part
	Kind string
}

var kinds = map[string]string{"settle": "k-phone", "look": "k-phone", "check": "k-phone",
	"touch": "k-phone", "decide": "k-model", "model": "k-model", "ask": "k-ask"}

// Parts are the parts that took time.
func (s stepView) Parts() (list []timePart) {
	for _, p := range s.Timing.Parts() {
		if p.Time > 0 {
			list = append(list, timePart{p, kinds[p.Name]})
		}
	}
	return list
}

func newView(t store.Trajectory, picture func(string) (screenshot, error)) view {
	d := &t.Session.Device
	for _, s := range []*string{&t.Session.Serial, &d.Model, &d.Android} {
		*s = label(*s)
	}
	v := view{Style: template.CSS(style), Policy: policy(), Session: t.Session,
		Title: "A session without a task", Outcome: "Not started", Tone: "plain"}
	for _, r := range t.Runs {
		rv := runView{Run: r, Many: len(t.Runs) > 1}
		rv.Outcome, rv.Tone = outcome(r)
		boundAll(&rv.Run.Task, &rv.Run.Answer, &rv.Run.Error)
		if v := r.Progress.Verification; v != nil {
			v := *v // the caller's stays as it is
			boundAll(&v.Evidence)
			rv.Run.Progress.Verification = &v
		}
		v.Totals.add(t.Usage[r.ID])
		for _, st := range t.Steps {
			if st.RunID != r.ID {
				continue
			}
			if _, asks := st.Proposal.Action.(actions.Info); asks {
				v.Totals.Questions++
			}
			step := newStep(st, r, picture)
			step.Asked = t.Asked[st.Index]
			rv.Steps = append(rv.Steps, step)
		}
		v.Runs = append(v.Runs, rv)
		v.Outcome, v.Tone = rv.Outcome, rv.Tone
	}
	if len(v.Runs) > 0 {
		v.Title = v.Runs[0].Task
	}
	v.Bars = bars(t.Steps, t.Asked)
	return v
}

func (t *totals) add(u store.Usage) {
	t.Steps, t.Again = t.Steps+u.Steps, t.Again+u.Again
	t.PromptTokens += u.PromptTokens
	t.CompletionTokens += u.CompletionTokens
	t.Work, t.Asked = t.Work+u.Work(), t.Asked+u.Asked
	t.Model, t.Phone = t.Model+u.Timing.Decide, t.Phone+u.Timing.Phone()
}

// bars lays the steps' times out in a row. Waiting for a person is capped at a third of the rest,
// or it would be all there is to see.
func bars(steps []store.StepRecord, waited map[int]time.Duration) []bar {
	var busy, asked time.Duration
	for _, st := range steps {
		busy += st.Timing.Phone() + st.Timing.Decide
		asked += waited[st.Index]
	}
	if busy <= 0 {
		return nil
	}
	shrink := 1.0
	if asked > busy/3 {
		shrink = float64(busy/3) / float64(asked)
	}
	whole := float64(busy) + shrink*float64(asked)
	unit := func(d time.Duration) float64 { return tenth(1000 * float64(max(d, 0)) / whole) }
	var out []bar
	x := 0.0
	for _, st := range steps {
		b := bar{
			Index: st.Index,
			X:     x,
			Phone: unit(st.Timing.Phone()),
			Model: unit(st.Timing.Decide),
			Ask:   unit(time.Duration(shrink * float64(waited[st.Index]))),
			Title: verbOf(st.Proposal.Action) + ", " + span(st.Timing.Total()+waited[st.Index]),
		}
		x = tenth(x + b.Phone + b.Model + b.Ask)
		out = append(out, b)
	}
	return out
}

func newStep(st store.StepRecord, r store.Run,
	picture func(string) (screenshot, error)) stepView {
	p := &st.Proposal
	v := stepView{Verb: verbOf(p.Action), Words: Words(*p), picture: picture}
	v.Heading = strings.TrimSpace(bounded(p.Explain))
	if _, ask := p.Action.(actions.Info); v.Heading == "" {
		v.Heading = strings.ToUpper(v.Words[:1]) + v.Words[1:]
		v.Plain = true
	} else if ask {
		v.Plain = true
	}
	v.Touch, v.Wide = touchOf(p.Action, st.FrameSize), st.FrameSize.Landscape()
	boundAll(&p.Thought, &p.Summary, &p.Caption, &st.Refusal)
	st.Screen.State.App = label(st.Screen.State.App)
	tries := make([]agentloop.Try, len(p.Tries)) // the caller's stay as they are
	for i, try := range p.Tries {
		try.Reply, try.Error = bounded(try.Reply), bounded(try.Error)
		tries[i] = try
	}
	p.Tries = tries
	v.StepRecord = st
	v.ask(r)
	return v
}

// ask fills in the step's question and what came of it.
func (v *stepView) ask(r store.Run) {
	if info, ok := v.Proposal.Action.(actions.Info); ok {
		v.Question = bounded(info.Question)
		for _, o := range info.Options[:min(len(info.Options), 50)] {
			v.Options = append(v.Options, label(o))
		}
		v.Open = v.Exchange == nil && !r.State.Terminal()
	}
	if x := v.Exchange; x != nil {
		v.Question, v.Answer = bounded(x.Question), bounded(x.Answer)
		v.Answered = answered(x.Outcome)
	}
}

func verbOf(a actions.Action) string {
	if a == nil {
		return "UNREADABLE"
	}
	return a.Verb()
}
