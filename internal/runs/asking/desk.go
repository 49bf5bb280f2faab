package asking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// Options configure a Desk.
type Options struct {
	Answerer answerer // answers under auto_reply, which is refused if it is nil
	// Deciding models by mode, channel.Model or channel.OfModel. nil if there are none.
	Deciders  map[channel.Mode]Decider
	OnRefusal channel.Mode // asked when a person refuses to answer, "" for none
	Draft     channel.Mode // drafts answers for people, "" for none
	// Expected is the reply that was given beforehand to a question like this one. Where there is
	// none, or it does not fit, the question is asked. Nil expects nothing.
	Expected func(inquiry.Question) (r inquiry.Reply, ok bool)

	Console  Console  // answers under manual_reply, which is refused if it is nil
	Channels []string // list every question, in addition to the question's channels
	// How long a channel has its turn if the mode does not say. The default is 10 minutes.
	Attention time.Duration
}

// Desk asks people and models questions. It depends only on the stored state of the runs that ask.
// It is safe for concurrent use.
type Desk struct {
	ctx    context.Context // the lifetime of all runs, longer than any call
	opts   Options
	store  *store.Store
	broker *inquiry.Broker
	router *route.Router
	askers map[string]route.Asker // by channel
	log    *slog.Logger
}

// asker are the callbacks of a Desk.
type asker interface {
	Stop(q inquiry.Question)  // ends the run that asks, for the person at the console
	Moved(q inquiry.Question) // another channel is asked
}

// New returns a Desk that works until ctx ends. The caller must close it.
func New(ctx context.Context, opts Options, db *store.Store, b *inquiry.Broker, runs asker,
	log *slog.Logger) *Desk {
	opts.Attention = cmp.Or(opts.Attention, 10*time.Minute)
	d := &Desk{ctx: ctx, opts: opts, store: db, broker: b, log: log}
	d.askers = d.newAskers(runs.Stop)
	d.router = route.New(&route.Options{Store: b, Askers: d.askers, Name: db.Owner.ID,
		Alive: db.Owner.Alive, Moved: runs.Moved, Log: log})
	return d
}

// Close closes all channels with the cause. The questions stay open.
func (d *Desk) Close(cause error) { d.router.Close(cause) }

// Route starts asking an open question. It does nothing if the question is already being asked.
func (d *Desk) Route(questionID string) { d.router.Route(questionID) }

// Finish closes the channels of a settled question with the cause.
func (d *Desk) Finish(questionID string, cause error) { d.router.Finish(questionID, cause) }

// Routed reports whether the channels of the question are asked in turn.
func (d *Desk) Routed(q inquiry.Question) bool { return d.router.Routed(q) }

// newAskers returns the channels that ask actively, as the options say. stop ends the run that
// asks.
func (d *Desk) newAskers(stop func(inquiry.Question)) map[string]route.Asker {
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

// Open opens a question of a run with the channels of the mode.
func (d *Desk) Open(
	ctx context.Context, q inquiry.Question, mode channel.Mode,
) (inquiry.Question, error) {
	if err := route.Plan(&q, mode, d.opts.Attention, d.opts.Channels); err != nil {
		return q, err
	}
	d.passOn(&q, mode)
	q.Routing = d.router.First(q)
	q, err := d.broker.Open(ctx, q)
	if err != nil || d.opts.Expected == nil {
		return q, err
	}
	if r, ok := d.opts.Expected(q.Clone()); ok {
		if _, err := d.broker.Resolve(ctx, q.ID, r); err != nil {
			d.log.WarnContext(ctx, "a reply that was given beforehand", "question", q.ID,
				"err", err)
		}
	}
	return q, nil
}

// Lacks returns the first step of the mode that this Desk cannot ask, or nil if missing.
func (d *Desk) Lacks(mode channel.Mode) (*channel.Step, error) {
	steps, err := mode.Steps()
	for _, step := range steps {
		if step.Needs != "" && d.askers[step.Name] == nil {
			return &step, err
		}
	}
	return nil, err
}

// Channels returns the channels that can still answer the question, and marks the one whose turn it
// is. A settled question has none.
func (d *Desk) Channels(q inquiry.Question) []inquiry.Channel {
	return route.Left(q, d.router.Routed(q))
}

// Decline records that a channel has no answer, and why. The next channel is then asked. Decline
// does nothing unless it is the channel's turn.
func (d *Desk) Decline(q inquiry.Question, c channel.Mode, why string) {
	if err := d.router.Decline(d.ctx, q.ID, string(c), why); err != nil && d.ctx.Err() == nil {
		d.log.Error("passing a question on", "question", q.ID, "channel", c, "err", err)
	}
}

// Cancel stops routing a question and leaves it open. It does nothing if questionID is "".
func (d *Desk) Cancel(ctx context.Context, questionID string) {
	if questionID == "" {
		return
	}
	ctx, cancel := Detached(ctx)
	defer cancel()
	err := d.router.Cancel(ctx, questionID, route.ErrHalted)
	if err != nil && !errors.Is(err, inquiry.ErrNotFound) {
		d.log.ErrorContext(ctx, "a question is not asked any more", "question", questionID, "err",
			err)
	}
}

// Console asks a person in front of this process.
type Console interface {
	// Ask shows a question until it is settled. It passes answers to b, with resume. stop ends the
	// run that asks. When ctx ends, Ask returns its cause. It returns io.EOF if no answer can be
	// had here. Nothing has changed then.
	Ask(ctx context.Context, b *inquiry.Broker, q inquiry.Question, resume json.RawMessage,
		stop func()) error
}

// consoleChannel asks at the console.
type consoleChannel struct {
	console Console
	broker  *inquiry.Broker
	stop    func(q inquiry.Question) // ends the run that asks
}

// Ask implements route.Asker.
func (c consoleChannel) Ask(ctx context.Context, q inquiry.Question) error {
	return c.console.Ask(ctx, c.broker, q, nil, func() { c.stop(q) })
}

// Withdraw withdraws a question of a run whose phone was taken over. The cause says why.
func (d *Desk) Withdraw(ctx context.Context, questionID string, cause error) {
	if err := d.broker.Withdraw(ctx, questionID, cause.Error()); err != nil &&
		!inquiry.Late(err) {
		d.log.WarnContext(ctx, "withdrawing", "question", questionID, "err", err)
	}
}

// noReplyChannel lets every question lapse without an answer.
type noReplyChannel struct{ broker *inquiry.Broker }

// Ask implements route.Asker.
func (l noReplyChannel) Ask(ctx context.Context, q inquiry.Question) error {
	return l.broker.Lapse(ctx, q.ID)
}

// answerer answers a question on behalf of a person.
type answerer interface {
	Reply(ctx context.Context, task, question string, options []string,
		f *screen.Frame) (string, error)
}

// modelChannel asks an Answerer.
type modelChannel struct {
	answerer answerer
	broker   *inquiry.Broker
	store    *store.Store
}

// frameOf returns the screen that the question is about, or nil if missing. A model then
// answers from the text alone.
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
