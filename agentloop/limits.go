package agentloop

import (
	"cmp"
	"fmt"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
)

// Limits bound one call of Run. A zero field takes its default.
type Limits struct {
	Steps     int           // steps of this call; default 40
	Questions int           // questions of the run, earlier calls included; default 20
	Time      time.Duration // wall time of this call; default 30 min

	// Settle is the longest wait for the screen to come to rest after a gesture; default 3 s,
	// negative does not wait.
	Settle time.Duration
	// Act is the longest that a gesture may take, waiting aside; default 60 s.
	Act time.Duration

	Repeats  int // of an action, in a row, that are pointed out to the model; default 5
	Patience int // repeats after that which end the run as Stuck; default 3
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

// errTime cancels a step whose call has used up its wall time.
var errTime error = &interruption{TimeLimitReached, "the time for this call of the run is used up"}

// halt is the ending for reason, with what was in the way and what can be done about it.
func halt(reason StopReason, err error) *Ending {
	if h := hints[reason]; h != "" && hint.Of(err) == "" {
		err = hint.Add(err, h)
	}
	return &Ending{Reason: reason, Err: err}
}

// hints are what a person can do about an ending; an error's own hint goes before.
var hints = map[StopReason]string{
	MaxStepsReached:  "continue the session to give the run more steps",
	TimeLimitReached: "continue the session to give the run more time",
	ManualStop: "if it was not meant as a stop, start the task again: the phone is " +
		"woken first",
	ScreenLocked: "unlock the phone by hand, then continue the session",
	SecureScreen: "do this part on the phone by hand, leave the protected screen, then " +
		"continue the session",
	DeviceDisconnected: "bring the phone back (cable, Wi-Fi, `adb devices`), then continue the " +
		"session",
	DeviceError: "`taploop devices` tells how the phone stands; look at its screen, then " +
		"continue the session",
	ModelError: "see that the model's server answers (`taploop config show` has its address, " +
		"model.base_url), then continue the session",
	ModelKeyRefused: "put the key right that the model's endpoint wants, then continue the " +
		"session",
	ModelOutputInvalid: "continue the session to try again; if it happens often, the model " +
		"does not fit the dialect",
	Stuck: "look at the phone, or at the pictures that `taploop sessions show SESSION` names; " +
		"help by hand if need be, then continue the session or start a clearer task",
	ActionRejected: "continue the session with a task that says what to do instead",
	PolicyDenied: "do this part on the phone by hand, then continue the session; " +
		"`taploop guard check SESSION` tells which rule denies it",
	QuestionLimit: "start a new task that says beforehand what the run kept asking for",
	InternalError: "`taploop sessions show SESSION` has what is known, `taploop -v` logs more; " +
		"nothing more is done on the phone until the store can be written again",
	TakeoverNeeded:  "do it on the phone, then answer that it is done, or could not be",
	UserPaused:      "continue the session",
	ClientDetached:  "continue the session",
	ServerRestarted: "continue the session",
}

// OutOfSteps is the ending of a run that has used up all n steps of its call.
func OutOfSteps(n int) *Ending {
	return halt(MaxStepsReached, fmt.Errorf("all %d steps of this call are used up", n))
}
