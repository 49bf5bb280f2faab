package agentloop

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// view is a look and its fingerprint. That of a frame without a state is zero in all else.
type view struct {
	screen.Observation
	print screen.Fingerprint
}

// difference is the share of the screen that differs between two views. What the status bar shows
// is no part of it: a clock, a battery, what others have sent.
func difference(a, b view) float64 {
	var c screen.Cells
	differ(&c, a, b)
	return c.Share()
}

func differ(c *screen.Cells, a, b view) {
	bar := max(a.Bar, b.Bar)
	c.Add(a.print.Below(bar), b.print.Below(bar))
}

// quietPeriod is how long nothing but something small has moved on a screen: a spinner, a video in
// a corner. It keeps no screen from being at rest, but what may be loading is given some time.
type quietPeriod struct {
	since time.Time
	moved screen.Cells // since then
	last  view
}

// add reports whether that is long enough, at a view.
func (q *quietPeriod) add(v view) bool {
	differ(&q.moved, q.last, v)
	if q.since.IsZero() || !inFront(q.last, v) || q.moved.Share() > otherScreen {
		q.since, q.moved = v.At, screen.Cells{}
	}
	q.last = v
	return v.At.Sub(q.since) >= enoughQuiet
}

const (
	frameTime   = 2 * time.Second        // for a frame without a state
	firstPoll   = 100 * time.Millisecond // between the beginnings of the first two looks
	lastPoll    = 300 * time.Millisecond // what the pauses between looks grow to
	transition  = 200 * time.Millisecond // what most home screens take at least to come
	reaction    = 600 * time.Millisecond // a screen that did not move for so long is not going to
	lookAgain   = time.Second            // what a black screen gets to show something
	enoughQuiet = time.Second            // of a screen on which something small keeps moving
	sameScreen  = 0.005                  // the share of the screen that a cursor moves
	otherScreen = 0.02                   // of the screen, more than a small thing that moves
)

// motion finds out what keeps moving on a screen, such as a video: the places that are others in
// each of the last looks. What changes once, or now and then, is none of it.
type motion struct {
	last  *screen.Frame
	pairs []screen.Area // what differs between the last looks, at most so many
}

const motionPairs = 3

func (m *motion) add(v view) {
	if v.Frame == nil {
		*m = motion{}
		return
	}
	if m.last != nil {
		m.pairs = append(m.pairs, m.last.Mosaic().Changed(v.Frame.Mosaic()))
		m.pairs = m.pairs[max(len(m.pairs)-motionPairs, 0):]
	}
	m.last = v.Frame
}

func (m *motion) area() (all screen.Area) {
	if len(m.pairs) < motionPairs {
		return all
	}
	all = m.pairs[0]
	for _, p := range m.pairs[1:] {
		all = all.And(p)
	}
	return all
}

// watch looks at the phone, and tells when its screen is at rest.
type watch struct {
	phone    Phone
	longest  time.Duration // that rest is waited for: Limits.Settle
	touched  bool          // a gesture may have set the screen in motion
	before   view          // what was shown last; no frame before the first look of a run
	moving   bool          // it was not known to be at rest when the policy was asked
	replaced bool          // it was another one when the phone was to be touched
	listing  bool          // which its listing may have done
	motion   motion        // what kept moving when it was looked at last
	pace     Pace
	elements *onceReader // of that screen, nil until they are asked for
}

// setShown takes a view for the screen that was shown last.
func (w *watch) setShown(v view) {
	w.touched, w.replaced = false, false
	w.before, w.elements = v, nil
}

// stirred reports whether the screen may be in motion, or was found to be.
func (w *watch) stirred() bool { return w.touched || w.replaced }

// reader reads the elements of that screen. It is nil if the phone cannot list them.
func (w *watch) reader() Reader {
	reader, can := w.phone.(Reader)
	if !can {
		return nil
	}
	if w.elements == nil {
		w.elements = &onceReader{of: reader, reading: wait.NewMutex()}
	}
	return w.elements
}

