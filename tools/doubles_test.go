package tools_test

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// fakePhones are phones in memory. It is what runs opens and what the tools list.
type fakePhones struct {
	mu       sync.Mutex
	phones   map[string]*devicetest.Fake
	broken   error
	open     int
	noisy    bool             // frames are large and hard to compress
	listed   []screen.Element // on every screen; nil for what is there
	unlisted error            // why nothing is listed
}

func newFakePhones(serials ...string) *fakePhones {
	f := &fakePhones{phones: map[string]*devicetest.Fake{}}
	for _, s := range serials {
		f.phones[s] = devicetest.NewFake()
	}
	return f
}

func (f *fakePhones) add(serial string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phones[serial] = devicetest.NewFake()
}

func frontIs(pkg string) devicetest.Change { return devicetest.Change{Front: &pkg} }

// touches is how often the phone was touched.
func (f *fakePhones) touches(serial string) int { return len(f.phone(serial).Touches()) }

func (f *fakePhones) phone(serial string) *devicetest.Fake {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.phones[serial]
}

func (f *fakePhones) List(context.Context) ([]runs.PhoneInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	list := []runs.PhoneInfo{}
	for s := range f.phones {
		list = append(list, runs.PhoneInfo{Serial: s, State: "device", Usable: true,
			Model: "Double", Android: "15", SDK: 35, Size: screen.Size{W: 1080, H: 2400}})
	}
	slices.SortFunc(list,
		func(a, b runs.PhoneInfo) int { return strings.Compare(a.Serial, b.Serial) })
	return append(list, runs.PhoneInfo{Serial: "tired", State: "offline"}), nil
}

func (f *fakePhones) Open(_ context.Context, serial string) (runs.Phone, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if serial == "" && len(f.phones) == 1 {
		for s := range f.phones {
			serial = s
		}
	}
	p := f.phones[serial]
	switch {
	case serial == "":
		return nil, runs.Refuse(runs.DeviceAmbiguous, "name one of them",
			"2 phones are connected; which one?")
	case serial == "tired":
		return nil, runs.Refuse(runs.DeviceOffline, "check the cable", "tired: it is offline")
	case serial == "shy":
		return nil, runs.Refuse(runs.DeviceUnauthorized, "confirm the dialog", "shy: it may not")
	case p == nil:
		return nil, hint.Add(fmt.Errorf("no phone %q", serial),
			"call list_connected_devices and pass one of its device_ids")
	}
	f.open++
	return &phone{p, f, serial}, nil
}

type phone struct {
	*devicetest.Fake
	phones *fakePhones
	serial string
}

func (p *phone) Device() store.Device {
	return store.Device{ID: p.serial, Size: screen.Size{W: 1080, H: 2400}, Model: "Double",
		Android: "15"}
}

func (p *phone) State(ctx context.Context) (screen.State, error) {
	look, err := p.Fake.Look(ctx)
	return look.State, err
}

// Look gives a frame that compresses badly when the phones are noisy.
func (p *phone) Look(ctx context.Context) (screen.Observation, error) {
	look, err := p.Fake.Look(ctx)
	p.phones.mu.Lock()
	defer p.phones.mu.Unlock()
	if !p.phones.noisy || look.Frame == nil {
		return look, err
	}
	look.Frame = noise()
	return look, nil
}

// Elements gives what the test lists, else what the screen has.
func (p *phone) Elements(ctx context.Context) ([]screen.Element, error) {
	p.phones.mu.Lock()
	list, err := p.phones.listed, p.phones.unlisted
	p.phones.mu.Unlock()
	if list != nil || err != nil {
		return list, err
	}
	return p.Fake.Elements(ctx)
}

func (p *phone) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

// noise is a large frame that is hard to compress.
var noise = sync.OnceValue(func() *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	state := uint32(1)
	for i := range img.Pix {
		state = state*1664525 + 1013904223
		img.Pix[i] = uint8(state>>24) | 0x0f
		if i%4 == 3 {
			img.Pix[i] = 0xff
		}
	}
	f, err := screen.NewFrame(img)
	if err != nil {
		panic(err)
	}
	return f
})

