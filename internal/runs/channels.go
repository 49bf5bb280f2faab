package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// questioner puts questions to people and models, through the channels that there are. It knows
// the runs that ask only by what is stored of them.
type questioner struct {
	opts   Options
	store  *store.Store
	broker *inquiry.Broker
	router *route.Router
	askers map[string]route.Asker // by channel
	log    *slog.Logger

	// The lifetime of all runs: it ends with the Manager's Close and not with any call.
	ctx context.Context
}

// newAskers are the channels that ask actively, as the options have them; stop ends the run that
// asks, for the person at the console.
func (d *questioner) newAskers(stop func(inquiry.Question)) map[string]route.Asker {
	askers := map[string]route.Asker{string(channel.NoReply): noReplyChannel{d.broker}}
	if d.opts.Console != nil {
		askers[string(channel.ManualReply)] = consoleChannel{d.opts.Console, d.broker, stop}
	}
	for name, by := range d.opts.Deciders {
		askers[string(name)] = deciderChannel{d, name, by}
	}
	if d.opts.Answerer != nil {
		askers[string(channel.AutoReply)] = modelChannel{d.opts.Answerer, d.broker, d.store}
	}
	return askers
}

// Channels are those through which the open question can still be answered, the one that asks
// now marked. Of a settled question there are none.
func (d *questioner) Channels(q inquiry.Question) []inquiry.Channel {
	return route.Left(q, d.router.Routed(q))
}

// Decline says that a channel has no answer to the question, and why: the next one is asked. It
// does nothing when the channel does not have its turn.
func (d *questioner) Decline(q inquiry.Question, c channel.Mode, why string) {
	if err := d.router.Decline(d.ctx, q.ID, string(c), why); err != nil && d.ctx.Err() == nil {
		d.log.Error("passing a question on", "question", q.ID, "channel", c, "err", err)
	}
}

// cancelRouting ends the routing of a question that is not to be answered now; "" is none.
func (d *questioner) cancelRouting(ctx context.Context, questionID string) {
	if questionID == "" {
		return
	}
	ctx, cancel := detached(ctx)
	defer cancel()
	err := d.router.Cancel(ctx, questionID, route.ErrHalted)
	if err != nil && !errors.Is(err, inquiry.ErrNotFound) {
		d.log.ErrorContext(ctx, "a question is not asked any more", "question", questionID, "err",
			err)
	}
}

// stopFromConsole ends the run that asks, for the person at the console.
func (m *Manager) stopFromConsole(q inquiry.Question) {
	r := channel.ManualReply.Answer("")
	by := Actor{Channel: r.Channel, Authority: r.Authority}
	_, err := m.Stop(m.ctx, StopRequest{SessionID: q.SessionID, By: by})
	if err != nil && m.ctx.Err() == nil {
		m.log.Error("stopping from the console", "session", q.SessionID, "err", err)
	}
}

// Console is where a person sits who is asked questions.
type Console interface {
	// Ask puts a question until it is settled, or ctx ends, and then returns ctx's cause. b takes
	// the answers, and keeps resume with them. stop ends the run that asks. An io.EOF means that
	// there is no answer to be had here, and that nothing has changed.
	Ask(ctx context.Context, b *inquiry.Broker, q inquiry.Question, resume json.RawMessage,
		stop func()) error
}

// consoleChannel is the channel at which the person at the console is asked.
type consoleChannel struct {
	console Console
	broker  *inquiry.Broker
	stop    func(q inquiry.Question) // ends the run that asks
}

// Ask implements route.Asker.
func (c consoleChannel) Ask(ctx context.Context, q inquiry.Question) error {
	return c.console.Ask(ctx, c.broker, q, nil, func() { c.stop(q) })
}

// AskHere puts an open question to the person at the console, whatever its reply mode says and
// whoever else is asked. With the answer the run continues as r says; with a nil r it continues
// with the steps that it has. It returns nil once the question is settled, here or elsewhere. An
// io.EOF means that there is no answer to be had here: then nothing has changed.
func (m *Manager) AskHere(ctx context.Context, q inquiry.Question, r *ContinueRequest) error {
	if m.opts.Console == nil {
		return fmt.Errorf("there is no console: %w", io.EOF)
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.spawn(func() { // ends with the question or with asking
		if settled, err := m.broker.Wait(asking, q.ID); err == nil {
			cancel(route.Elsewhere(settled))
		}
	})
	var resume json.RawMessage
	if r != nil {
		resume = encode(r.resumption())
	}
	err := m.opts.Console.Ask(asking, m.broker, q, resume, func() { m.stopFromConsole(q) })
	if _, settled := errors.AsType[*route.ElsewhereError](err); settled {
		return nil
	}
	return err
}

// noReplyChannel is the channel at which nobody is asked.
type noReplyChannel struct{ broker *inquiry.Broker }

// Ask implements route.Asker.
func (l noReplyChannel) Ask(ctx context.Context, q inquiry.Question) error {
	return l.broker.Lapse(ctx, q.ID)
}

// Answerer answers a question in a person's place.
type Answerer interface {
	Reply(ctx context.Context, task, question string, options []string,
		f *screen.Frame) (string, error)
}

// modelChannel is the channel at which a model answers in a person's place.
type modelChannel struct {
	answerer Answerer
	broker   *inquiry.Broker
	store    *store.Store
}

// frameOf is the screen that the question is about; nil when there is none: a model then answers
// from the words.
func frameOf(ctx context.Context, db *store.Store, q inquiry.Question) *screen.Frame {
	b, err := db.Frame(ctx, q.Frame)
	if err != nil {
		return nil
	}
	f, _ := screen.FromJPEG(b)
	return f
}

// Ask implements route.Asker.
func (c modelChannel) Ask(ctx context.Context, q inquiry.Question) error {
	if err := q.ForModels(); err != nil {
		return err
	}
	words, err := c.answerer.Reply(ctx, q.Task, q.Text,
		inquiry.As[inquiry.Ask](q).Options, frameOf(ctx, c.store, q))
	if err != nil {
		return err
	}
	_, err = c.broker.Resolve(ctx, q.ID, channel.AutoReply.Answer(words))
	return inquiry.UnlessLate(err)
}
