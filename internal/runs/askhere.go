package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/route"
)

// asker is the Manager as its desk sees it.
type asker struct{ m *Manager }

// Moved notes that another channel asks.
func (a asker) Moved(q inquiry.Question) {
	if s := a.m.states.inUse(q.SessionID); s != nil {
		s.changed.Send()
	}
}

// AskHere asks an open question at the console, regardless of its reply mode and of other channels.
// It returns nil once the question is settled, here or elsewhere. If r is not nil, the run
// continues with the answer as r says, otherwise with the steps that it has left. AskHere returns
// io.EOF if the console cannot give an answer. Nothing has changed then.
func (m *Manager) AskHere(ctx context.Context, q inquiry.Question, r *ContinueRequest) error {
	if m.opts.Asking.Console == nil {
		return fmt.Errorf("there is no console: %w", io.EOF)
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.spawn(func() { // returns when the question is settled or asking ends
		if settled, err := m.broker.Wait(asking, q.ID); err == nil {
			cancel(route.Elsewhere(settled))
		}
	})
	var resume json.RawMessage
	if r != nil {
		resume = encode(r.resumption())
	}
	err := m.opts.Asking.Console.Ask(asking, m.broker, q, resume, func() { asker{m}.Stop(q) })
	if _, settled := errors.AsType[*route.ElsewhereError](err); settled {
		return nil
	}
	return err
}
