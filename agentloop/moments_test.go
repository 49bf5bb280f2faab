package agentloop_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// page is what an app shows: what is on it matters to who touches it, or moves beside the place.
type page struct {
	window string // in front
	app    string
	label  int  // of the button that is touched
	name   int  // at the other end of its row
	amount int  // drawn at the top
	dialog bool // with what it darkens
	video  int  // pictures of something that plays at the bottom
	banner int
	clock  int
}

// meaning is what has to be as it was seen when the button is touched.
func (p page) meaning(exactly bool) page {
	p.video, p.banner, p.clock = 0, 0, 0
	if !exactly {
		p.amount = 0
	}
	return p
}

var (
	buttonPlace = image.Rect(80, 100, 104, 112)
	pageSize    = screen.Size{W: 108, H: 240}
)

func (p page) draw() *screen.Frame {
	img := image.NewRGBA(image.Rect(0, 0, pageSize.W, pageSize.H))
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	text := func(r image.Rectangle, what int) { // another stripe pattern for each
		for x := r.Min.X; x < r.Max.X; x += 2 {
			if (what*2654435761>>((x-r.Min.X)/2%13))&1 == 1 {
				fill(image.Rect(x, r.Min.Y, x+2, r.Max.Y), color.Black)
			}
		}
	}
	fill(img.Rect, color.White)
	fill(buttonPlace, color.RGBA{R: 120, G: 160, B: 250, A: 255})
	text(image.Rect(4, 16, 50, 24), p.amount)
	text(image.Rect(4, 102, 60, 110), p.name)
	text(buttonPlace.Inset(3), p.label)
	text(image.Rect(60, 40, 100, 48), p.clock)
	fill(image.Rect(0, 56, 108, 84), color.Gray{Y: uint8(90 + 40*p.banner)})
	fill(image.Rect(0, 184, 108, 224), color.Gray{Y: uint8(30 + 25*p.video)})
	if p.dialog {
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{A: 150}), image.Point{}, draw.Over)
		fill(image.Rect(15, 120, 93, 150), color.White)
	}
	f, err := screen.NewFrame(img)
	if err != nil {
		panic(err)
	}
	return f
}

// stage is a phone whose page changes once, at its moment. A look takes its time, and shows what
// there was when it began.
type stage struct {
	phone
	page    func(at time.Time) page
	drawn   map[page]*screen.Frame
	mu      sync.Mutex
	list    []screen.Element
	listing time.Duration
	touched []time.Time
}

func (p *stage) Look(ctx context.Context) (screen.Observation, error) {
	at := time.Now()
	now := p.page(at)
	p.mu.Lock()
	f := p.drawn[now]
	if f == nil {
		f = now.draw()
		p.drawn[now] = f
	}
	p.mu.Unlock()
	time.Sleep(60 * time.Millisecond)
	return screen.Observation{Frame: f, At: at, State: screen.State{On: true, Size: pageSize,
		App: now.app, Activity: now.app + "/.Main", Window: now.window}}, ctx.Err()
}

func (p *stage) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

func (p *stage) Elements(ctx context.Context) ([]screen.Element, error) {
	time.Sleep(p.listing)
	return p.list, ctx.Err()
}

func (p *stage) Tap(context.Context, screen.Point) error {
	p.touched = append(p.touched, time.Now())
	return nil
}

// tapper taps the button until it was told nothing, and keeps when what it decided on was seen.
type tapper struct {
	stage  *stage
	thinks time.Duration
	seen   time.Time
	drops  int
}

func (p *tapper) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	select {
	case <-time.After(p.thinks):
	case <-ctx.Done():
		return agentloop.Proposal{}, ctx.Err()
	}
	if s.Replying != nil {
		s.Replying()
	}
	p.drops += len(s.Notes)
	d := actions.Decision{Action: actions.Complete{}}
	if len(p.stage.touched) == 0 {
		p.seen = s.Screen.At
		mid := buttonPlace.Min.Add(buttonPlace.Max).Div(2)
		d.Action = actions.Click{At: screen.Point{X: float64(mid.X) / float64(pageSize.W),
			Y: float64(mid.Y) / float64(pageSize.H)}}
	}
	return agentloop.Proposal{Decision: d}, nil
}

// change is what becomes of a page, and whether the touch that was decided on may still be done.
type change struct {
	name     string
	harmless bool
	apply    func(p *page)
}

