package notify

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Notifier delivers events to endpoints.
type Notifier struct {
	opts      Options
	sends     atomic.Bool // Run runs
	mu        sync.Mutex
	endpoints []*endpoint // replaced, never changed
}

// all are the endpoints now.
func (n *Notifier) all() []*endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.endpoints
}

// change replaces the endpoints by what edit makes of a copy of them.
func (n *Notifier) change(edit func([]*endpoint) []*endpoint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.endpoints = edit(slices.Clone(n.endpoints))
}

func (n *Notifier) drop(name string) {
	n.change(func(all []*endpoint) []*endpoint {
		return slices.DeleteFunc(all, func(e *endpoint) bool { return e.name == name })
	})
}

// New makes a Notifier, or says which of the options cannot work. It starts nothing.
func New(opts *Options) (*Notifier, error) {
	n := &Notifier{opts: *opts}
	o := &n.opts
	o.Try = cmp.Or(o.Try, 10*time.Second)
	o.FirstWait = cmp.Or(o.FirstWait, time.Second)
	o.LastWait = cmp.Or(o.LastWait, 10*time.Minute)
	o.GiveUp = cmp.Or(o.GiveUp, 24*time.Hour)
	o.Queue = cmp.Or(o.Queue, 1000)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Events == nil {
		o.Events = []string{prefix + "*"}
	}
	add := func(t target, err error) error {
		if err == nil {
			n.endpoints = append(n.endpoints, newEndpoint(t, o, n.catchUp))
		}
		return err
	}
	for _, w := range o.Webhooks {
		if err := add(newHook(w)); err != nil {
			return nil, err
		}
	}
	if o.Ntfy.URL != "" {
		if err := add(newTopic(o.Ntfy)); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// Idle reports whether there is nobody to tell, and will not be.
func (n *Notifier) Idle() bool { return len(n.all()) == 0 && n.opts.Browsers == nil }

// Run sends messages until ctx ends, and returns its cause. It begins with what was not sent yet.
// Attempts that are under way at the end are broken off; the next Run takes them up. It is called
// once.
func (n *Notifier) Run(ctx context.Context) error {
	events := n.opts.Questions.Subscribe()
	defer events.Close()
	n.sends.Store(true)
	defer n.sends.Store(false)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { n.followNotices(ctx) })
	for _, e := range n.all() {
		wg.Go(func() { e.run(ctx) })
	}
	if n.opts.Browsers != nil {
		wg.Go(func() {
			n.followBrowsers(ctx, func(ctx context.Context, e *endpoint) {
				wg.Go(func() { e.run(ctx) })
			})
		})
	}
	n.catchUp(ctx)
	for {
		e, err := events.Next(ctx)
		switch {
		case err != nil:
			return err
		case e.Type == inquiry.Lost:
			n.catchUp(ctx)
		case e.Type == inquiry.Drafted, e.Question.Open() && e.Question.Deferred != nil:
			// no one has to be told: it waits as it did, or for a model
		default:
			n.send(ctx, newMessage(e.Type, e.Question))
		}
	}
}

// send puts a message into the queues of the endpoints that have not had it.
func (n *Notifier) send(ctx context.Context, m *notification) {
	if !Chosen(n.opts.Events, m.event) {
		return
	}
	m.link = n.address("/ui#question=" + m.question.ID)
	had := n.receipts(ctx, Span{QuestionID: m.question.ID})
	for _, e := range n.all() {
		if !(e.openOnly && m.final()) && !m.at.Before(e.since) && !had[m.receipt(e.name)] {
			e.queue.put(m)
		}
	}
}

// address is the address of what is at path on the page, or "" if nobody can open the page.
func (n *Notifier) address(path string) string {
	if n.opts.BaseURL == nil {
		return ""
	}
	base := strings.TrimRight(n.opts.BaseURL(), "/")
	if base == "" {
		return ""
	}
	return base + path
}

// receipts is what the ledger has, nothing when it cannot be read: a message sent twice is better
// than none.
func (n *Notifier) receipts(ctx context.Context, s Span) map[Receipt]bool {
	list, err := n.opts.Ledger.Receipts(ctx, s)
	if err != nil && ctx.Err() == nil {
		n.opts.Log.Error("the receipts cannot be read", "err", err)
	}
	had := map[Receipt]bool{}
	for _, r := range list {
		had[r] = true
	}
	return had
}

// lookBack is how old a receipt may be whose question's end is still sent after a restart.
const lookBack = 7 * 24 * time.Hour

// catchUp sends the open questions, and the end of questions that were sent before.
func (n *Notifier) catchUp(ctx context.Context) {
	now := time.Now()
	open, err := n.opts.Questions.List(ctx, inquiry.Filter{Status: inquiry.Pending})
	if err != nil && ctx.Err() == nil {
		n.opts.Log.Error("the open questions cannot be read", "err", err)
	}
	for _, q := range open {
		n.send(ctx, newMessage(inquiry.Created, q))
		if !now.Before(q.AttentionUntil) {
			n.send(ctx, newMessage(inquiry.Overdue, q))
		}
	}
	n.catchUpNotices(ctx, now.Add(-n.opts.GiveUp), now)
	asked := map[string]bool{}
	for r := range n.receipts(ctx, Span{Since: now.Add(-lookBack)}) {
		if r.QuestionID != "" {
			asked[r.QuestionID] = true
		}
	}
	for id := range asked {
		q, err := n.opts.Questions.Get(ctx, id)
		if err == nil && !q.Open() && q.Resolution != nil &&
			now.Sub(q.Resolution.At) < n.opts.GiveUp {
			n.send(ctx, newMessage(q.Status.Event(), q))
		}
	}
}

// Chosen returns the notice as it is kept and sent, and false if its event is not one of those that
// were chosen. What has no event is never sent.
func (n *Notifier) Chosen(about Notice) (Notice, bool) {
	about.At = about.At.UTC()
	if !n.opts.Answers {
		about.Answer = ""
	}
	if n.opts.HideText {
		about.Why = ""
	}
	about.Answer, about.Why = text.Cut(about.Answer, maxText), text.Cut(about.Why, maxText)
	return about, about.Event != "" && Chosen(n.opts.Events, about.Event)
}

// Tell sends a notice, if it is chosen. The notice is in the ledger when Tell returns: what this
// process does not deliver, the one that does send delivers, or the next.
func (n *Notifier) Tell(about Notice) {
	about, is := n.Chosen(about)
	if !is {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writing)
	defer cancel()
	if err := n.opts.Ledger.Noticed(ctx, about); err != nil {
		n.opts.Log.Error("a notice cannot be noted; it is lost if it is not sent before a restart",
			"event", about.Event, "err", err)
	}
	n.put(about, nil)
}

// Send sends a notice that is in the ledger already, if it is chosen.
func (n *Notifier) Send(about Notice) {
	if about, is := n.Chosen(about); is {
		n.put(about, nil)
	}
}

// put puts a notice into the queues of the endpoints that have not had it.
func (n *Notifier) put(about Notice, had map[Receipt]bool) {
	if !n.sends.Load() {
		return // the ledger has it, for who sends
	}
	path := "/ui"
	if about.SessionID != "" {
		path += "/sessions/" + about.SessionID
	}
	about.URL = n.address(path)
	m := &notification{event: about.Event, notice: &about, at: about.At, link: about.URL}
	for _, e := range n.all() {
		if !m.at.Before(e.since) && !had[m.receipt(e.name)] {
			e.queue.put(m)
		}
	}
}

// own is how long a notice is left to the process that noted it, and how often those of others are
// looked for. Notices may come into the ledger late by overlap.
const own, overlap = 5 * time.Second, time.Minute

// followNotices puts what processes tell that do not send, until ctx ends.
func (n *Notifier) followNotices(ctx context.Context) {
	since := time.Now()
	for wait.For(ctx, own) == nil {
		now := time.Now()
		if n.catchUpNotices(ctx, since.Add(-overlap), now.Add(-own)) {
			since = now
		}
	}
}

// catchUpNotices puts the notices between two times that were not delivered, and reports whether
// they could be read.
func (n *Notifier) catchUpNotices(ctx context.Context, since, until time.Time) bool {
	list, err := n.opts.Ledger.Notices(ctx, since)
	if err != nil && ctx.Err() == nil {
		n.opts.Log.Error("the notices cannot be read", "err", err)
	}
	list = slices.DeleteFunc(list, func(about Notice) bool { return about.At.After(until) })
	if len(list) == 0 {
		return err == nil
	}
	had := n.receipts(ctx, Span{Since: since})
	for _, about := range list {
		n.put(about, had)
	}
	return err == nil
}
