package agentloop

import (
	"cmp"
	"time"

	"github.com/taploop/taploop/actions"
)

// Limits bound one call of Run. A zero field takes its default.
type Limits struct {
	Steps     int           // steps of this call, default 40
	Questions int           // questions of the run, earlier calls included, default 20
	Time      time.Duration // wall time of this call, default 30 min

	// Settle is the longest wait for the screen to come to rest after a gesture. The default is 3
	// s. A negative Settle does not wait.
	Settle time.Duration
	// Act is the longest time of a gesture, without waiting. The default is 60 s.
	Act time.Duration

	Repeats  int // of an action, in a row, that are pointed out to the model, default 5
	Patience int // repeats after that which end the run as Stuck, default 3
}

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, 40)
	l.Questions = cmp.Or(l.Questions, 20)
	l.Time = cmp.Or(l.Time, 30*time.Minute)
	l.Settle = cmp.Or(l.Settle, 3*time.Second)
	l.Act = cmp.Or(l.Act, 2*actions.MaxTouch) // a touch may take MaxTouch by itself
	l.Repeats = cmp.Or(l.Repeats, 5)
	l.Patience = cmp.Or(l.Patience, 3)
	return l
}
