package play

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
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

	mu     sync.Mutex
	items  []*suite.Item // in their order
	at     map[*suite.Item]*entry
	on     map[*suite.Suite]int // phones that work on a suite
	phones []runs.PhoneInfo     // the remaining phones
	lost   suite.Attempt        // its kind and message say why the last one was taken out
	ended  string               // why no further item begins, or ""

	remarks []func()
}

// entry is what became of an item so far.
type entry struct {
	suite.Result
	running, done bool
}

func newQueue(items []*suite.Item, o *Options) *queue {
	q := &queue{opts: o, say: suite.WordsIn(o.Lang), items: items,
		at: map[*suite.Item]*entry{}, on: map[*suite.Suite]int{}, phones: slices.Clone(o.Phones)}
	for _, i := range items {
		q.at[i] = &entry{Result: suite.NewResult(i)}
	}
	return q
}

// take returns the next item for a phone, or nil when there is nothing left for it.
func (q *queue) take(ctx context.Context, p runs.PhoneInfo) *suite.Item {
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
func (q *queue) next(ctx context.Context, p runs.PhoneInfo) (item *suite.Item, later bool) {
	if ctx.Err() != nil || q.ended != "" {
		return nil, false
	}
	for q.skipSome() {
	}
	for _, i := range q.items {
		ready, _ := q.needed(i)
		switch count := i.Suite.Phones.Count; {
		case q.at[i].running:
			later = true // it may have to go to another phone, and its end makes others ready
		case q.at[i].done || q.opts.Fits(i.Suite, p) != nil:
		case ready && (count == 0 || q.on[i.Suite] < count):
			q.at[i].running = true
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
		if e := q.at[i]; why != "" && !e.running && !e.done {
			e.Message, some = why, true
			q.finish(i)
		}
	}
	return some
}

// needed reports whether what an item needs has passed, or why it never will.
func (q *queue) needed(i *suite.Item) (ready bool, missing string) {
	for _, n := range i.Needed(q.items) {
		switch {
		case !q.at[n].done:
			return false, ""
		case !q.at[n].Outcome.Good():
			return false, fmt.Sprintf(q.say.Play.Needs, n.Name)
		}
	}
	return true, ""
}

// finish tells that an item has its result, in which no secret stands.
func (q *queue) finish(i *suite.Item) {
	q.at[i].running, q.at[i].done = false, true
	q.at[i].Mask(q.opts.Mask)
	q.opts.View.Ended(q.at[i].Result)
	if !slices.ContainsFunc(q.items, func(i *suite.Item) bool { return !q.at[i].done }) {
		q.rested()
	}
	q.changed.Send()
}

// add adds an attempt to an item's result. With last the item is done.
func (q *queue) add(i *suite.Item, a suite.Attempt, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.at[i]
	r.Attempts = append(r.Attempts, a)
	if !last {
		return
	}
	r.Settle(q.say, q.opts.Strict)
	q.on[i.Suite]--
	if q.opts.FailFast && !r.Outcome.Good() {
		q.ended = q.say.Play.FailFast
	}
	q.finish(i)
}

// tell tells what went wrong beside the cases. When all phones have ended, that is a note at the
// case, or else at the last attempt of its suite on the phone, or where another one had its cases.
func (q *queue) tell(about *suite.Item, p runs.PhoneInfo, words string) {
	words = q.opts.Mask.Text(words)
	q.opts.View.Note(words)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remarks = append(q.remarks, func() {
		at, items := new(suite.Attempt), q.items
		if e := q.at[about]; e != nil && len(e.Attempts) > 0 {
			items = []*suite.Item{about}
		}
		for _, i := range items {
			all := q.at[i].Attempts
			if last := len(all) - 1; (about == nil || i.Suite == about.Suite) && last >= 0 &&
				(at.Phone != p.Serial || all[last].Phone == p.Serial) {
				at = &all[last]
			}
		}
		at.Notes = append(at.Notes, words)
	})
}

// leave takes a phone out, whose item goes to another one. Without another one the item has failed.
func (q *queue) leave(i *suite.Item, p runs.PhoneInfo, a suite.Attempt) {
	q.lose(i, p, a.Kind, fmt.Sprintf("%s (%q)", a.Message, i.Name))
	q.mu.Lock()
	others := slices.ContainsFunc(q.phones,
		func(x runs.PhoneInfo) bool { return q.opts.Fits(i.Suite, x) == nil })
	if others {
		q.on[i.Suite]--
		q.at[i].running = false
		q.changed.Send()
	}
	q.mu.Unlock()
	if !others {
		q.add(i, a, true)
	}
}

// lose takes a phone out.
func (q *queue) lose(i *suite.Item, p runs.PhoneInfo, kind, why string) {
	q.tell(i, p, fmt.Sprintf(q.say.Play.TakenOut, p.Serial, why))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.phones = slices.DeleteFunc(q.phones,
		func(x runs.PhoneInfo) bool { return x.Serial == p.Serial })
	q.lost = suite.Attempt{Kind: kind, Message: p.Serial + ": " + why}
}

// rest returns the results, with a reason for each item that did not run.
func (q *queue) rest(ctx context.Context) []suite.Result {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, add := range q.remarks {
		add()
	}
	var all []suite.Result
	for _, i := range q.items {
		r := q.at[i]
		if !r.done {
			r.Message = q.ended
			switch {
			case ctx.Err() != nil:
				r.Message = q.say.Play.Interrupted
			case q.ended == "":
				r.Outcome, r.Kind = suite.SetupFailed, cmp.Or(q.lost.Kind, suite.KindPhone)
				r.Message = q.say.Play.NoFit
				if q.lost.Kind != "" {
					r.Message = fmt.Sprintf(q.say.Play.NoneLeft, q.lost.Message)
				} else if why := q.opts.Fits(i.Suite, runs.PhoneInfo{}); why != nil {
					r.Message = hint.Text(why)
				}
			}
			q.finish(i)
		}
		all = append(all, r.Result)
	}
	return all
}
