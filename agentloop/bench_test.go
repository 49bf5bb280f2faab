package agentloop_test

import (
	"context"
	"testing"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// still is a phone with a full-size picture that answers at once.
type still struct {
	*phone
	look screen.Observation
}

func (s still) Look(context.Context) (screen.Observation, error) { return s.look, nil }

// taps is a policy that taps here and there.
type taps struct{ n int }

func (p *taps) Next(context.Context, agentloop.Situation) (agentloop.Proposal, error) {
	p.n++
	return agentloop.Proposal{Decision: actions.Decision{Action: tap(float64(100+p.n%8*100),
		500)}}, nil
}

type noJournal struct{}

func (noJournal) Intent(context.Context, agentloop.Step) error                   { return nil }
func (noJournal) Done(context.Context, agentloop.Step, agentloop.Progress) error { return nil }

// BenchmarkStep is the loop's own share of a step on a 1080x2400 screen: no model, no phone, no
// store, no waiting.
func BenchmarkStep(b *testing.B) {
	f, err := screen.NewFrame(grey(40).Resized(screen.Size{W: 1080, H: 2400}).Image())
	if err != nil {
		b.Fatal(err)
	}
	p := newPhone()
	r := agentloop.Runner{
		Phone:  still{p, screen.Observation{Frame: f, State: p.state}},
		Policy: &taps{}, Journal: noJournal{},
		Limits: agentloop.Limits{Steps: b.N, Settle: -1},
	}
	b.ReportAllocs()
	b.ResetTimer()
	end, _, err := r.Run(context.Background(), agentloop.Progress{}, 0)
	if err != nil || end.Steps != b.N {
		b.Fatal(end, err)
	}
}
