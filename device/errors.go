package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// hungError is a phone that did not answer in time. It is a context.DeadlineExceeded too.
type hungError struct {
	Serial  string
	Command string // its first words, never its arguments
	After   time.Duration
}

func (e *hungError) Error() string {
	return fmt.Sprintf("%s did not answer `%s` within %s", e.Serial, e.Command, e.After)
}

// Is makes the error a deadline for those who ask.
func (e *hungError) Is(target error) bool { return target == context.DeadlineExceeded }

const hintHung = "look whether the phone itself responds; run `adb reconnect`, or reboot the phone"

// gone are the failures that mean that the phone, or the way to it, is lost.
var gone = []error{adb.ErrNotFound, adb.ErrOffline, adb.ErrUnauthorized, adb.ErrNoPermissions,
	adb.ErrCut, adb.ErrNoServer}

// explain makes errors of the protocol the ones that this package promises.
func explain(err error) error {
	if hung, is := errors.AsType[*hungError](err); is {
		return hint.Add(hung, hintHung)
	}
	for _, g := range gone {
		if errors.Is(err, g) {
			return lost{err}
		}
	}
	return err
}

// lost is an error that is screen.ErrDisconnected as well, without saying it twice.
type lost struct{ error }

func (l lost) Unwrap() error        { return l.error }
func (l lost) Is(target error) bool { return target == screen.ErrDisconnected }

// complaint is a line with which a command of Android reports that it failed, even when its exit
// code is 0, as before Android 10.
var complaint = regexp.MustCompile(`(?mi)^\s*(?:error\b|usage:|.*\w+Exception\b|.*INJECT_EVENTS|` +
	`.*permission denial|.*inaccessible or not found|.*not found$).*$`)

const hintInject = "switch on \"USB debugging (Security settings)\" in the phone's developer " +
	"options (Xiaomi, Redmi and POCO need it for input), then try again"

// signalled reports whether a signal ended the command: the exit code is then 128 plus its number,
// at most 64. Android's commands report a failure of their own as 255.
func signalled(code int) bool { return 128 < code && code <= 128+64 }

// refusal is why a command did not do what it should, or nil. What a signal has ended, as a phone
// that runs out of memory does, may have done it before: that is actions.ErrUnknown.
func refusal(r adb.Result) error {
	said := complaint.FindString(r.Stderr)
	said = cmp.Or(said, complaint.FindString(r.Stdout))
	if said == "" && r.Code == 0 {
		return nil
	}
	said = cmp.Or(said, firstLine(r.Stderr+"\n"+r.Stdout))
	if signalled(r.Code) {
		return actions.Unknown(fmt.Errorf("the phone ended the command before it was through "+
			"(exit code %d, %q), and whether it took effect is unknown", r.Code, firstLine(said)))
	}
	err := fmt.Errorf("the phone refused: %s", strings.TrimSpace(said))
	if strings.TrimSpace(said) == "" {
		err = fmt.Errorf("the phone refused with exit code %d", r.Code)
	}
	if strings.Contains(r.Text(), "INJECT_EVENTS") {
		return hint.Add(err, hintInject)
	}
	return err
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// Reasons why the elements of a screen could not be read. A caller continues without them.
var (
	ErrNotIdle = hint.Add(errors.New("the screen does not come to rest, so that its elements "+
		"cannot be listed"), "wait until videos and animations have ended, or switch animations "+
		"off in the phone's developer options")
	errNoWindow    = errors.New("the phone gives no window whose elements could be listed")
	errEmptyScreen = errors.New("the app in front lists no elements, as games and some " +
		"web pages do")
	ErrSlowDump    = errors.New("listing the elements of the screen took too long")
	errNoDump      = errors.New("uiautomator on the phone lists no elements")
	errBadDump     = errors.New("the list of the screen's elements cannot be read")
	errHugeDump    = errors.New("the list of the screen's elements is too large")
	errOtherScreen = errors.New("the listed elements are not those of the screen that was seen")
)

// tornError is a picture that is not whole or does not belong to the state read with it: worth a
// second look.
type tornError struct{ error }
