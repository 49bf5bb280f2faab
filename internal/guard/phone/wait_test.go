package phone_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// slowly is a screen whose elements are had after a while.
type slowly struct {
	ready chan struct{}
	list  []screen.Element
}

func (s slowly) Elements(ctx context.Context) ([]screen.Element, error) {
	select {
	case <-s.ready:
		return s.list, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Elements that take their time are waited for rather than that a person is asked for want of them,
// and a scroll hardly waits.
func TestTheElementsAreWaitedForBeforeAPersonIsAsked(t *testing.T) {
	const sec, never = time.Second, time.Hour
	tap := actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}
	scroll := actions.Scroll{At: tap.At, Direction: actions.Down}
	for name, c := range map[string]struct {
		action      actions.Action
		says, shows string
		after, took time.Duration
		allowed     bool
		ago         time.Duration // that the screen was looked at; 0 means long ago
	}{
		"harmless, seen late":      {tap, "buy now", "Details", 12 * sec, 12 * sec, true, 0},
		"a payment, seen late":     {tap, "details", "Pay now", 4 * sec, 4 * sec, false, 0},
		"a payment, never seen":    {tap, "buy now", "Pay now", never, 15 * sec, false, 0},
		"unsuspicious, never seen": {tap, "details", "Details", never, 5 * sec, true, 0},
		"a scroll, never seen":     {scroll, "scroll on", "Details", never, sec, true, 0},
		"a slider, said to be one": {scroll, "swipe up to pay", "", never, 11 * sec, false, 0},
		"a slider, seen late":      {scroll, "scroll", "Swipe up to pay", 0, 0, false, 0},
		"a slider, seen soon after": {scroll, "scroll", "Swipe up to pay", 2 * sec, 2 * sec, false,
			sec},
		"a scroll of a video":       {scroll, "scroll", "Details", never, 2 * sec, true, 3 * sec},
		"looked at in the future":   {scroll, "scroll", "Details", never, 5 * sec, true, -sec},
		"a list, said to be one":    {scroll, "swipe to pay", "Details", 3 * sec, 3 * sec, true, 0},
		"seen before it is decided": {tap, "details", "Details", 0, 0, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := guard.New(nil)
				require.NoError(t, err)
				r := slowly{make(chan struct{}),
					[]screen.Element{at(0, 4, 10, 6, c.shows, 0, true)}}
				timer := time.AfterFunc(c.after, func() { close(r.ready) })
				defer timer.Stop()
				synctest.Wait()
				began := time.Now()
				var seen time.Time
				if c.ago != 0 {
					seen = began.Add(-c.ago)
				}
				v, err := phone.New(p, nil).Check(t.Context(), agentloop.Situation{Reader: r,
					Screen:   screen.Observation{At: seen, State: screen.State{App: "com.shop"}},
					Progress: agentloop.Progress{Task: "look around"}},
					actions.Decision{Thought: c.says, Action: c.action})
				require.NoError(t, err)
				require.Equal(t, c.allowed, v.Allowed())
				require.Equal(t, c.took, time.Since(began))
			})
		})
	}
}

// failing lists nothing, for a reason of its own, until it is told to read again.
type failing struct {
	slowly
	again bool
}

func (f *failing) Again() { f.again = true }

func (f *failing) Elements(ctx context.Context) ([]screen.Element, error) {
	if !f.again {
		return nil, errors.New("listing the elements of the screen took too long")
	}
	return f.slowly.Elements(ctx)
}

// A list that was given up, as on a phone under load, is begun anew before a person is asked.
func TestTheElementsAreReadAgainBeforeAPersonIsAsked(t *testing.T) {
	for says, again := range map[string]bool{"buy now": true, "details": false} {
		r := &failing{slowly{make(chan struct{}), []screen.Element{at(0, 4, 10, 6, "Details", 0,
			true)}}, false}
		close(r.ready)
		p, err := guard.New(nil)
		require.NoError(t, err)
		v, err := phone.New(p, nil).Check(t.Context(), agentloop.Situation{Reader: r,
			Progress: agentloop.Progress{Task: "look around"}},
			actions.Decision{Thought: says,
				Action: actions.Click{At: screen.Point{X: 0.5, Y: 0.5}}})
		require.NoError(t, err)
		require.True(t, v.Allowed(), says)
		require.Equal(t, again, r.again, says)
	}
}