// untilStill looks until two looks in a row are (nearly) the same, or nothing but something small
// has moved for a while, or Limits.Settle has passed. Right after a gesture the phone may not have
// begun to move: looks that are still the screen of the step before, or that cannot be held against
// one, count only after the reaction time.
func (w *watch) untilStill(ctx context.Context) (view, error) {
	w.moving = false
	if !w.stirred() || w.longest < 0 {
		return w.look(ctx)
	}
	began, pause := time.Now(), firstPoll
	w.motion = motion{}
	rest := w.pace.Rest
	if w.before.Frame == nil && w.before.State.App != "" {
		rest = transition
	}
	_ = wait.For(ctx, min(rest, w.longest))
	former := w.frameOnly(ctx)
	w.motion.add(former)
	// a look that first asks whether anything has moved shows a later moment than this one
	took, after := time.Since(former.At), former.At.Sub(began)
	var quiet quietPeriod
	for first := true; ; first = false {
		// the look finds out whether ctx has ended
		_ = wait.For(ctx, min(pause-time.Since(former.At), w.longest-time.Since(began)))
		pause = longer(pause)
		v, err := w.look(ctx)
		w.motion.add(v)
		if err != nil || !v.State.On || v.Frame == nil || time.Since(began) >= w.longest {
			return v, err
		}
		reacted, alike := w.reacted(v), w.alike(former, v)
		late := time.Since(began) >= reaction
		if still := quiet.add(v); (reacted || late) && (still || alike) {
			if alike && reacted && w.before.State.App == v.State.App {
				w.pace.learn(after, first)
			}
			return v, nil
		}
		after, former = max(v.At.Sub(began), time.Since(began)-took), v
	}
}

// AtRest looks at the phone until its screen, which something may have set in motion, is at rest,
// or for so long. Its error is that of Phone.Look.
func AtRest(ctx context.Context, p Phone, longest time.Duration) (screen.Observation, error) {
	w := watch{phone: p, longest: longest, touched: true}
	v, err := w.untilStill(ctx)
	return v.Observation, err
}

// reacted reports whether a view shows what a gesture did: another picture or, where there was none
// to hold it against, another app.
func (w *watch) reacted(v view) bool {
	if w.before.Frame == nil {
		return w.before.State.App != "" && v.State.App != w.before.State.App
	}
	return !w.unchanged(v)
}

// untilChanged looks until the screen is another one than before the gesture, or the reaction time
// has passed. A screen that has changed is not known to be at rest: w.moving.
func (w *watch) untilChanged(ctx context.Context) (view, error) {
	w.motion = motion{}
	began, pause := time.Now(), firstPoll
	_ = wait.For(ctx, min(w.pace.Rest, w.longest))
	v, err := w.look(ctx)
	for former := v; err == nil && w.unchanged(v); {
		_ = wait.For(ctx, min(pause-time.Since(former.At), reaction-time.Since(began)))
		pause = longer(pause)
		late := time.Since(began) >= reaction
		if former = w.frameOnly(ctx); !late && w.unchanged(former) {
			continue
		}
		if v, err = w.look(ctx); late {
			break
		}
	}
	w.moving = err == nil && v.Frame != nil && !w.unchanged(v)
	return v, err
}

// unchanged reports whether a view shows the screen of the step before.
func (w *watch) unchanged(v view) bool {
	return v.Frame != nil && difference(v, w.before) <= sameScreen
}

func longer(pause time.Duration) time.Duration { return min(pause*3/2, lastPoll) }

// frameOnly is a frame alone: whether the next look is the same tells whether the screen moves.
// What goes wrong is found out by the look that follows.
func (w *watch) frameOnly(ctx context.Context) view {
	ctx, cancel := context.WithTimeout(ctx, frameTime)
	defer cancel()
	at := time.Now()
	f, err := w.phone.Frame(ctx)
	if err != nil || f == nil {
		return view{Observation: screen.Observation{At: at}}
	}
	return view{screen.Observation{Frame: f, At: at}, f.Fingerprint()}
}

// alike reports whether two views are nearly the same, with the same app in front. A frame without
// a state counts as showing the app from before the gesture. An app that starts is looked at again.
func (w *watch) alike(a, b view) bool {
	s, t := a.State, b.State
	if a.Frame == nil || difference(a, b) > sameScreen {
		return false
	}
	if s == (screen.State{}) {
		return w.before.Frame == nil || w.before.State.App == t.App
	}
	return inFront(a, b)
}

// inFront reports whether the same is in front of two views.
func inFront(a, b view) bool {
	s, t := a.State, b.State
	return s.App == t.App && s.Activity == t.Activity && s.Size == t.Size &&
		s.Window == t.Window
}

func (w *watch) look(ctx context.Context) (view, error) {
	look, err := w.phone.Look(ctx)
	if err != nil || look.Frame == nil {
		return view{Observation: look}, err
	}
	return view{look, look.Frame.Fingerprint()}, nil
}
