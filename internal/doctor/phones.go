package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// What a phone should have.
const (
	slowCapture  = 1500 * time.Millisecond // with the quicker of both forms
	slowElements = 3 * time.Second         // to list them once
	leastFree    = 200 << 20               // bytes for data
	mostAhead    = 5 * time.Minute         // of its clock, before or behind
)

// phones looks at every phone, and returns their ids and addresses.
func (a *ADB) phones(ctx context.Context, l *ledger, clock *watch) (seen []string) {
	list, err := a.Phones.Examine(ctx)
	if err != nil && list == nil {
		l.add("adb.failed", "adb", "address", a.Client.Address(), "why", text.Line(err.Error()))
		return nil
	}
	if len(list) == 0 {
		l.add("phone.none", "phone")
		return nil
	}
	wanted := a.Phones.Named(a.Serial)
	if wanted != "" && !slices.ContainsFunc(list, func(e device.Examination) bool {
		return e.Serial == wanted || slices.Contains(e.Addresses, wanted)
	}) {
		l.add("phone.absent", "phone "+text.Line(wanted), "phone", text.Line(wanted))
		seen = append(seen, wanted)
	}
	for i := range list {
		phoneCheck{&list[i], l}.all(clock)
		seen = append(append(seen, list[i].Serial), list[i].Addresses...)
	}
	return seen
}

// phoneCheck turns what a phone says into findings.
type phoneCheck struct {
	*device.Examination
	l *ledger
}

func (c phoneCheck) add(id string, with ...string) {
	c.l.add(id, "phone "+text.Line(c.Serial), append(with, "phone", text.Line(c.Serial))...)
}

func (c phoneCheck) all(clock *watch) {
	if len(c.Addresses) > 1 {
		c.add("phone.twice", "addresses", text.Line(strings.Join(c.Addresses, ", ")),
			"first", text.Line(c.Addresses[0]), "other", text.Line(c.Addresses[1]))
	}
	if id := c.outOfUse(); id != "" {
		c.add(id, "state", text.Line(c.State), "why", whyOf(c.Unusable))
		return
	}
	before := len(*c.l)
	c.seen()
	c.handled()
	c.kept()
	if c.Clocked && c.Ahead.Abs() > mostAhead {
		clock.phones = append(clock.phones, phoneClock{c.Serial, c.Ahead})
	}
	if len(*c.l) == before {
		c.add("phone.ready", "model", text.Line(c.Model), "android", text.Line(c.Android),
			"size", c.Size.String(), "raw", taken(c.Raw), "png", taken(c.PNG),
			"elements", seconds(c.Elements.Took), "state", text.Line(c.State), "lock", c.lock(),
			"keyboard", text.Line(cmp.Or(c.Keyboard.Current, "-")), "switch", c.switching(),
			"keyboards", text.Line(strings.Join(c.Keyboard.All, ", ")), "free", megabytes(c.Free),
			"posture", text.Line(cmp.Or(c.Posture, "-")))
	}
}

// lock is a phrase for the lock screen of a phone that is ready.
func (c phoneCheck) lock() string {
	switch {
	case c.Display.Locked:
		return "locked without a code"
	case c.SecureLock:
		return "not locked, with a code"
	}
	return "not locked"
}

// switching is a phrase for the input method of a phone that is ready.
func (c phoneCheck) switching() string {
	if c.Keyboard.Current == "" {
		return "not tried to be switched"
	}
	return "which may be switched"
}

// outOfUse says why the phone takes no commands, or "".
func (c phoneCheck) outOfUse() string {
	switch {
	case c.Starting:
		return "phone.starting"
	case c.Unusable == nil:
		return ""
	case c.State == device.StateHung:
		return "phone.hung"
	}
	for _, s := range []struct {
		is error
		id string
	}{
		{adb.ErrUnauthorized, "phone.unauthorized"}, {adb.ErrNoPermissions, "phone.permissions"},
		{adb.ErrOffline, "phone.offline"}, {screen.ErrDisconnected, "phone.offline"},
		{context.DeadlineExceeded, "phone.hung"}, {adb.ErrNotStarted, "phone.mode"},
	} {
		if errors.Is(c.Unusable, s.is) {
			return s.id
		}
	}
	return "phone.unreadable"
}

