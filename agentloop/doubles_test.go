package agentloop_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// phone is a small phone whose screen is one grey: every touch turns it to the next one, after lag.
type phone struct {
	touches []string
	looks   int         // but for the last ones
	checks  int         // the last looks before a touch
	decided atomic.Bool // there is a decision: the next look is the last one
	state   screen.State
	lag     time.Duration                   // between a touch and the new screen
	moving  time.Duration                   // how long the screen then goes on changing
	frozen  bool                            // touches change nothing
	black   bool                            // captures are black
	bar     float64                         // of the height; what is in it changes in each capture
	untold  bool                            // the phone does not say that there is a bar
	spinner image.Rectangle                 // what is in it changes in each capture
	lookErr func(n int) error               // of the nth look, from 1
	touch   func(ctx context.Context) error // what a touch comes to, nil for success
	took    time.Duration                   // of a touch

	scene   int
	changed time.Time
}

func newPhone() *phone {
	return &phone{state: screen.State{On: true, Size: screen.Size{W: 54, H: 120}, App: "launcher"}}
}

func (p *phone) Look(ctx context.Context) (look screen.Observation, err error) {
	if err := ctx.Err(); err != nil {
		return screen.Observation{}, err
	}
	last := p.decided.Load()
	if last {
		p.checks++
	} else {
		p.looks++
	}
	if p.lookErr != nil && !last {
		if err := p.lookErr(p.looks); err != nil {
			return screen.Observation{State: p.state}, err
		}
	}
	look = screen.Observation{State: p.state, At: time.Now()}
	if !p.state.On {
		return look, nil
	}
	if !p.untold {
		look.Bar = p.bar
	}
	defer func() {
		top := image.Rect(0, 0, look.Frame.Size().W, int(p.bar*float64(look.Frame.Size().H)))
		look.Frame = p.moved(p.moved(look.Frame, top), p.spinner)
	}()
	since := time.Since(p.changed)
	switch {
	case p.black:
		look.Frame = grey(0)
	case !p.changed.IsZero() && since < p.lag:
		look.Frame = scene(p.scene - 1) // the old screen is still there
	case !p.changed.IsZero() && since < p.lag+p.moving:
		look.Frame = scene(100 + p.looks + p.checks) // another one each time
	default:
		look.Frame = scene(p.scene)
	}
	return look, nil
}

// moved is f with something else in a part of it in each capture.
func (p *phone) moved(f *screen.Frame, part image.Rectangle) *screen.Frame {
	if part.Empty() {
		return f
	}
	img := image.NewRGBA(f.Image().Rect)
	draw.Draw(img, img.Rect, f.Image(), image.Point{}, draw.Src)
	ink := image.NewUniform(color.Gray{uint8((p.looks + p.checks) * 50)})
	draw.Draw(img, part, ink, image.Point{}, draw.Src)
	out, err := screen.NewFrame(img)
	if err != nil {
		panic(err)
	}
	return out
}

// Frame counts as a look.
func (p *phone) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

// scene is the nth screen of a phone.
func scene(n int) *screen.Frame { return grey(uint8(40 + n*20%200)) }

func grey(v uint8) *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 54, 120))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{v, v, v, 255}), image.Point{},
		draw.Src)
	f, err := screen.NewFrame(img)
	if err != nil {
		panic(err)
	}
	return f
}

