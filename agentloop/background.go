package agentloop

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// background collects what the loop learns about the phone while the policy decides. The loop's
// goroutine and the one of Runner.Background never use the phone at once: each waits for the other.
// Reading the elements of the screen waits for neither.
type background struct {
	watch   *watch
	atRest  func() // called when the screen that the policy is shown is at rest
	callOff func() // ends the policy's decision

	end      context.CancelFunc
	reply    func()        // tells that the reply arrives
	replying chan struct{} // closed by reply
	still    chan struct{} // closed when rest and err are known
	done     chan struct{} // closed when all is
	read     chan struct{} // closed when the elements are not being read ahead any more

	rest *view     // the screen at rest, when it is another one than the policy was shown
	err  error     // why that could not be found out
	last view      // the last look, had when the reply was there
	at   time.Time // when it was had, zero if missing

	listed view // a look after the elements were read, where that may have moved the screen before
}

// keepLooking finds out whether the screen is at rest, and calls the policy off when it is not the
// one that was shown.
func (a *background) keepLooking(ctx context.Context) {
	defer close(a.still)
	a.rest, a.err = a.follow(ctx, a.watch.before)
	if a.rest == nil && a.err == nil {
		a.atRest()
		return
	}
	a.callOff()
}

// follow looks on until the screen is at rest. It returns nil when that is the screen that the
// policy is shown.
func (a *background) follow(ctx context.Context, shown view) (rest *view, err error) {
	w, began := a.watch, time.Now()
	pause, former := firstPoll, shown
	moved, called := false, false
	var quiet quietPeriod
	quiet.add(shown)
	w.motion.add(shown)
	for relied := w.pace.reliable(); ; relied = false {
		if relied { // one look, when the reply is there, is the last one, too
			a.awaitReply(ctx)
		}
		if err := wait.For(ctx, pause-time.Since(former.At)); err != nil {
			return nil, err
		}
		pause = longer(pause)
		v, err := a.look(ctx, former, moved)
		w.motion.add(v)
		if err != nil || !v.State.On || v.Frame == nil {
			return &v, err
		}
		away := difference(v, shown)
		if moved = moved || away > sameScreen; away > otherScreen {
			called = true
			a.callOff()
		}
		late := quiet.add(v) || time.Since(began) >= w.longest
		switch {
		case !called && w.alike(shown, v), late && !called && inFront(shown, v):
			if w.alike(former, v) || late {
				return nil, nil
			}
		case w.alike(former, v) || late:
			return &v, nil
		}
		former = v
	}
}

// awaitReply waits for the reply and, a little, for the elements that are being read: a look from
// before they were read is none from right before the touch.
func (a *background) awaitReply(ctx context.Context) {
	select {
	case <-a.replying:
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(ctx, lastPoll)
	defer cancel()
	select {
	case <-a.read:
	case <-ctx.Done():
	}
}

// look is a frame alone, with the state taken for what it was, until the screen has moved or the
// reply is there: then the look is the last one before the touch.
func (a *background) look(ctx context.Context, former view, moved bool) (view, error) {
	select {
	case <-a.replying:
	default:
		if moved {
			break
		}
		if v := a.watch.frameOnly(ctx); v.Frame != nil {
			v.State, v.Bar = former.State, former.Bar
			return v, nil
		}
	}
	return a.lookOnce(ctx)
}

// lookOnce is a look, and the last one if it begins with the reply there.
func (a *background) lookOnce(ctx context.Context) (view, error) {
	replied := false
	select {
	case <-a.replying:
		replied = true
	default:
	}
	v, err := a.watch.look(ctx)
	if replied && err == nil {
		a.last, a.at = v, time.Now()
	}
	return v, err
}

// check looks once the reply arrives. It does not while the elements are being read: whoever waits
// for them looks after that.
func (a *background) check(ctx context.Context) {
	if a.rest != nil || a.err != nil || !a.at.IsZero() {
		return
	}
	if a.watch.listing {
		select {
		case <-a.read:
			a.listed = a.watch.frameOnly(ctx)
		case <-a.replying:
		case <-ctx.Done():
		}
	}
	select {
	case <-a.replying:
	case <-ctx.Done():
		return
	}
	select {
	case <-a.read:
		_, _ = a.lookOnce(ctx) // without it the loop looks itself
	default:
	}
}
