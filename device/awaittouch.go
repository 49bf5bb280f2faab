package device

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// errNoTouchEvents says that a phone does not tell when somebody touches it.
var errNoTouchEvents = errors.New("the phone does not tell when it is touched by hand")

const (
	// getevent waits for one named event of any input device. Events that `input` injects do not
	// count. Without -q it lists the devices that it may not read. The phone ends it, so that it
	// does not stay there when the connection is lost.
	listen    = "timeout 20 getevent -lv1 -c 1"
	listenFor = 20 * time.Second
	// between two events that are no touches, of which some sensors have many
	pauseOfEvents = 200 * time.Millisecond
)

// The exit codes of timeout, and of a command that it has ended.
const (
	codeTimeout    = 124
	codeTerminated = 128 + 15
)

var (
	byHand   = regexp.MustCompile(`\b(?:EV_KEY|BTN_TOUCH|ABS_MT_\w+|ABS_[XY])\b`)
	anyEvent = regexp.MustCompile(`(?m)^(?:/dev/input/\S+:\s+)?EV_\w+`)
	// of files next to the devices with events, such as /dev/input/mice
	beside = regexp.MustCompile(`(?m)^could not .*/dev/input/(?:mice|mouse|js).*$`)
)

// AwaitTouch returns nil once somebody touches the display of the phone itself, or presses a key of
// it. Touches through [Phone] are none. Its error is errNoTouchEvents where the phone does not let
// ADB listen, ctx's cause, or one about reaching the phone.
func (p *Phone) AwaitTouch(ctx context.Context) error {
	for {
		r, err := p.shell.run(ctx, listen, listenFor)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return p.failed("listening to", err)
		case byHand.MatchString(r.Stdout):
			return nil
		case anyEvent.MatchString(r.Stdout):
			if err := wait.For(ctx, pauseOfEvents); err != nil {
				return err
			}
		case strings.TrimSpace(beside.ReplaceAllString(r.Stdout+r.Stderr, "")) != "",
			r.Code != codeTimeout && r.Code != codeTerminated:
			return p.failed("listening to", errNoTouchEvents)
		}
	}
}
