package agentloop

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// maxLookAge is how long ago the last look may be when the phone is touched. It is had while the
// reply arrives, and again when a store, a gate or a second try took longer.
const maxLookAge = 150 * time.Millisecond

var errMoved = errors.New("the screen moved on, and the model was asked again")

// startBackground keeps looking at the screen that the policy is shown, and reads its elements
// ahead. It calls callOff to end the policy's decision.
func (l *loop) startBackground(
	ctx context.Context, s *Step, now Situation, callOff func(),
) {
	elements := now.Reader
	ctx, cancel := context.WithCancel(ctx)
	a := &background{watch: &l.watch, atRest: func() { l.record.prepare(ctx, s) }, callOff: callOff,
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
	var list []screen.Element
	read := func() {
		defer close(a.read)
		list, _ = elements.Elements(ctx) // who asks later gets the error
	}
	if !l.ReadAhead || elements == nil || !l.Background(read) {
		close(a.read)
		return
	}
	l.preview(now, a.read, &list)
}

// listed is a Reader of elements that were read.
type listed []screen.Element

// Elements implements Reader.
func (r listed) Elements(context.Context) ([]screen.Element, error) { return r, nil }

// preview has the gate find out about the screen once its elements were read, until the run ends.
func (l *loop) preview(now Situation, read <-chan struct{}, list *[]screen.Element) {
	p, is := l.Gate.(Previewer)
	if !is {
		return
	}
	l.previews.Add(1)
	if !l.Background(func() {
		defer l.previews.Done()
		if <-read; *list != nil {
			now.Reader = listed(*list)
			p.Preview(l.life, now)
		}
	}) {
		l.previews.Done()
	}
}

// consult asks the policy once, and finds out about the phone meanwhile.
func (l *loop) consult(ctx context.Context, s *Step) (Proposal, error) {
	thinking, callOff := context.WithCancelCause(ctx)
	defer callOff(nil)
	now := l.situation(s)
	if l.Background != nil {
		l.startBackground(ctx, s, now, func() { callOff(errMoved) })
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
	if l.background == nil {
		return p, nil, err
	}
	<-l.background.still
	early := l.watch.moving
	if early {
		l.watch.pace.ask()
	}
	rest, lost := l.background.rest, l.background.err
	if rest == nil && lost == nil {
		if early {
			l.watch.pace.learn(0, true)
		}
		return p, nil, err
	}
	l.endBackground()
	l.inVain()
	s.Timing.Again += time.Since(began)
	former := p.Tries
	for i := range former {
		former[i].Again, former[i].Error = true, errMoved.Error()
	}
	if end := l.setView(ctx, s, *cmp.Or(rest, new(view)), lost, Settled); end != nil {
		return Proposal{Tries: former}, end, nil
	}
	l.record.prepare(ctx, s)
	p, err = l.consult(ctx, s)
	p.Tries = append(former, p.Tries...)
	return p, nil, err
}

// inVain is called when the policy was asked about a screen that moved on.
func (l *loop) inVain() {
	l.watch.moving = false
	l.watch.pace.inVain()
}

// lastLook is a look from right before the phone is touched: that of while the reply arrived, if it
// was just now and the elements were not read after it, which moves some screens. A display that
// was off by then stays a reason to end, also if it is on again.
func (l *loop) lastLook(ctx context.Context) (view, error) {
	if a := l.background; a != nil {
		<-a.done
		_, read := l.watch.elements.lastRead()
		had := !a.at.IsZero()
		fresh := time.Since(a.at) <= maxLookAge && !a.last.At.Before(read)
		if had && (fresh || !a.last.State.On) {
			return a.last, nil
		}
	}
	return l.watch.look(ctx)
}

// endBackground ends the background work and waits for it.
func (l *loop) endBackground() {
	if a := l.background; a != nil {
		a.end()
		<-a.read
		<-a.done
		l.background = nil
	}
}