var changes = []change{
	{"nothing", true, func(*page) {}},
	{"another button", false, func(p *page) { p.label = 77 }},
	{"another row", false, func(p *page) { p.name, p.banner = 41, 1 }},
	{"a dialog", false, func(p *page) { p.dialog = true }},
	{"a window", false, func(p *page) { p.window = "dialog" }},
	{"an app", false, func(p *page) { p.app, p.window = "dialer", "call" }},
	{"an amount", false, func(p *page) { p.amount = 5000 }},
	{"a banner", true, func(p *page) { p.banner = 3 }},
}

// lastMoment is how long before a touch a change may come that nobody can see any more.
const lastMoment = 150 * time.Millisecond

// Whatever becomes of a page, at whatever moment of a step: nothing is touched that the model has
// not seen, and what moves elsewhere holds nothing up.
func TestNothingIsTouchedThatWasNotSeen(t *testing.T) {
	runs := 10_000
	if testing.Short() {
		runs = 1_000
	}
	late, dropped := 0, 0
	drawn := map[page]*screen.Frame{}
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(24, 1))
		for i := range runs {
			m := newMoment(r, drawn)
			end, _, err := m.runner.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
			require.NoError(t, err)
			require.Equal(t, agentloop.TaskCompleted, end.Reason, "%d: %v", i, m)
			require.Len(t, m.stage.touched, 1, "%d: %v", i, m)
			at := m.stage.touched[0]
			then := m.stage.page(m.policy.seen).meaning(m.exactly)
			if m.stage.page(at).meaning(m.exactly) != then {
				require.Less(t, at.Sub(m.at), lastMoment, "%d: %v", i, m)
				late++
			}
			if m.change.harmless || m.change.name == "an amount" && !m.exactly {
				require.Zero(t, m.policy.drops, "%d: %v", i, m)
			}
			dropped += m.policy.drops
		}
	})
	require.Greater(t, dropped, runs/10, "changes came between a look and a touch")
	require.Less(t, late, runs/20)
}

// moment is one run, in which a page changes once.
type moment struct {
	stage   *stage
	policy  *tapper
	runner  agentloop.Runner
	change  change
	at      time.Time
	exactly bool
	plays   bool
}

func (m *moment) String() string {
	return fmt.Sprintf("%s, exactly %t, plays %t, at %v, seen %v, touched %v", m.change.name,
		m.exactly, m.plays, m.at, m.policy.seen, m.stage.touched)
}

func newMoment(r *rand.Rand, drawn map[page]*screen.Frame) *moment {
	took := func(most int) time.Duration { return time.Duration(r.IntN(most)) * time.Millisecond }
	m := &moment{change: changes[r.IntN(len(changes))], exactly: r.IntN(2) == 0,
		plays: r.IntN(3) == 0, at: time.Now().Add(took(7000))}
	began, label := time.Now(), r.IntN(3)
	m.stage = &stage{drawn: drawn, listing: took(1500), page: func(at time.Time) page {
		p := page{window: "main", app: "shop", label: label, name: 3, amount: 5}
		if m.plays {
			p.video = int(at.Sub(began)/(40*time.Millisecond)) % 8
		}
		if !at.Before(m.at) {
			m.change.apply(&p)
		}
		return p
	}}
	part := func(r image.Rectangle) screen.Rect { return screen.RectOf(r, pageSize) }
	m.stage.list = []screen.Element{{Bounds: part(image.Rect(0, 0, 108, 240)), Depth: 1},
		{Bounds: part(buttonPlace), Depth: 2, Clickable: true},
		{Bounds: part(image.Rect(0, 184, 108, 224)), Depth: 2, Class: "android.view.TextureView"},
		{Bounds: part(image.Rect(0, 56, 108, 84)), Depth: 2, Class: "com.shop.BannerView"}}
	m.policy = &tapper{stage: m.stage, thinks: took(4000)}
	m.runner = agentloop.Runner{Phone: m.stage, Policy: m.policy, Journal: &journal{},
		ReadAhead: true, Moving: r.IntN(2) == 0}
	if r.IntN(4) > 0 {
		m.runner.Background = func(f func()) bool { go f(); return true }
		m.runner.Early = r.IntN(2) == 0
	}
	v := agentloop.Allow()
	if m.exactly {
		v = v.Exactly()
	}
	m.runner.Gate = &guard{verdicts: []agentloop.Verdict{v}, took: took(300)}
	if m.exactly {
		m.runner.Gate = readingGate{v}
	}
	return m
}

// readingGate wants the elements before it allows anything.
type readingGate struct{ verdict agentloop.Verdict }

func (g readingGate) Check(
	ctx context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	_, err := s.Reader.Elements(ctx)
	return g.verdict, err
}
