package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Asker asks somebody actively while its channel is in turn.
type Asker interface {
	// Ask puts the question, and returns nil once it is settled. It returns when ctx ends, whose
	// cause says why the channel is closed; any other error says why there is no answer here.
	Ask(ctx context.Context, q inquiry.Question) error
}

// store is what a Router needs of a store of questions; *inquiry.Broker is one.
type store interface {
	Get(ctx context.Context, id string) (inquiry.Question, error)
	SetRouting(ctx context.Context, id string, was, to inquiry.Routing) (inquiry.Question, error)
	SettleDeferred(ctx context.Context, id string) error
}

// Options of a Router. All but Log have to be there.
type Options struct {
	Store store
	// by channel; one without is passive: it waits until it is asked, or declines
	Askers map[string]Asker
	Name   string // of this router, in the turns of its questions
	// whether the named router is there; it may be in another process
	Alive func(router string) bool
	Moved func(q inquiry.Question) // called when another channel is in turn
	Log   *slog.Logger             // nil discards
}

// ErrTurnOver is the cause with which a channel is closed whose time is over.
var ErrTurnOver = errors.New("the time to answer here is over; " +
	"the question is put to somebody else")

// ErrPassedOn is the cause with which a channel is closed after somebody has passed the question
// on to a model.
var ErrPassedOn = errors.New("the question is put to a model, as somebody refused to answer")

// ErrHalted is the cause with which the channels of a question are closed that is not to be
// answered now.
var ErrHalted = errors.New("the run was stopped or paused")

// ElsewhereError is the cause with which the channels of a question are closed that was settled
// through another one.
type ElsewhereError struct {
	How string // it was settled, and by whom
}

func (e *ElsewhereError) Error() string {
	return "the question was answered elsewhere (" + e.How + ")"
}

// Elsewhere is the cause for the channels of a settled question.
func Elsewhere(q inquiry.Question) error {
	return &ElsewhereError{fmt.Sprintf("%s: %s", q.Status, text.Line(q.Resolution.Who()))}
}

// errNoModel is why a deciding model has no answer that was configured when the question was asked.
var errNoModel = errors.New("there is no such model any more")

// Router takes questions from channel to channel. It is safe for concurrent use.
type Router struct {
	opts Options

	ctx    context.Context // of all routing: it ends with Close
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	routes map[string]*routing // by question
}

// routing is a goroutine that sees to one question.
type routing struct {
	cancel context.CancelCauseFunc
	again  chan struct{} // holds one token when the question is to be looked at again
	asking string        // the channel that asks, under the router's lock
}

// New makes a Router. The caller closes it.
func New(opts *Options) *Router {
	r := &Router{opts: *opts, routes: map[string]*routing{}}
	r.opts.Log = cmp.Or(r.opts.Log, slog.New(slog.DiscardHandler))
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// Close ends all routing for the cause, which the channels get, and returns when it has ended. The
// turns stay as they are: the next router goes on with them.
func (r *Router) Close(why error) {
	r.mu.Lock() // no Route begins another one
	r.cancel(why)
	r.mu.Unlock()
	r.wg.Wait()
}

// Routed reports whether some router takes the question from channel to channel.
func (r *Router) Routed(q inquiry.Question) bool {
	by := q.Routing.Router
	return by != "" && (by == r.opts.Name || r.opts.Alive(by))
}

// First is the turn of a new question that this router will be given.
func (r *Router) First(q inquiry.Question) inquiry.Routing {
	now := time.Now()
	t := inquiry.Routing{Channel: next(q, "", now), Since: storedTime(now), Router: r.opts.Name}
	if q.Deferred != nil {
		t.Channel = q.Fallback[q.Deferred.Type]
	}
	return t
}

// Route takes an open question from channel to channel until it is settled or every channel has had
// its turn. When it returns a channel is in turn; the rest goes on by itself. It does nothing
// when the question is routed, here or by another router that is there.
func (r *Router) Route(questionID string) {
	if q, err := r.opts.Store.Get(r.ctx, questionID); err == nil {
		if _, mine, err := r.claim(r.ctx, q); err == nil && !mine {
			return
		}
	}
	r.mu.Lock() // an error is met again by the routing
	defer r.mu.Unlock()
	if on := r.routes[questionID]; on != nil {
		wait.Wake(on.again)
		return
	}
	if r.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	on := &routing{cancel: cancel, again: make(chan struct{}, 1)}
	r.routes[questionID] = on
	r.wg.Go(func() {
		defer cancel(nil)
		for more := true; more; more = !r.finished(questionID, on) {
			r.run(ctx, on, questionID)
		}
	})
}

// claim makes the question this router's, with a channel that is in turn, unless it is settled or
// another router's.
func (r *Router) claim(ctx context.Context,
	q inquiry.Question) (now inquiry.Question, mine bool, err error) {
	to := q.Routing
	switch {
	case !q.Open(), q.Routing.Router != r.opts.Name && r.Routed(q):
		return q, false, nil
	case q.Routing.Router == r.opts.Name:
		return q, true, nil
	// no channel has asked yet, or none had an answer while the other router was there
	case q.Routing.Channel == "":
		to = r.First(q)
	}
	to.Router = r.opts.Name
	q, err = r.setRouting(ctx, q, to)
	return q, err == nil, err
}

// finished forgets a routing, unless its question is to be looked at again.
func (r *Router) finished(questionID string, on *routing) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.routes[questionID] != on {
		return true
	}
	select {
	case <-on.again:
		return false
	default:
		delete(r.routes, questionID)
		return true
	}
}

