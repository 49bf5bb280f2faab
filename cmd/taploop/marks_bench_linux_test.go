package main

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// presser is a model that presses a key that changes nothing, at once.
type presser struct{ marked int } // how often it was shown numbered elements

func (p *presser) Complete(_ context.Context, r model.Request) (model.Response, error) {
	for _, m := range r.Messages {
		for _, part := range m.Parts {
			if strings.Contains(part.Text, "Elements are numbered") {
				p.marked++
			}
		}
	}
	return model.Response{Text: `{"thought": "t", "action": {"type": "press", "key": "menu"}}`}, nil
}

// unkept is a run's record that keeps nothing.
type unkept struct{}

func (unkept) Intent(context.Context, agentloop.Step) error                   { return nil }
func (unkept) Done(context.Context, agentloop.Step, agentloop.Progress) error { return nil }

// BenchmarkStepWithMarks is a whole step of a general model on 1080x2400 that is shown numbered
// elements, from the look to the touch, as a ratio to one that is not. The simulated phone dumps at
// once; a real uiautomator takes a second or more, and no model answers at once.
func BenchmarkStepWithMarks(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	s, sim := adbserver.New(), sandbox.New(&sandbox.Options{AnimationScale: new(float64)})
	s.Attach("sandbox-1", shell.New(sim))
	served := make(chan error, 1)
	go func() { served <- s.Serve(b.Context(), ln) }()
	b.Cleanup(func() { require.NoError(b, <-served) })
	host, err := device.NewHost(&device.Options{Server: ln.Addr().String()})
	require.NoError(b, err)
	p, err := host.Open(b.Context(), "sandbox-1")
	require.NoError(b, err)
	require.NoError(b, sim.Apps.Launch("com.android.settings"))
	d, err := families.Known.New("general", &dialect.Options{Lang: "en"})
	require.NoError(b, err)

	const steps = 8
	var asked presser
	run := func(phone agentloop.Phone) time.Duration {
		r := agentloop.Runner{Phone: phone, Policy: policy.New(d, &asked, nil),
			Journal: unkept{}, Limits: agentloop.Limits{Steps: steps, Settle: -1}}
		began := time.Now()
		end, _, err := r.Run(b.Context(), agentloop.Progress{}, 0)
		require.NoError(b, err)
		require.Equal(b, steps, end.Steps, "%+v", end)
		return time.Since(began) / steps
	}
	var with, without time.Duration
	rounds := 0
	for b.Loop() {
		without += run(struct{ agentloop.Phone }{p})
		with += run(struct {
			agentloop.Phone
			agentloop.Reader
		}{p, p})
		rounds++
	}
	require.Equal(b, rounds*steps, asked.marked)
	b.ReportMetric(ms(with)/float64(rounds), "marks-ms/step")
	b.ReportMetric(ms(without)/float64(rounds), "plain-ms/step")
	b.ReportMetric(float64(with)/float64(without), "steps-without")
	b.ReportMetric(0, "ns/op")
}
