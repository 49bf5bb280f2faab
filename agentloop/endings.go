package agentloop

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// LostPhone is the ending of a run whose phone could not be looked at, or not be got ready for it,
// because of err.
func LostPhone(err error) *Ending {
	switch {
	case errors.Is(err, screen.ErrDisconnected):
		return halt(DeviceDisconnected, err)
	case errors.Is(err, screen.ErrSecure):
		return halt(SecureScreen, err)
	case errors.Is(err, screen.ErrLocked):
		return halt(ScreenLocked, err)
	case errors.Is(err, screen.ErrDark):
		return halt(ManualStop, err)
	default:
		return halt(DeviceError, err)
	}
}

// LostModel is the ending of a run whose model could not be asked because of err.
func LostModel(err error) *Ending {
	if errors.Is(err, ErrKeyRefused) {
		return halt(ModelKeyRefused, err)
	}
	return halt(ModelError, err)
}

// errTime cancels a step whose call has used up its wall time.
var errTime error = &interruption{TimeLimitReached, "the time for this call of the run is used up"}

// Unavailable is an error of a store that takes no writes for now.
type Unavailable string

func (u Unavailable) Error() string { return string(u) }

// Unwritable reports whether err is that of a store or a file that takes no writes for now.
func Unwritable(err error) bool {
	_, is := errors.AsType[Unavailable](err)
	return is || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Failed is the reason of an ending because of an error within the program.
func Failed(err error) StopReason {
	if Unwritable(err) {
		return StoreUnavailable
	}
	return InternalError
}

// halt is the ending for reason, with what was in the way and what can be done about it.
func halt(reason StopReason, err error) *Ending {
	if h := hints[reason]; h != "" && hint.Of(err) == "" {
		err = hint.Add(err, h)
	}
	return &Ending{Reason: reason, Err: err}
}

// broken is the ending because of an error within the program.
func broken(err error) *Ending { return halt(Failed(err), err) }

// hints say what a person can do about an ending. An error's own hint goes before.
var hints = map[StopReason]string{
	MaxStepsReached:  "continue the session to give the run more steps",
	TimeLimitReached: "continue the session to give the run more time",
	ManualStop: "if it was not meant as a stop, start the task again: the phone is " +
		"woken first",
	ScreenLocked: "unlock the phone by hand, then continue the session",
	SecureScreen: "do this part on the phone by hand, leave the protected screen, then " +
		"continue the session",
	DeviceDisconnected: "bring the phone back (cable, Wi-Fi, `taploop connect`): a server's run " +
		"then resumes by itself, and any other one when the session is continued",
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
	InternalError: "`taploop sessions show SESSION` has what is known, `taploop -v` logs more",
	StoreUnavailable: "see that the data folder can be written, then continue the session; " +
		"nothing is done on the phone until then",
	TakeoverNeeded:  "do it on the phone, then answer that it is done, or could not be",
	UserPaused:      "continue the session",
	ClientDetached:  "continue the session",
	ServerRestarted: "continue the session",
	Restored: "see on the phone what was done since the backup, then continue the session or " +
		"stop it",
}

// OutOfSteps is the ending of a run that has used up all n steps of its call.
func OutOfSteps(n int) *Ending {
	return halt(MaxStepsReached, fmt.Errorf("all %d steps of this call are used up", n))
}

// Stopped is the ending of a run whose context was cancelled, as its cause says.
func Stopped(ctx context.Context) *Ending {
	cause := context.Cause(ctx)
	return halt(interrupted(cause), cause)
}

// interrupted is the reason that err ends a run for, when it is the cause of a cancelled context.
func interrupted(err error) StopReason {
	if i, is := errors.AsType[*interruption](err); is {
		return i.reason
	}
	return Cancelled
}
