package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/words"
)

// The exit codes. What they mean is said in the help.
const (
	exitDone         = 0
	exitError        = 1
	exitUsage        = 2
	exitNotCompleted = 3
	exitWaiting      = 4
	exitPhone        = 5
	exitModel        = 6
	exitKey          = 7
	exitInterrupted  = 130
)

// troubles are the exit codes by what an error or the end of a run says. Other ends are those of a
// task that is not completed.
var troubles = map[string]int{
	string(runs.ADBUnreachable):          exitPhone,
	string(runs.DeviceMismatch):          exitPhone,
	string(agentloop.DeviceDisconnected): exitPhone,
	string(agentloop.DeviceError):        exitPhone,
	string(agentloop.ScreenLocked):       exitPhone,
	string(agentloop.ModelError):         exitModel,
	string(agentloop.ModelOutputInvalid): exitModel,
	string(agentloop.ModelKeyRefused):    exitKey,
	string(agentloop.InternalError):      exitError,
	string(agentloop.StoreUnavailable):   exitError,
	string(agentloop.ServerRestarted):    exitError,
	string(runs.InvalidArgument):         exitUsage,
	string(runs.RunEnded):                exitUsage,
}

// exitOf is the exit code of a command that failed.
func exitOf(err error) int {
	why := runs.CodeOf(err)
	code, known := troubles[string(why)]
	asked, models := errors.AsType[*model.Error](err)
	switch _, wrong := errors.AsType[app.UsageError](err); {
	case wrong:
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case models && asked.Kind == model.Unauthorized:
		return exitKey
	case models:
		return exitModel
	case known:
		return code
	case why.Remedy() == runs.SeePhones, why.Remedy() == runs.SeeHolder:
		return exitPhone
	}
	return exitError
}

// endOf returns the end of a command whose run ended or rests, or nil if the task is done.
func endOf(ctx context.Context, state store.State, reason agentloop.StopReason) error {
	switch {
	case state == store.Completed:
		return nil
	case ctx.Err() != nil:
		return ended(exitInterrupted)
	case state.Waiting():
		return ended(exitWaiting)
	}
	return ended(exitOfRun(reason))
}

// exitOfRun is the exit code of a run that ended, or paused.
func exitOfRun(reason agentloop.StopReason) int {
	code, known := troubles[string(reason)]
	switch {
	case known:
		return code
	case store.IsWaiting(reason):
		return exitWaiting
	}
	return exitNotCompleted
}

// report prints err with its hints and returns the exit code.
func report(w io.Writer, lang string, err error) int {
	var code ended
	if errors.As(err, &code) {
		return int(code)
	}
	if err == nil {
		return exitDone
	}
	say := story.In(lang)
	for _, e := range split(err) {
		if e == context.Canceled { // whoever interrupts a command knows it
			continue
		}
		code := runs.CodeOf(e) // that of any error without one is InternalError
		said := words.Phrase(lang, e.Error())
		first := say.InFront[string(code)]
		if first != "" && code != runs.InternalError && said == e.Error() {
			fmt.Fprintf(w, "%s\n", first)
		}
		fmt.Fprint(w, "taploop: "+folded(w, said, 9, "    ")+"\n")
		try := hint.Of(e)
		if runs.CodeOf(e) == runs.SessionNotFound && !strings.HasPrefix(try, "taploop ") {
			try = "taploop sessions list, and pass the id of one of them"
		}
		if try != "" {
			fmt.Fprint(w, "  "+say.Try+folded(w, words.Phrase(lang, try), 7, "       ")+"\n")
		}
	}
	return exitOf(err)
}

// split takes joined errors apart, so that each is shown with its own hint.
func split(err error) []error {
	if wrong, ok := err.(app.UsageError); ok {
		err = wrong.Unwrap()
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