func (p *phone) do(ctx context.Context, form string, args ...any) error {
	if p.touch != nil {
		if err := p.touch(ctx); err != nil {
			return err
		}
	}
	if p.took > 0 {
		select {
		case <-time.After(p.took):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.touches = append(p.touches, fmt.Sprintf(form, args...))
	if !p.frozen {
		p.scene++
		p.changed = time.Now()
	}
	return nil
}

func (p *phone) Tap(ctx context.Context, at screen.Point) error { return p.do(ctx, "tap %v", at) }
func (p *phone) DoubleTap(ctx context.Context, at screen.Point) error {
	return p.do(ctx, "double tap %v", at)
}
func (p *phone) LongPress(ctx context.Context, at screen.Point, hold time.Duration) error {
	return p.do(ctx, "press %v %v", at, hold)
}
func (p *phone) Swipe(ctx context.Context, from, to screen.Point, took time.Duration) error {
	return p.do(ctx, "swipe %v %v %v", from, to, took)
}
func (p *phone) Drag(ctx context.Context, from, to screen.Point) error {
	return p.do(ctx, "drag %v %v", from, to)
}
func (p *phone) Type(ctx context.Context, text string) error { return p.do(ctx, "type %q", text) }
func (p *phone) Clear(ctx context.Context) error             { return p.do(ctx, "clear") }
func (p *phone) Key(ctx context.Context, key actions.Key) error {
	return p.do(ctx, "key %s", key)
}
func (p *phone) Launch(ctx context.Context, app string) error { return p.do(ctx, "launch %s", app) }

// script is a policy that decides one action after the other, and keeps what it was shown.
type script struct {
	actions []actions.Action
	notes   []string // beside the actions
	seen    []agentloop.Situation
	took    time.Duration // of a decision; its context does not end it
	recalls bool          // it wants to be shown its last turn again
	before  func(n int)   // called in the nth decision, from 1
	decided func()        // called when there is one, may be nil
	err     func(n int) error
}

func (s *script) Next(_ context.Context, sit agentloop.Situation) (agentloop.Proposal, error) {
	s.seen = append(s.seen, sit)
	n := len(s.seen)
	if s.before != nil {
		s.before(n)
	}
	if s.took > 0 {
		time.Sleep(s.took)
	}
	p := agentloop.Proposal{Tries: []agentloop.Try{{Prompt: sit.Task, Reply: "reply",
		Took: s.took, PromptTokens: 10, CompletionTokens: 2}}}
	if s.err != nil {
		if err := s.err(n); err != nil {
			return p, err
		}
	}
	if n > len(s.actions) {
		return p, errors.New("the script is over")
	}
	if s.decided != nil {
		s.decided()
	}
	p.Action = s.actions[n-1]
	p.Summary = fmt.Sprintf("did %d", n)
	if n <= len(s.notes) {
		p.Note = s.notes[n-1]
	}
	if s.recalls {
		p.History = []actions.Turn{{Step: n}}
	}
	return p, nil
}

// notesAt is the notes that the nth decision was shown, from 1, in English.
func (s *script) notesAt(n int) []string {
	var out []string
	for _, note := range s.seen[n-1].Notes {
		out = append(out, note.Text("en"))
	}
	return out
}

// journal keeps everything in memory; the nth entry, from 1, can be made to fail.
type journal struct {
	entries  []string
	intents  []agentloop.Step
	steps    []agentloop.Step
	progress agentloop.Progress // as of the last Done
	fail     func(entry string) error
	on       func(entry string)
}

func (j *journal) add(ctx context.Context, kind string, s agentloop.Step) error {
	verb := "none"
	if s.Proposal.Action != nil {
		verb = s.Proposal.Action.Verb()
	}
	entry := fmt.Sprintf("%s %d %s", kind, s.Index, verb)
	if j.fail != nil {
		if err := j.fail(entry); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j.entries = append(j.entries, entry)
	if j.on != nil {
		j.on(entry)
	}
	return nil
}

func (j *journal) Intent(ctx context.Context, s agentloop.Step) error {
	if err := j.add(ctx, "intent", s); err != nil {
		return err
	}
	j.intents = append(j.intents, s)
	return nil
}

func (j *journal) Done(ctx context.Context, s agentloop.Step, c agentloop.Progress) error {
	if err := j.add(ctx, "done", s); err != nil {
		return err
	}
	j.steps, j.progress = append(j.steps, s), c
	return nil
}

// Frame is a scene for each step.
func (j *journal) Frame(_ context.Context, step int) (*screen.Frame, error) {
	return scene(step), nil
}

// Steps implements agentloop.Album.
func (j *journal) Steps(context.Context) ([]agentloop.Step, error) { return j.steps, nil }

// inbox keeps the questions that are parked.
type inbox struct {
	parked []agentloop.Question
	err    error
	on     func()
}

func (i *inbox) Park(_ context.Context, q agentloop.Question) (agentloop.StopReason, error) {
	if i.on != nil {
		i.on()
	}
	if i.err == nil {
		i.parked = append(i.parked, q)
	}
	return map[string]agentloop.StopReason{agentloop.KindInfo: agentloop.InfoNeedsReply,
		agentloop.KindApproval: agentloop.ActionNeedsApproval}[q.Kind], i.err
}

// rig is a runner with its doubles.
type rig struct {
	phone   *phone
	script  *script
	journal *journal
	inbox   *inbox
	events  []agentloop.Event
	runner  *agentloop.Runner
}

func newRig(acts ...actions.Action) *rig {
	r := &rig{phone: newPhone(), script: &script{actions: acts}, journal: &journal{},
		inbox: &inbox{}}
	r.runner = &agentloop.Runner{
		Phone: r.phone, Policy: r.script, Journal: r.journal, Parker: r.inbox,
		Observe: r.observe,
	}
	r.script.decided = func() { r.phone.decided.Store(true) }
	return r
}

func (r *rig) observe(e agentloop.Event) {
	if e.Kind == agentloop.Looking || e.Kind == agentloop.Decided {
		r.phone.decided.Store(e.Kind == agentloop.Decided)
	}
	r.events = append(r.events, e)
}

// kinds is what happened, one word each.
func (r *rig) kinds() []agentloop.EventKind {
	var out []agentloop.EventKind
	for _, e := range r.events {
		out = append(out, e.Kind)
	}
	return out
}

// tap is one of a place in thousandths.
func tap(x, y float64) actions.Click {
	return actions.Click{At: screen.Point{X: x / 1000, Y: y / 1000}}
}
