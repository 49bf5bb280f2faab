package agentloop

import "time"

// Event is something that happened in a run. Step is filled as far as it is known.
type Event struct {
	Kind     EventKind
	At       time.Time
	Step     Step
	Progress Progress // so far
	Ending   *Ending  // under Ended
}

// EventKind says what happened.
type EventKind string

// The events of a run, in the order in which they come. Of a step, Asking comes only with a
// question, Acting and Acted only with a gesture.
const (
	Started EventKind = "started"
	Looking EventKind = "looking" // a step begins
	Settled EventKind = "settled" // the screen is at rest after the step before, see Step.Screen
	Looked  EventKind = "looked"  // the screen was captured afresh, instead of Settled
	Decided EventKind = "decided"
	Asking  EventKind = "asking"
	Acting  EventKind = "acting" // the intent is in the journal
	Acted   EventKind = "acted"
	Stepped EventKind = "step" // the step is in the journal
	Ended   EventKind = "ended"
)
