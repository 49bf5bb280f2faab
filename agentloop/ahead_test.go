package agentloop_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// slowReader is a phone that takes its time to list what is on its screen.
type slowReader struct {
	*devicetest.Fake
	takes time.Duration
	reads int
	err   error
}

func (p *slowReader) Elements(ctx context.Context) ([]screen.Element, error) {
	p.reads++
	select {
	case <-time.After(p.takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.Fake.Elements(ctx)
}

// thinking is a policy that thinks for a while, and goes home once.
type thinking struct {
	takes time.Duration
	reads bool // the elements, too
}

func (p *thinking) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	if p.reads {
		if _, err := s.Reader.Elements(ctx); err != nil {
			return agentloop.Proposal{}, err
		}
	}
	time.Sleep(p.takes)
	d := actions.Decision{Action: actions.Home{}}
	if s.Step > 1 {
		d.Action = actions.Complete{}
	}
	return agentloop.Proposal{Decision: d}, nil
}

// elementGate wants the elements of every screen, a second time when it is so keen.
type elementGate struct {
	seen int
	err  error
	keen bool
}

func (g *elementGate) Check(
	ctx context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	list, err := s.Reader.Elements(ctx)
	if g.keen {
		s.Reader.(interface{ Again() }).Again()
		list, err = s.Reader.Elements(ctx)
	}
	g.seen, g.err = len(list), err
	return agentloop.Allow(), nil
}

func TestElementsAreReadWhileThePolicyDecides(t *testing.T) {
	for _, c := range []struct {
		name         string
		reads, think time.Duration
		policyReads  bool
		ask          time.Duration // what the gate adds
	}{
		{name: "sooner than it decides", reads: 2 * time.Second, think: 3 * time.Second},
		{name: "later", reads: 3 * time.Second, think: 2 * time.Second, ask: time.Second},
		{name: "by the policy, too", reads: time.Second, policyReads: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &slowReader{Fake: devicetest.NewFake(), takes: c.reads}
				g, j := &elementGate{}, &journal{}
				r := agentloop.Runner{Phone: p, Gate: g, Journal: j, ReadAhead: true,
					Policy:     &thinking{c.think, c.policyReads},
					Background: func(f func()) bool { go f(); return true },
					Limits:     agentloop.Limits{Steps: 5, Settle: -1}}
				end, _, err := r.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
				require.NoError(t, err)
				require.Equal(t, agentloop.TaskCompleted, end.Reason)
				require.NoError(t, g.err)
				require.NotZero(t, g.seen)
				require.Equal(t, c.ask, j.steps[0].Timing.Ask)
				require.Equal(t, 2, p.reads, "once for each screen, and the second was called off")
			})
		})
	}
}

func TestElementsThatCannotBeReadAreTriedOnce(t *testing.T) {
	for keen, reads := range map[bool]int{false: 1, true: 2} {
		p := &slowReader{Fake: devicetest.NewFake(), err: errors.New("no window")}
		g := &elementGate{keen: keen}
		r := agentloop.Runner{Phone: p, Gate: g, Journal: &journal{}, ReadAhead: true,
			Policy: &thinking{}, Background: func(f func()) bool { return false },
			Limits: agentloop.Limits{Steps: 5, Settle: -1}}
		_, _, err := r.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
		require.NoError(t, err)
		require.ErrorIs(t, g.err, p.err)
		require.Equal(t, reads, p.reads, "unless somebody wants them again")
	}
}

// previewGate takes long to find out about each screen.
type previewGate struct {
	elementGate
	takes time.Duration
	done  []error // how its previews ended
	saw   []int
	mu    sync.Mutex
}

// Preview implements agentloop.Previewer.
func (g *previewGate) Preview(ctx context.Context, s agentloop.Situation) {
	list, err := s.Reader.Elements(ctx)
	if err == nil && wait.For(ctx, g.takes) != nil {
		err = context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done, g.saw = append(g.done, err), append(g.saw, len(list))
}

func TestAScreenIsFoundOutAboutOverTheEndOfItsStep(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		ends  error // of the first preview
	}{
		{takes: 3 * time.Second}, {takes: time.Hour, ends: context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &slowReader{Fake: devicetest.NewFake(), takes: time.Millisecond}
			g, j := &previewGate{takes: c.takes}, &journal{}
			r := agentloop.Runner{Phone: p, Gate: g, Journal: j, ReadAhead: true,
				Policy:     &thinking{takes: 2 * time.Second},
				Background: func(f func()) bool { go f(); return true },
				Limits:     agentloop.Limits{Steps: 5, Settle: -1}}
			began := time.Now()
			end, _, err := r.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
			require.NoError(t, err)
			require.Equal(t, agentloop.TaskCompleted, end.Reason)
			require.Less(t, time.Since(began), 5*time.Second, "no touch waits for it, nor the end")
			require.Len(t, g.done, 2)
			require.Contains(t, g.done, c.ends)
			require.NotContains(t, g.saw, 0, "the elements that were read ahead")
			require.Equal(t, 2, p.reads, "and they are read once for each screen")
		})
	}
}

// scrolling is a phone on which the screen moves some time after its elements are asked for.
type scrolling struct {
	*phone
	takes, after time.Duration

	mu    sync.Mutex
	moves []time.Time
}

// Elements implements agentloop.Reader.
func (p *scrolling) Elements(ctx context.Context) ([]screen.Element, error) {
	p.mu.Lock()
	p.moves = append(p.moves, time.Now().Add(p.after))
	p.mu.Unlock()
	return []screen.Element{{Text: "Row"}}, wait.For(ctx, p.takes)
}

func (p *scrolling) Look(ctx context.Context) (screen.Observation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scene = 0
	for _, at := range p.moves {
		if !time.Now().Before(at) {
			p.scene++
		}
	}
	return p.phone.Look(ctx)
}

func (p *scrolling) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

func TestAScreenThatItsListingMovesIsToldAsThat(t *testing.T) {
	changed, listed := agentloop.NoteScreenChanged, agentloop.NoteListingMoved
	for _, c := range []struct {
		name          string
		thinks, moves time.Duration
		want          []agentloop.NoteKind
	}{
		{"by the time of the reply", time.Millisecond, 900 * time.Millisecond,
			[]agentloop.NoteKind{listed, listed}},
		{"long before the reply", 5 * time.Second, 900 * time.Millisecond,
			[]agentloop.NoteKind{changed, listed}},
		{"not the listing", 5 * time.Second, 4 * time.Second,
			[]agentloop.NoteKind{changed, changed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tap(500, 500), tap(500, 500), actions.Complete{})
				r.runner.Phone = &scrolling{phone: r.phone, takes: time.Second, after: c.moves}
				r.runner.Gate, r.runner.ReadAhead = &elementGate{}, true
				r.runner.Policy = &thinker{script: r.script, thinks: c.thinks}
				r.runner.Background = func(f func()) bool { go f(); return true }

				_, _, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)

				require.NoError(t, err)
				require.Empty(t, r.phone.touches)
				for i, want := range c.want {
					require.Len(t, r.script.seen[i+1].Notes, 1)
					require.Equal(t, want, r.script.seen[i+1].Notes[0].Kind, i)
					past := agentloop.Superseded(r.script.seen[i+1].Notes[0].Action,
						r.script.seen[i+1].Notes[0].Detail)
					require.Equal(t, want, past.Kind)
				}
			})
		})
	}
}
