package agentloop

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

const (
	// otherScreen is the share of the screen that makes it another one, and not one on which
	// something small still moves.
	otherScreen = 0.02
	// maxStateAge is how old the phone's state may be when the phone is touched. It is read while
	// the reply arrives, and again when a store, a gate or a second try took longer.
	maxStateAge = 200 * time.Millisecond
)

// earlyTrials early questions tell whether they are worth it.
const earlyTrials = 4

var errMoved = errors.New("the screen moved on, and the model was asked again")

// background is what is found out about the phone while the policy decides. The loop's own
// goroutine and the one of Runner.Background never use the phone at once: either waits for the
// other. Who reads the elements of the screen waits for neither.
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

	rest  *view // the screen at rest, when it is another one than the policy was shown
	err   error // why that could not be found out
	state screen.State
	at    time.Time // when state began to be read; zero when it was not
}

// startBackground looks on from what the policy is shown, and reads its elements ahead; callOff
// ends the policy's decision.
func (l *loop) startBackground(ctx context.Context, s *Step, elements Reader, callOff func()) {
	ctx, cancel := context.WithCancel(ctx)
	a := &background{watch: &l.watch, atRest: func() { l.prepare(ctx, s) }, callOff: callOff,
		end: cancel, replying: make(chan struct{}), still: make(chan struct{}),
		done: make(chan struct{}), read: make(chan struct{}),
		err: errors.New("looking on broke down")}
	a.reply = sync.OnceFunc(func() { close(a.replying) })
	moving := l.watch.moving
	run := func() {
		defer close(a.done)
		if moving {
			a.keepLooking(ctx)
		} else {
			a.err = nil
			close(a.still)
		}
		a.check(ctx)
	}
	l.background = a
	if !l.Background(run) { // then one comes after the other
		a.reply()
		run()
	}
	read := func() {
		defer close(a.read)
		_, _ = elements.Elements(ctx) // who asks later gets the error
	}
	if !l.ReadAhead || elements == nil || !l.Background(read) {
		close(a.read)
	}
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
	for {
		if err := wait.For(ctx, pause-time.Since(former.At)); err != nil {
			return nil, err
		}
		pause = longer(pause)
		v, err := a.look(ctx, former, moved)
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
	at := time.Now()
	v, err := a.watch.look(ctx)
	select {
	case <-a.replying:
		a.state, a.at = v.State, at
	default:
	}
	return v, err
}

// check reads the state once the reply arrives.
func (a *background) check(ctx context.Context) {
	p, can := a.watch.phone.(Stater)
	if !can || a.rest != nil || a.err != nil || !a.at.IsZero() {
		return
	}
	select {
	case <-a.replying:
	case <-ctx.Done():
		return
	}
	at := time.Now()
	if state, err := p.State(ctx); err == nil {
		a.state, a.at = state, at
	}
}

// consult asks the policy once, and finds out about the phone meanwhile.
func (l *loop) consult(ctx context.Context, s *Step) (Proposal, error) {
	thinking, callOff := context.WithCancelCause(ctx)
	defer callOff(nil)
	now := l.situation(s)
	if l.Background != nil {
		l.startBackground(ctx, s, now.Reader, func() { callOff(errMoved) })
		now.Replying = l.background.reply
		defer l.background.reply()
	}
	p, err := l.Policy.Next(thinking, now)
	if err != nil && context.Cause(thinking) != errMoved {
		l.endBackground()
	}
	return p, err
}

// propose asks the policy, and once more when the screen was another one before it was at rest.
// What was decided on the first one is dropped, and kept in the tries. An ending comes with a
// proposal without an action.
func (l *loop) propose(ctx context.Context, s *Step) (Proposal, *Ending, error) {
	began := time.Now()
	p, err := l.consult(ctx, s)
	if l.watch.moving {
		l.asked++
	}
	l.watch.moving = false
	if l.background == nil {
		return p, nil, err
	}
	<-l.background.still
	rest, lost := l.background.rest, l.background.err
	if rest == nil && lost == nil {
		return p, nil, err
	}
	l.endBackground()
	l.again++
	s.Timing.Again += time.Since(began)
	former := p.Tries
	for i := range former {
		former[i].Again, former[i].Error = true, errMoved.Error()
	}
	if end := l.setView(ctx, s, *cmp.Or(rest, new(view)), lost, Settled); end != nil {
		return Proposal{Tries: former}, end, nil
	}
	l.prepare(ctx, s)
	p, err = l.consult(ctx, s)
	p.Tries = append(former, p.Tries...)
	return p, nil, err
}

// early reports whether the policy is asked before the screen is known to be at rest. It is not
// where that was in vain more often than not.
func (l *loop) early() bool {
	return l.Early && l.Background != nil && l.watch.touched && l.last != nil &&
		l.limits.Settle > 0 && l.progress.Pending == nil &&
		(l.asked < earlyTrials || 2*l.again <= l.asked)
}

// now is the phone's state right before it is touched: as it was read while the reply arrived, when
// that was just now. ok is false for a phone that cannot tell.
func (l *loop) now(ctx context.Context) (state screen.State, ok bool, err error) {
	p, can := l.Phone.(Stater)
	if a := l.background; a != nil {
		<-a.done
		if !a.at.IsZero() && time.Since(a.at) <= maxStateAge {
			return a.state, can, nil
		}
	}
	if !can {
		return screen.State{}, false, nil
	}
	state, err = p.State(ctx)
	return state, true, err
}

// endBackground ends what goes on in the background, and waits for it.
func (l *loop) endBackground() {
	if a := l.background; a != nil {
		a.end()
		<-a.read
		<-a.done
		l.background = nil
	}
}
