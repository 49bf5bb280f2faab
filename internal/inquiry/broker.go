package inquiry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// Options say how a broker works.
type Options struct {
	Attention time.Duration    // until AttentionUntil, when a question does not say; 0 means 10 min
	TTL       time.Duration    // until ExpiresAt, when a question does not say; 0 means 24 h
	MaxAnswer int              // bytes of an answer; 0 means 64 KiB
	Buffer    int              // events that a subscriber may be behind; 0 means 256
	Every     time.Duration    // how often Run sweeps; 0 means 1 s
	Now       func() time.Time // nil means time.Now

	// ProgramsDecide lets programs with a token, and the models of MCP clients, decide about
	// Sensitive actions; about Routine ones they do, about Critical ones never.
	ProgramsDecide bool
	// CheckEdit says why an action cannot take the place of the one that was asked about; nil
	// refuses all that do
	CheckEdit func(was ActionRequest, edited EditedAction) error
}

// Broker settles questions and wakes those who wait. It is safe for concurrent use. Several
// brokers, in one process or in several, may share a store: the store decides who wins, and Sweep
// brings what the others settled.
type Broker struct {
	store   Store
	opts    Options
	digests *digests
	feed    *feed
}

// NewBroker makes a broker over a store. It starts no goroutine: the owner calls Run, or Sweep.
func NewBroker(store Store, opts *Options) *Broker {
	b := &Broker{store: store, digests: newDigests()}
	if opts != nil {
		b.opts = *opts
	}
	o := &b.opts
	o.Attention = cmp.Or(o.Attention, 10*time.Minute)
	o.TTL = cmp.Or(o.TTL, 24*time.Hour)
	o.Every = cmp.Or(o.Every, time.Second)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 64<<10)
	o.Buffer = cmp.Or(o.Buffer, 256)
	if o.Now == nil {
		o.Now = time.Now
	}
	b.feed = newFeed(o.Buffer)
	return b
}

// The bounds of a time that a model may set.
const (
	MinAttention = 30 * time.Second
	MaxAttention = 24 * time.Hour
)

// Clamp brings a time that a model asked for into its bounds.
func Clamp(d time.Duration) time.Duration { return min(max(d, MinAttention), MaxAttention) }

