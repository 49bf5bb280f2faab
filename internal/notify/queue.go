package notify

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// queue holds the messages for one endpoint, and when each is tried. It is safe for concurrent use.
type queue struct {
	name string // of the endpoint
	opts *Options
	wake chan struct{} // holds one token when there is a message more

	mu    sync.Mutex
	items []*item
	// the last that were delivered, for when the ledger is read just before it is written
	recent   []*notification
	failures int       // in a row, of the endpoint and not of one message
	until    time.Time // it is left alone
	gone     bool      // it wants nothing any more
	full     bool      // messages were dropped, which was logged
	failing  bool      // it failed, which was logged
	notes    []func()  // lines for the log
}

// item is a message that waits.
type item struct {
	*notification
	tries    int
	next     time.Time // when it is tried
	by       time.Time // when it is given up
	inFlight bool      // it is being tried
}

// put adds a message, unless it waits already or was delivered just now.
func (q *queue) put(m *notification) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waits := slices.ContainsFunc(q.items,
		func(i *item) bool { return m.obsoleteAfter(i.notification) })
	if waits || q.gone || slices.ContainsFunc(q.recent, m.obsoleteAfter) {
		return
	}
	if len(q.items) >= q.opts.Queue {
		q.overflow()
	}
	now := time.Now()
	q.items = append(q.items, &item{notification: m, next: now, by: now.Add(q.opts.GiveUp)})
	wait.Wake(q.wake)
}

// overflow drops the oldest message that is not being tried. Once there is room again what is still
// true is sent after all.
func (q *queue) overflow() {
	i := slices.IndexFunc(q.items, func(i *item) bool { return !i.inFlight })
	if i < 0 {
		return
	}
	q.items = slices.Delete(q.items, i, i+1)
	if !q.full {
		q.note(slog.LevelWarn,
			"too many notifications wait for this endpoint; the oldest are dropped",
			"waiting", q.opts.Queue)
	}
	q.full = true
}

// pick takes the message that is due, or says how long until one is. Messages about one question
// keep their order.
func (q *queue) pick(now time.Time) (*item, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	pause, before := time.Hour, map[string]bool{}
	for _, i := range q.items {
		if before[i.key()] {
			continue
		}
		before[i.key()] = true
		at := i.next
		if q.until.After(at) {
			at = q.until
		}
		if !at.After(now) {
			i.inFlight = true
			return i, 0
		}
		pause = min(pause, at.Sub(now))
	}
	return nil, pause
}

// note keeps a line for the log, which report writes without the lock that is held here: a slow log
// holds up no other endpoint.
func (q *queue) note(level slog.Level, text string, args ...any) {
	q.notes = append(q.notes, func() {
		q.opts.Log.Log(context.Background(), level, text, append(args, "endpoint", q.name)...)
	})
}

// report writes to the log what was noted.
func (q *queue) report() {
	q.mu.Lock()
	notes := q.notes
	q.notes = nil
	q.mu.Unlock()
	for _, write := range notes {
		write()
	}
}

// settle takes a message that was delivered or given up out of the queue, or sets the time of its
// next attempt.
func (q *queue) settle(i *item, o outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i.inFlight = false
	switch {
	case o.ok():
		q.delivered(i)
	case o.status == http.StatusGone:
		q.gone, q.items = true, nil
		q.note(slog.LevelWarn,
			"this endpoint is gone (HTTP 410) and gets no more messages until a restart")
	default:
		q.failed(i, o)
	}
}

func (q *queue) delivered(i *item) {
	if q.failing {
		q.note(slog.LevelInfo, "notifications get through again")
	}
	q.failing, q.failures = false, 0
	q.until = time.Time{}
	q.remove(i)
	if q.recent = append(q.recent, i.notification); len(q.recent) > q.opts.Queue {
		q.recent = q.recent[1:]
	}
}

func (q *queue) failed(i *item, o outcome) {
	now := time.Now()
	i.tries++
	i.next = now.Add(max(q.backoff(i.tries), o.after))
	if !o.ofMessage() || o.after > 0 {
		q.failures++
		q.until = now.Add(max(q.backoff(q.failures), o.after))
		i.next = q.until
	}
	if !q.failing {
		q.failing = true
		q.note(slog.LevelWarn, "a notification did not get through; it is tried again", "why",
			o.String())
	}
	if i.next.After(i.by) {
		q.remove(i)
		q.note(slog.LevelError, "a notification is given up",
			"event", i.event, "question", i.question.ID, "tries", i.tries, "why", o.String())
	}
}

// emptied reports, once, that there is room again after messages were dropped.
func (q *queue) emptied() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	room := q.full && !q.gone && len(q.items) == 0
	q.full = q.full && !room
	return room
}

// drop takes a message out of the queue.
func (q *queue) drop(i *item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(i)
}

func (q *queue) remove(i *item) {
	q.items = slices.DeleteFunc(q.items, func(x *item) bool { return x == i })
}

func (q *queue) backoff(failures int) time.Duration {
	return wait.Backoff(q.opts.FirstWait, q.opts.LastWait, failures)
}
