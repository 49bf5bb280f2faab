package runs

import (
	"cmp"
	"log/slog"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/runs/touches"
)

// New returns a Manager and starts to watch the questions. The caller must close it.
func New(opts *Options) *Manager {
	o := *opts
	o.Limits.Steps = cmp.Or(o.Limits.Steps, 40)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Broker == nil {
		o.Broker = inquiry.NewBroker(o.Store.Questions, &inquiry.Options{CheckEdit: CheckEdit})
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	m := &Manager{opts: o, lifetime: newLifetime(), store: o.Store, broker: o.Broker, log: o.Log,
		states: sessionStates{grace: o.DetachGrace, observe: o.Observe,
			byID: map[string]*sessionState{}},
		lines: queue.New(o.Store.Leases, o.Log), touches: touches.New(o.Store.Audit, o.Log)}
	m.desk = asking.New(m.ctx, o.Asking, o.Store, o.Broker, asker{m}, o.Log)
	m.ends = &ends{life: m.lifetime, store: m.store, desk: m.desk, lines: m.lines,
		touches: m.touches, states: &m.states, settled: resumer{m}.deliverRetrying, log: m.log}
	events := m.broker.Subscribe()
	m.wg.Go(func() { resumer{m}.watch(events) })
	m.wg.Go(func() {
		// The error is only the cause of m.ctx.
		_ = m.broker.Run(m.ctx, func(err error) { m.log.Error("questions", "err", err) })
	})
	return m
}