// Open stores a new question and then publishes it. Id, status and AskedAt are the broker's own;
// the deadlines are those of q, or the options'. A question that cannot be asked as it is gives
// ErrInvalid. One whose answer was remembered is answered with it at once.
func (b *Broker) Open(ctx context.Context, q Question) (Question, error) {
	q = q.Clone()
	q.ID, q.Status = NewID(), Pending
	q.Resolution, q.Deferred = nil, nil
	q.AppliedAt = time.Time{}
	q.AskedAt = b.now()
	if q.Kind == "" {
		q.Kind = KindInfo
		if q.Body != nil {
			q.Kind = cmp.Or(q.Body.Kind(), q.Kind)
		}
	}
	q.Body = q.body()
	q.Clean()
	if q.AttentionUntil.IsZero() {
		q.AttentionUntil = q.AskedAt.Add(b.opts.Attention)
	}
	if q.ExpiresAt.IsZero() {
		q.ExpiresAt = q.AskedAt.Add(max(b.opts.TTL, q.AttentionUntil.Sub(q.AskedAt)))
	}
	q.AttentionUntil, q.ExpiresAt = q.AttentionUntil.UTC().Truncate(time.Millisecond),
		q.ExpiresAt.UTC().Truncate(time.Millisecond)
	if err := q.check(&b.opts); err != nil {
		return Question{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	q.RememberFor = q.scopes()
	b.feed.expect(q.ID)
	if err := b.store.Insert(ctx, q); err != nil {
		b.feed.drop(q.ID)
		return Question{}, fmt.Errorf("asking: %w", err)
	}
	b.feed.publishIfOpen(Created, q)
	b.recall(ctx, q)
	return q, nil
}

// check reports what is wrong with a new question, and brings its defaults into their canonical
// form.
func (q *Question) check(o *Options) error {
	switch own := q.Body.Kind(); {
	case bodies[q.Kind] == nil:
		return fmt.Errorf("unknown kind %q", q.Kind)
	case own != q.Kind && (own != "" || bodies[q.Kind](nil).Kind() != ""):
		return fmt.Errorf("what it asks for is not of the kind %s", q.Kind)
	case strings.TrimSpace(q.Text) == "":
		return errors.New("the question is empty")
	case q.AttentionUntil.Before(q.AskedAt) || q.ExpiresAt.Before(q.AttentionUntil):
		return fmt.Errorf(
			"the deadlines are out of order: asked %s, attention until %s, expires %s", q.AskedAt,
			q.AttentionUntil, q.ExpiresAt)
	}
	return q.Body.Check(q, o)
}

// Get returns a question, or ErrNotFound.
func (b *Broker) Get(ctx context.Context, id string) (Question, error) {
	return b.store.Get(ctx, id)
}

// List returns questions, oldest first.
func (b *Broker) List(ctx context.Context, f Filter) ([]Question, error) {
	return b.store.List(ctx, f)
}

// SetRouting is the compare-and-set of the routing of an open question, which is still was.
// Otherwise it returns the question as it is, and ErrSettled or ErrTurn.
func (b *Broker) SetRouting(ctx context.Context, id string, was, to Routing) (Question, error) {
	return b.store.Amend(ctx, id, func(q *Question) error {
		if q.Routing != was {
			return ErrTurn
		}
		q.Routing = to
		return nil
	})
}

// Apply takes a settled question's answer for use by the run's life fence, once. See Store.Apply.
func (b *Broker) Apply(ctx context.Context, id string, fence int64) (Question, error) {
	q, err := b.store.Apply(ctx, id, fence, b.now())
	if err != nil {
		return q, fmt.Errorf("applying the answer to question %s: %w", id, err)
	}
	return q, nil
}

// Result is what became of a reply that won.
type Result struct {
	Question Question
	Replayed bool // the same reply was accepted before
}

// Resolve settles the question with the reply, if it is the first. Otherwise: the same reply again
// (by its id) is the same success, Replayed; ErrReplyIDReused when its id came with other content;
// a *SettledError that tells the winner, or, as ErrGone, that the question timed out, expired or
// was withdrawn. A reply that does not fit is an *InvalidReplyError, one whose sender may not
// decide a *ForbiddenError, and the question stays open. RefusalOf tells them apart.
//
// An answer that only acknowledges is no secret, and nor is its question from then on. One that is
// a code of which the question speaks is a secret, unless the question is Public.
//
// The answer to a Takeover that says no more than that it is done is a TypeDone.
//
// A TypeTimeout does now what silence until AttentionUntil does: under Pause, and where a
// model answers then, the question stays open, and is Overdue.
//
// What an answer says is kept without control characters other than line breaks and tabs, and
// without characters that hide or turn words (see package text).
//
// When it returns nil the resolution is on disk. A question whose time is over is settled so,
// whether or not a sweep was there first.
func (b *Broker) Resolve(ctx context.Context, id string, r Reply) (Result, error) {
	q, err := b.store.Get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if r.Type = cmp.Or(r.Type, TypeAnswer); r.Type == TypeAnswer {
		r.Type = q.body().Means(r.Response)
	}
	if !q.Open() {
		return b.tooLate(q, r)
	}
	if p := q.Deferred; p != nil && r.ID != "" && r.ID == p.ReplyID {
		return b.tooLate(q, r)
	}
	now := b.now()
	if to, timer := q.due(now); to != Pending {
		q, err := b.settle(ctx, q.ID, to, timer)
		if err != nil && !errors.Is(err, ErrSettled) {
			return Result{}, err
		}
		return b.tooLate(q, r)
	}
	if r.Type == TypeAnswer && q.IsCode(text.Lines(r.Response)) {
		q.Secret = true
	}
	if err := q.permit(r.Authority); err != nil {
		return Result{}, err
	}
	if err := q.checkRemember(r); err != nil {
		return Result{}, err
	}
	if err := q.checkType(r); err != nil {
		return Result{}, err
	}
	if r.Type == TypeTimeout {
		return b.resolveTimeout(ctx, q, r, now)
	}
	return b.resolveWith(ctx, q, r, now)
}

// resolveWith settles a question with a reply, or has a model asked in its place.
func (b *Broker) resolveWith(
	ctx context.Context, q Question, r Reply, now time.Time,
) (Result, error) {
	res, err := q.body().Take(&q, r, &b.opts)
	if err != nil {
		return Result{}, err
	}
	res.Channel, res.Authority, res.By = r.Channel, r.Authority, r.By
	res.ReplyID, res.At, res.Resume, res.Remember = r.ID, now, r.Resume, r.Remember
	answer := res.Response.Reveal()
	if s := q.Suggestion; s != nil && r.Type == TypeAnswer && r.Authority != AuthorityAgent &&
		answer == s.Answer {
		res.Unedited = s.By
	}
	switch {
	case r.Authority == AuthorityAgent && q.Deferred != nil && r.Resume == nil:
		res.Resume = json.RawMessage(q.Routing.Resume)
	case q.Fallback[r.Type] != "" && q.Deferred == nil && q.ForModels() == nil:
		return b.fallBack(ctx, q, res)
	}
	q, err = b.settle(ctx, q.ID, res.status(), res)
	if err == nil && q.Secret {
		b.digests.keep(q.ID, answer)
	}
	return b.unlessTooLate(q, r, err)
}

// settle is the one way to settle a question: the store first, then those who wait. The question is
// as it is now, with ErrSettled too.
func (b *Broker) settle(ctx context.Context, id string, to Status, r Resolution) (Question, error) {
	q, err := b.store.Settle(ctx, id, to, r)
	if err == nil || errors.Is(err, ErrSettled) {
		b.feed.announce(q, err == nil)
	}
	return q, err
}

// Withdraw closes a question without an answer, and says why. One that is withdrawn already is
// fine; one that was settled otherwise is a *SettledError.
func (b *Broker) Withdraw(ctx context.Context, id, why string) error {
	q, err := b.settle(ctx, id, Withdrawn, Resolution{Type: TypeWithdraw, Channel: ChannelRun,
		Why: why, At: b.now()})
	switch {
	case err == nil || errors.Is(err, ErrSettled) && q.Status == Withdrawn:
		return nil
	case errors.Is(err, ErrSettled):
		return &SettledError{q.erased()}
	}
	return fmt.Errorf("withdrawing question %s: %w", id, err)
}

// Lapse settles a question as if its time for attention were over: there is no one left to answer.
// One that is settled already is fine.
func (b *Broker) Lapse(ctx context.Context, id string) error {
	_, err := b.settle(ctx, id, TimedOut, Resolution{Type: TypeTimeout, Channel: ChannelTimer,
		At: b.now()})
	if err == nil || errors.Is(err, ErrSettled) {
		return nil
	}
	return fmt.Errorf("settling question %s: %w", id, err)
}

// Wait returns the question once it is settled, or ctx's cause.
// A question that another process settles is noticed by this broker's next sweep.
func (b *Broker) Wait(ctx context.Context, id string) (Question, error) {
	ch := b.feed.await(id)
	defer b.feed.forget(id, ch)
	for {
		q, err := b.store.Get(ctx, id)
		if err != nil || !q.Open() {
			return q, err
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return q, context.Cause(ctx)
		}
	}
}

func (b *Broker) now() time.Time { return b.opts.Now().UTC().Truncate(time.Millisecond) }