func (p *phone) Close() error {
	p.phones.mu.Lock()
	defer p.phones.mu.Unlock()
	p.phones.open--
	return nil
}

// scriptedPolicy decides by the task's words, one a step, and from what it is shown only, so that
// it goes on rightly after a restart. Each decision takes a second, or more.
type scriptedPolicy struct {
	mu    sync.Mutex
	seen  []agentloop.Situation
	fails error
	think time.Duration // of each decision; 0 is a second
	// while it is there, decisions come only when it is closed, even after the run has ended
	late chan struct{}
}

func (m *scriptedPolicy) make(s runs.Settings) (agentloop.Policy, error) {
	return &runPolicy{m, s.Captions, s.FinalCaption}, nil
}

func (m *scriptedPolicy) last() agentloop.Situation {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[len(m.seen)-1]
}

// hold makes decisions come only after release, even those of a run that has ended.
func (m *scriptedPolicy) hold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.late = make(chan struct{})
}

func (m *scriptedPolicy) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.late)
	m.late = nil
}

type runPolicy struct {
	*scriptedPolicy
	captions bool
	last     bool // captions where the run ends or asks
}

func (p *runPolicy) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	p.mu.Lock()
	p.seen = append(p.seen, s)
	fails, late := p.fails, p.late
	think := cmp.Or(p.think, time.Second)
	if p.think == 0 && s.Step > 12 && strings.Contains(s.Task, "forever") {
		think = 15 * time.Second // minutes pass in few steps
	}
	p.mu.Unlock()
	if late != nil {
		<-late
	}
	select {
	case <-time.After(think):
	case <-ctx.Done():
		if late == nil {
			return agentloop.Proposal{}, ctx.Err()
		}
	}
	out := agentloop.Proposal{Tries: []agentloop.Try{{Prompt: s.Task, PromptTokens: 10,
		CompletionTokens: 1, Took: think}}}
	if fails != nil {
		return out, fails
	}
	out.Action = decide(s)
	if p.captions || p.last && ends(out.Action) {
		out.Caption = fmt.Sprintf("screen %d in words", s.Step)
	}
	out.Summary = fmt.Sprintf("step %d", s.Step)
	if strings.Contains(s.Task, "verbose") {
		out.Thought = strings.Repeat("thinking \"hard\" \\ ", 2000)
		out.Caption = strings.Repeat("词", 3000)
	}
	return out, nil
}

func ends(a actions.Action) bool {
	switch a.(type) {
	case actions.Complete, actions.Abort, actions.Info:
		return true
	}
	return false
}

func decide(s agentloop.Situation) actions.Action {
	words := strings.Fields(s.Task)
	if slices.Contains(words, "forever") {
		return actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}
	}
	if s.Steps >= len(words) {
		var said []string
		for _, x := range s.Exchanges {
			said = append(said, x.Answer)
		}
		return actions.Complete{Report: "done " + strings.Join(said, " ")}
	}
	switch w := words[s.Steps]; w {
	case "tap":
		return actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}
	case "ask":
		return actions.Info{Question: fmt.Sprintf("question %d?", s.Questions+1),
			Options: []string{"red", "blue"}}
	case "asksecret":
		return actions.Info{Question: "the code?", Secret: new(true)}
	case "askperson":
		return actions.Info{Question: "May the model do it?", Personal: true}
	case "askhand":
		return actions.Info{Question: "Please enter the password on the phone, then say done."}
	case "typesecret":
		return actions.Type{Text: "{{secret}}"}
	case "giveup":
		return actions.Abort{Reason: "cannot"}
	default:
		return actions.Note{Text: w}
	}
}

// console is a person who types these lines.
type console struct{ lines []string }

func (c *console) Ask(context.Context, string, bool) (string, error) {
	time.Sleep(15 * time.Second)
	line := c.lines[0]
	c.lines = c.lines[1:]
	return line, nil
}

type answerer struct{}

func (answerer) Reply(context.Context, string, string, []string, *screen.Frame) (string, error) {
	return "a model's answer", nil
}
