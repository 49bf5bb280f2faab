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

// Options of a Desk: through which channels questions are asked.
type Options struct {
	Answerer Answerer // answers under auto_reply; nil refuses that mode
	// the deciding models, channel.Model or channel.OfModel of each; nil when this process has none
	Deciders  map[channel.Mode]Decider
	OnRefusal channel.Mode // the one that is asked when a person refuses to answer; "" for none
	Draft     channel.Mode // the one that drafts answers for people; "" for none
	Console   Console      // answers under manual_reply; nil refuses that mode
	Channels  []string     // the channels where every question is listed, along with its own
	// how long a channel is in turn under a mode that does not say; 0 means 10 min
	Attention time.Duration
}

// Desk puts questions to people and models. It knows the runs that ask only by what is stored of
// them, and is safe for concurrent use.
type Desk struct {
	ctx    context.Context // the lifetime of all runs: it ends with no call
	opts   Options
	store  *store.Store
	broker *inquiry.Broker
	router *route.Router
	askers map[string]route.Asker // by channel
	log    *slog.Logger
}

// Runs is what a Desk asks of who carries runs out.
type Runs interface {
	Stop(q inquiry.Question)  // ends the run that asks, for the person at the console
	Moved(q inquiry.Question) // another channel is asked
}

// New returns a Desk that works until ctx ends. The caller then calls Close.
func New(ctx context.Context, opts Options, db *store.Store, b *inquiry.Broker, runs Runs,
	log *slog.Logger) *Desk {
	opts.Attention = cmp.Or(opts.Attention, 10*time.Minute)
	d := &Desk{ctx: ctx, opts: opts, store: db, broker: b, log: log}
	d.askers = d.newAskers(runs.Stop)
	d.router = route.New(&route.Options{Store: b, Askers: d.askers, Name: db.Owner.ID,
		Alive: db.Owner.Alive, Moved: runs.Moved, Log: log})
	return d
}

// Close ends the channels at which questions are asked, with the cause. The questions stay open.
func (d *Desk) Close(cause error) { d.router.Close(cause) }

// Route has an open question asked. It does nothing if the question is being asked already.
func (d *Desk) Route(questionID string) { d.router.Route(questionID) }

// Finish closes the channels of a question that was settled, with the cause.
func (d *Desk) Finish(questionID string, cause error) { d.router.Finish(questionID, cause) }

// Routed reports whether the question is asked at one channel after the other.
func (d *Desk) Routed(q inquiry.Question) bool { return d.router.Routed(q) }

// newAskers are the channels that ask actively, as the options have them; stop ends the run that
// asks, for the person at the console.
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

// Open asks a question of a run through the channels of the mode.
func (d *Desk) Open(
	ctx context.Context, q inquiry.Question, mode channel.Mode,
) (inquiry.Question, error) {
	if err := route.Plan(&q, mode, d.opts.Attention, d.opts.Channels); err != nil {
		return q, err
	}
	d.passOn(&q, mode)
	q.Routing = d.router.First(q)
	return d.broker.Open(ctx, q)
}

// Lacks is a step of the mode at which nobody can be asked here; nil if there is none.
func (d *Desk) Lacks(mode channel.Mode) (*channel.Step, error) {
	steps, err := mode.Steps()
	for _, step := range steps {
		if step.Needs != "" && d.askers[step.Name] == nil {
			return &step, err
		}
	}
	return nil, err
}

// Channels are those through which the open question can still be answered, the one that asks
// now marked. Of a settled question there are none.
func (d *Desk) Channels(q inquiry.Question) []inquiry.Channel {
	return route.Left(q, d.router.Routed(q))
}

// Decline says that a channel has no answer to the question, and why: the next one is asked. It
// does nothing when the channel does not have its turn.
func (d *Desk) Decline(q inquiry.Question, c channel.Mode, why string) {
	if err := d.router.Decline(d.ctx, q.ID, string(c), why); err != nil && d.ctx.Err() == nil {
		d.log.Error("passing a question on", "question", q.ID, "channel", c, "err", err)
	}
}

// Cancel ends the routing of a question that is not to be answered now; "" is none.
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

// Withdraw withdraws a question of a run whose phone was taken over, as the cause says.
func (d *Desk) Withdraw(ctx context.Context, questionID string, cause error) {
	if err := d.broker.Withdraw(ctx, questionID, cause.Error()); err != nil &&
		!inquiry.Late(err) {
		d.log.WarnContext(ctx, "withdrawing", "question", questionID, "err", err)
	}
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
