package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/suite"
)

// worker works with one phone.
type worker struct {
	*queue
	phone runs.PhoneInfo
	ready map[*suite.Suite]bool // suites whose set-up has begun, and whether it is done
	held  context.Context       // ends when the phone is taken from the tests
}

// tidying is how long a teardown may take after the end of everything.
const tidying = time.Minute

func (w *worker) work(ctx context.Context) {
	var err error
	if w.held, err = w.opts.Hold(w.working, w.phone.Serial); err != nil {
		w.lose(nil, w.phone, suite.KindPhone, err.Error())
		return
	}
	defer w.teardown(ctx)
	for {
		i := w.take(ctx, w.phone)
		if i == nil || !w.item(ctx, i) {
			return
		}
	}
}

// item carries an item out, and returns false if the phone is of no more use.
func (w *worker) item(ctx context.Context, i *suite.Item) bool {
	retries := *cmp.Or(i.Case.Retries, &w.opts.Retries)
	again := 1 // once more when the phone comes back
	for n := 1; ; n++ {
		a := Attempt{Item: i, Serial: w.phone.Serial, Number: n}
		w.opts.View.Began(a)
		got := w.attempt(ctx, a)
		if gone(&got) && ctx.Err() == nil {
			lost := context.Cause(w.held)
			if lost == nil {
				lost = w.opts.Usable(ctx, w.phone.Serial)
			}
			if x, other := errors.AsType[*suite.Trouble](lost); other {
				got.Kind, got.Message = x.Kind, hint.Text(lost)
			}
			if lost != nil || again == 0 {
				w.leave(i, w.phone, got)
				return false
			}
			w.tell(i, w.phone, fmt.Sprintf(w.say.Play.IsBack, w.phone.Serial, i.Name, got.Message))
			again, n = again-1, n-1
			for s := range w.ready {
				w.ready[s] = false
			}
			continue
		}
		last := n > retries || !worthRetrying(&got) || ctx.Err() != nil
		if w.add(i, got, last); last {
			return ctx.Err() == nil
		}
	}
}

// gone reports whether the phone, or the way to it, was lost.
func gone(a *suite.Attempt) bool {
	return a.Outcome == suite.SetupFailed && (a.Kind == suite.KindPhone || a.Kind == suite.KindADB)
}

// worthRetrying reports whether another attempt may come out otherwise. A crash stands.
func worthRetrying(a *suite.Attempt) bool {
	return a.Outcome == suite.Failed ||
		a.Outcome == suite.SetupFailed && (a.Kind == suite.KindModel || a.Kind == suite.KindApp)
}

// attempt is one attempt of an item.
func (w *worker) attempt(ctx context.Context, at Attempt) suite.Attempt {
	t := &try{worker: w, at: at, used: map[int]int{}}
	t.got = suite.Attempt{Outcome: suite.Passed, Phone: at.Serial, Started: time.Now()}
	limit := cmp.Or(w.opts.Timeout, 24*time.Hour)
	late := fmt.Errorf(w.say.Play.OverTime, limit)
	bounded, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	bounded, away := context.WithCancelCause(bounded)
	stop := context.AfterFunc(w.held, func() { away(context.Cause(w.held)) })
	defer stop()
	t.run(bounded)
	if context.Cause(bounded) == late && gone(&t.got) { // the phone is not lost
		t.got.Outcome, t.got.Kind, t.got.Message = suite.Failed, "", late.Error()
	}
	if ctx.Err() != nil && !t.got.Outcome.Good() {
		t.got.Outcome, t.got.Kind, t.got.Message = suite.Skipped, "", w.say.Play.Interrupted
	}
	t.got.Seconds = time.Since(t.got.Started).Seconds()
	return t.got
}

// teardown does the teardown of the suites that were set up on the phone.
func (w *worker) teardown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer cancel()
	for s := range w.ready {
		if len(s.Teardown) == 0 || w.held.Err() != nil {
			continue
		}
		i := &suite.Item{Suite: s, Name: "teardown"}
		scene, err := w.opts.Open(ctx, Attempt{Item: i, Serial: w.phone.Serial})
		if err == nil {
			err = lines(ctx, scene, s, s.Teardown)
			_ = scene.Close(false) // nothing was recorded
		}
		if err != nil {
			w.tell(i, w.phone, "teardown of "+s.Name+" on "+w.phone.Serial+": "+err.Error())
		}
	}
}
