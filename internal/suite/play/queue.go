package play

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/wait"
)

// queue is the items with what became of them. The phones take from it.
type queue struct {
	opts    *Options
	say     *suite.Words
	changed wait.Broadcast
	working context.Context // ends when every item is done
	rested  func()

	mu      sync.Mutex
	items   []*suite.Item // in their order
	results map[*suite.Item]*suite.Result
	state   map[*suite.Item]state
	on      map[*suite.Suite]int // phones that work on a suite
	phones  []Phone              // the remaining phones
	lost    string               // why the last one was taken out
	ended   string               // why no further item begins, or ""
}

type state int

const (
	waiting state = iota
	running
	done
)

func newQueue(items []*suite.Item, o *Options) *queue {
	q := &queue{opts: o, say: suite.WordsIn(o.Lang), items: items,
		results: map[*suite.Item]*suite.Result{},
		state:   map[*suite.Item]state{}, on: map[*suite.Suite]int{},
		phones: slices.Clone(o.Phones)}
	for _, i := range items {
		r := suite.NewResult(i)
		q.results[i] = &r
	}
	return q
}

// take returns the next item for a phone, or nil when there is nothing left for it.
func (q *queue) take(ctx context.Context, p Phone) *suite.Item {
	for {
		changed := q.changed.Next()
		q.mu.Lock()
		i, later := q.next(ctx, p)
		q.mu.Unlock()
		if i != nil || !later {
			return i
		}
		<-changed
	}
}

// next finds an item. later says that there may be one later.
func (q *queue) next(ctx context.Context, p Phone) (item *suite.Item, later bool) {
	if ctx.Err() != nil || q.ended != "" {
		return nil, false
	}
	for q.skipSome() {
	}
	for _, i := range q.items {
		ready, _ := q.needed(i)
		switch count := i.Suite.Phones.Count; {
		case q.state[i] == running:
			later = true // it may have to go to another phone, and its end makes others ready
		case q.state[i] == done || !fits(i.Suite, p):
		case ready && (count == 0 || q.on[i.Suite] < count):
			q.state[i] = running
			q.on[i.Suite]++
			return i, true
		}
	}
	return nil, later
}

// skipSome skips what is not to be run, and reports whether that was any.
func (q *queue) skipSome() (some bool) {
	for _, i := range q.items {
		why := string(i.Case.Skip)
		if why == "" {
			_, why = q.needed(i)
		}
		if q.state[i] == waiting && why != "" {
			q.skip(i, why)
			some = true
		}
	}
	return some
}

// fits reports whether a suite can use a phone.
func fits(s *suite.Suite, p Phone) bool {
	return p.SDK >= s.Phones.API && !slices.ContainsFunc(s.Phones.Labels, func(l string) bool {
		return !slices.ContainsFunc(append([]string{p.Serial, p.Model}, p.Addresses...),
			func(name string) bool { fits, _ := path.Match(l, name); return fits })
	})
}

// needed reports whether what an item needs has passed, or why it never will.
func (q *queue) needed(i *suite.Item) (ready bool, missing string) {
	for _, n := range i.Needed(q.items) {
		switch {
		case q.state[n] != done:
			return false, ""
		case !q.results[n].Outcome.Good():
			return false, fmt.Sprintf(q.say.Play.Needs, n.Name)
		}
	}
	return true, ""
}

func (q *queue) skip(i *suite.Item, why string) {
	r := q.results[i]
	r.Outcome, r.Message = suite.Skipped, q.opts.Mask.Text(why)
	q.finish(i)
}

// finish tells that an item has its result.
func (q *queue) finish(i *suite.Item) {
	q.state[i] = done
	q.opts.View.Ended(*q.results[i])
	if !slices.ContainsFunc(q.items, func(i *suite.Item) bool { return q.state[i] != done }) {
		q.rested()
	}
	q.changed.Send()
}

// add adds an attempt to an item's result. With last the item is done.
func (q *queue) add(i *suite.Item, a suite.Attempt, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.results[i]
	r.Attempts = append(r.Attempts, a)
	if !last {
		return
	}
	r.Settle(q.say)
	q.on[i.Suite]--
	if q.opts.FailFast && !r.Outcome.Good() {
		q.ended = q.say.Play.FailFast
	}
	q.finish(i)
}

// leave takes a phone out, whose item goes to another one. Without another one the item has failed.
func (q *queue) leave(i *suite.Item, p Phone, a suite.Attempt) {
	q.lose(p, a.Message)
	q.mu.Lock()
	others := slices.ContainsFunc(q.phones, func(x Phone) bool { return fits(i.Suite, x) })
	if others {
		q.on[i.Suite]--
		q.state[i] = waiting
		q.changed.Send()
	}
	q.mu.Unlock()
	if !others {
		q.add(i, a, true)
	}
}

// lose takes a phone out.
func (q *queue) lose(p Phone, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.phones = slices.DeleteFunc(q.phones, func(x Phone) bool { return x.Serial == p.Serial })
	q.lost = p.Serial + ": " + why
}

// rest returns the results, with a reason for each item that did not run.
func (q *queue) rest(ctx context.Context) []suite.Result {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []suite.Result
	for _, i := range q.items {
		r := q.results[i]
		if q.state[i] != done {
			r.Message = q.ended
			switch {
			case ctx.Err() != nil:
				r.Message = q.say.Play.Interrupted
			case q.ended == "":
				r.Outcome, r.Kind = suite.SetupFailed, suite.KindPhone
				if r.Message = q.say.Play.NoFit; q.lost != "" {
					r.Message = fmt.Sprintf(q.say.Play.NoneLeft, q.lost)
				}
			}
			q.finish(i)
		}
		all = append(all, *r)
	}
	return all
}
