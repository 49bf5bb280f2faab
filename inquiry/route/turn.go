package route

import (
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
)

// Plan writes into a new question through which channels it goes when it is asked now, and what
// silence leads to. attention is the time of a step that does not say its own; listed are channels
// where every question can be answered.
func Plan(q *inquiry.Question, mode channel.Mode, attention time.Duration, listed []string) error {
	steps, err := mode.Steps()
	if err != nil {
		return err
	}
	at := time.Now()
	for i, s := range steps {
		c := inquiry.Channel{Name: s.Name}
		last := i == len(steps)-1
		if s.Time == 0 {
			s.Time = attention
		}
		if q.AttentionUntil = at.Add(s.Time); !last {
			c.Until = stored(q.AttentionUntil)
		}
		if last && s.Last {
			q.AttentionUntil, q.OnTimeout = at, inquiry.GoOn
		}
		q.Channels = append(q.Channels, c)
		at = q.AttentionUntil
	}
	for _, name := range listed {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	return nil
}

// stored is a time as a store keeps it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Asking is the channel that is in turn at the time; "" when none has. Its router may not have
// noticed yet that a time is over.
func Asking(q inquiry.Question, at time.Time) string {
	name := q.Turn.Channel
	i := q.Index(name)
	if i < 0 || comes(q.Channels[i], at) {
		return name
	}
	return next(q, name, at)
}

// next is the channel whose turn comes after the named one, "" after the last; name is "" before
// the first.
func next(q inquiry.Question, name string, at time.Time) string {
	for _, c := range q.Channels[q.Index(name)+1:] {
		if comes(c, at) {
			return c.Name
		}
	}
	return ""
}

// comes reports whether the channel is a step whose turn is not over.
func comes(c inquiry.Channel, at time.Time) bool {
	return channel.Named(c.Name).Step && (c.Until.IsZero() || at.Before(c.Until))
}

// Left are the channels through which the open question can still be answered. routed says that its
// router is there: the channel that is in turn is marked then. What is not asked at all is left
// out, and so is a step whose turn is over; but the client may answer as long as the question is
// open. Of a settled question there are none.
func Left(q inquiry.Question, routed bool) (left []inquiry.Channel) {
	if !q.Open() {
		return nil
	}
	now := time.Now()
	turn := q.Index(Asking(q, now))
	for i, d := range q.Channels {
		c := channel.Named(d.Name)
		over := !d.Until.IsZero() && !now.Before(d.Until) ||
			c.Step && q.Turn != (inquiry.Turn{}) && (turn < 0 || i < turn)
		switch {
		case c.Last, over && c.Name != string(channel.PassToClient):
			continue
		case over:
			d.Until = time.Time{}
		}
		d.Asks = d.Asks || routed && i == turn
		left = append(left, d)
	}
	return left
}