// seen is about what can be seen of the phone. What follows from a dark, locked or secret display
// is left out.
func (c phoneCheck) seen() {
	switch {
	case c.Display.Locked && c.SecureLock:
		c.add("phone.locked")
		return
	case !c.Display.On:
		c.add("phone.dark")
		return
	case c.Display.Secure:
		c.add("phone.secure", "app", text.Line(c.Display.App))
		return
	}
	if c.Panels > 1 && closed(c.Posture) {
		c.add("phone.folded", "posture", text.Line(c.Posture))
	}
	switch late := c.late(); {
	case late != nil:
		c.add("phone.late", "why", whyOf(late))
		return
	case c.Raw.Err != nil && c.PNG.Err != nil:
		c.add("phone.capture", "why", whyOf(c.Raw.Err))
		return
	case slow(c.Raw) && slow(c.PNG), c.Elements.Err == nil && c.Elements.Took > slowElements:
		c.add("phone.slow", "raw", taken(c.Raw), "png", taken(c.PNG), "elements", taken(c.Elements))
	}
	switch err := c.Elements.Err; {
	case errors.Is(err, device.ErrNotIdle), errors.Is(err, device.ErrSlowDump):
		c.add("phone.restless", "took", seconds(c.Elements.Took))
	case err != nil:
		c.add("phone.unlisted", "why", whyOf(err))
	}
}

// late is the error of what the phone did not answer in time, or nil. That is no refusal.
func (c phoneCheck) late() error {
	asked := []error{c.Touches, c.Keyboard.Switch}
	if c.Raw.Err != nil {
		asked = append(asked, c.PNG.Err)
	}
	for _, err := range asked {
		if errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	return nil
}

// closed reports whether the words for a posture mean a phone that is shut.
func closed(posture string) bool {
	p := strings.ToUpper(posture)
	return strings.Contains(p, "CLOSE") || strings.Contains(p, "FOLDED") &&
		!strings.Contains(p, "UNFOLDED")
}

// handled is about touching and typing.
func (c phoneCheck) handled() {
	if c.late() != nil {
		return
	}
	if c.Touches != nil {
		c.add("phone.touches", "why", whyOf(c.Touches))
	}
	switch {
	case c.Keyboard.Switch != nil:
		c.add("phone.switching", "why", whyOf(c.Keyboard.Switch))
	case !c.Keyboard.ADB:
		c.add("phone.keyboard")
	}
}

// kept is about the phone's storage, users and displays.
func (c phoneCheck) kept() {
	if c.Free >= 0 && c.Free < leastFree {
		c.add("phone.storage", "free", megabytes(c.Free))
	}
	if c.User != "" {
		c.add("phone.user", "user", text.Line(c.User))
	}
	if c.Displays > 1 {
		c.add("phone.displays", "displays", strconv.Itoa(c.Displays))
	}
	if len(c.Profiles) > 0 {
		c.add("phone.profile", "profiles", text.Line(strings.Join(c.Profiles, ", ")))
	}
}

func whyOf(err error) string {
	if err == nil {
		return ""
	}
	return text.Cut(text.Line(err.Error()), 300)
}

func slow(t device.Timing) bool { return t.Err != nil || t.Took > slowCapture }

// taken is how long a capture took, or that none came.
func taken(t device.Timing) string {
	switch {
	case errors.Is(t.Err, context.DeadlineExceeded):
		return "> " + seconds(t.Took)
	case t.Err != nil:
		return "-"
	}
	return seconds(t.Took)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func megabytes(n int64) string {
	if n < 0 {
		return "?"
	}
	return fmt.Sprintf("%d MB", n>>20)
}