// Finish ends the routing of a question that is settled. The channel that asks gets why.
func (r *Router) Finish(questionID string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on := r.routes[questionID]; on != nil {
		delete(r.routes, questionID)
		on.cancel(why)
	}
}

// Reroute lets the channel that is in turn ask, when somebody else than this router gave it its
// turn: another channel that asks is closed and gets why.
func (r *Router) Reroute(q inquiry.Question, why error) {
	r.mu.Lock()
	on := r.routes[q.ID]
	other := on != nil && on.asking != q.Routing.Channel
	r.mu.Unlock()
	if other {
		r.Finish(q.ID, why)
	}
	r.Route(q.ID)
}

// Cancel ends the routing of an open question that is not to be answered now. It begins anew when
// it is routed again.
func (r *Router) Cancel(ctx context.Context, questionID string, why error) error {
	r.Finish(questionID, why)
	for {
		q, err := r.opts.Store.Get(ctx, questionID)
		if err != nil || !q.Open() {
			return err
		}
		_, err = r.opts.Store.SetRouting(ctx, questionID, q.Routing, inquiry.Routing{})
		if !errors.Is(err, inquiry.ErrTurn) {
			return unlessSettled(err)
		}
	}
}

// Decline says that a channel has no answer to the question, and why: the next one is asked. It
// does nothing when the channel does not have its turn, or another router has the question.
func (r *Router) Decline(ctx context.Context, questionID, channel, why string) error {
	q, err := r.opts.Store.Get(ctx, questionID)
	if err != nil || !q.Open() || Asking(q, time.Now()) != channel ||
		q.Routing.Router != r.opts.Name {
		return err
	}
	if err := r.pass(ctx, q, channel, why); err != nil {
		return unlessSettled(err)
	}
	r.Route(questionID)
	return nil
}

// pass gives the turn of a channel to the next one. trouble is "" when it just took too long.
func (r *Router) pass(ctx context.Context, q inquiry.Question, channel, trouble string) error {
	now := time.Now()
	to := inquiry.Routing{Channel: next(q, channel, now), Since: storedTime(now),
		Router: r.opts.Name, Trouble: cmp.Or(trouble, q.Routing.Trouble)}
	_, err := r.setRouting(ctx, q, to)
	return err
}

func (r *Router) setRouting(ctx context.Context, q inquiry.Question,
	to inquiry.Routing) (inquiry.Question, error) {
	q, err := r.opts.Store.SetRouting(ctx, q.ID, q.Routing, to)
	if err == nil {
		r.opts.Moved(q)
	}
	return q, err
}

// unlessSettled is err, unless it only says that another turn, or an answer, was faster.
func unlessSettled(err error) error {
	if errors.Is(err, inquiry.ErrSettled) || errors.Is(err, inquiry.ErrTurn) ||
		errors.Is(err, inquiry.ErrNotFound) {
		return nil
	}
	return err
}

// run lets one channel after the other ask, until the question is settled, or no channel is left,
// or the one that is in turn is passive and has no end.
func (r *Router) run(ctx context.Context, on *routing, questionID string) {
	for done := false; !done && ctx.Err() == nil; {
		q, err := r.opts.Store.Get(ctx, questionID)
		if err == nil {
			done, err = r.step(ctx, on, q)
		}
		if unlessSettled(err) != nil && ctx.Err() == nil {
			r.opts.Log.ErrorContext(ctx, "a question waits, and no channel is asked", "question",
				questionID, "err", err)
		}
		done = done || unlessSettled(err) != nil || errors.Is(err, inquiry.ErrNotFound)
	}
}

// step is the next thing to do about a question. done says that there is nothing more to do.
func (r *Router) step(ctx context.Context, on *routing, q inquiry.Question) (done bool, err error) {
	q, mine, err := r.claim(ctx, q)
	switch {
	case err != nil:
		return false, err
	case !mine, q.Routing.Channel == "":
		return true, nil
	case Asking(q, time.Now()) != q.Routing.Channel:
		return false, r.pass(ctx, q, q.Routing.Channel, "")
	}
	return r.ask(ctx, on, q)
}

// ask lets the channel that is in turn ask until its time is over.
func (r *Router) ask(ctx context.Context, on *routing, q inquiry.Question) (done bool, err error) {
	name, turn := q.Routing.Channel, ctx
	if i := q.Index(name); i >= 0 && !q.Channels[i].Until.IsZero() {
		var cancel context.CancelFunc
		turn, cancel = context.WithDeadlineCause(ctx, q.Channels[i].Until, ErrTurnOver)
		defer cancel()
	}
	asker := r.opts.Askers[name]
	deciders := r.opts.Askers[string(channel.Model)] != nil // another process may have none
	if asker == nil && !(deciders && channel.Mode(name).IsModel()) {
		if turn == ctx {
			return true, nil // nothing to do until somebody answers or it declines
		}
		select {
		case <-on.again:
		case <-turn.Done():
		}
		return ctx.Err() != nil, nil
	}
	r.mu.Lock()
	on.asking = name
	r.mu.Unlock()
	if err = errNoModel; asker != nil {
		err = asker.Ask(turn, q)
	}
	switch {
	case ctx.Err() != nil:
		return true, nil
	case turn.Err() != nil:
		return false, nil
	case err == nil: // it is settled
		return true, nil
	}
	r.opts.Log.WarnContext(ctx, "no answer", "question", q.ID, "session", q.SessionID, "channel",
		name, "err", err)
	if q.Deferred != nil {
		return false, r.opts.Store.SettleDeferred(ctx, q.ID)
	}
	return false, r.pass(ctx, q, name, fmt.Sprintf("%s had no answer: %v", name, err))
}

// Plan writes into a new question through which channels it goes when it is asked now, and what
// silence leads to. attention is the time of a step that does not say its own; listed are channels
// where every question can be answered.
func Plan(q *inquiry.Question, mode channel.Mode, attention time.Duration, listed []string) error {
	steps, err := mode.Steps()
	if err != nil {
		return err
	}
	at := time.Now()
	for i, s := range steps {
		c := inquiry.Channel{Name: s.Name}
		last := i == len(steps)-1
		s.Time = cmp.Or(s.Time, attention)
		if q.AttentionUntil = at.Add(s.Time); !last {
			c.Until = storedTime(q.AttentionUntil)
		}
		if last && s.Last {
			q.AttentionUntil, q.OnTimeout = at, inquiry.GoOn
		}
		q.Channels = append(q.Channels, c)
		at = q.AttentionUntil
	}
	for _, name := range listed {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	return nil
}

// storedTime is a time as a store keeps it.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Asking is the channel that is in turn at the time; "" when none has. Its router may not have
// noticed yet that a time is over.
func Asking(q inquiry.Question, at time.Time) string {
	name := q.Routing.Channel
	i := q.Index(name)
	if i < 0 || upcoming(q.Channels[i], at) {
		return name
	}
	return next(q, name, at)
}

// next is the channel whose turn comes after the named one, "" after the last; name is "" before
// the first.
func next(q inquiry.Question, name string, at time.Time) string {
	for _, c := range q.Channels[q.Index(name)+1:] {
		if upcoming(c, at) {
			return c.Name
		}
	}
	return ""
}

// upcoming reports whether the channel is a step whose turn is not over.
func upcoming(c inquiry.Channel, at time.Time) bool {
	return channel.Named(c.Name).Step && (c.Until.IsZero() || at.Before(c.Until))
}

// Left are the channels through which the open question can still be answered. routed says that its
// router is there: the channel that is in turn is marked then. What is not asked at all is left
// out, and so is a step whose turn is over; but the client may answer as long as the question is
// open. Of a settled question there are none.
func Left(q inquiry.Question, routed bool) (left []inquiry.Channel) {
	if !q.Open() {
		return nil
	}
	now := time.Now()
	turn := q.Index(Asking(q, now))
	for i, d := range q.Channels {
		c := channel.Named(d.Name)
		over := !d.Until.IsZero() && !now.Before(d.Until) ||
			c.Step && q.Routing != (inquiry.Routing{}) && (turn < 0 || i < turn)
		switch {
		case c.Last, over && c.Name != string(channel.PassToClient):
			continue
		case over:
			d.Until = time.Time{}
		}
		d.Asks = d.Asks || routed && i == turn
		left = append(left, d)
	}
	return left
}
