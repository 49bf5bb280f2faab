package device

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// adbIME is ADBKeyBoard: a keyboard that types what a broadcast brings it.
const adbIME = "com.android.adbkeyboard/.AdbIME"

const (
	imeWithin = 5 * time.Second        // for a keyboard to take over
	imePoll   = 100 * time.Millisecond // between two looks at whether it has
	// to put the former keyboard back, even after a cancellation
	putBackFor = 5 * time.Second
)

var errNoKeyboard = errors.New(
	"nothing was typed: the text is not plain ASCII, and ADBKeyBoard is not on the phone")

// keyboards is what a phone says of its input methods.
type keyboards struct {
	current   string
	installed bool // adbIME is there
	enabled   bool // and switched on
}

// adbKeyboard puts ADBKeyBoard in the place of a phone's keyboard for a while.
type adbKeyboard struct {
	*shell
	memory formerKeyboards
	log    *slog.Logger
}

func (k *adbKeyboard) keyboards(ctx context.Context) (keyboards, error) {
	s, err := k.read(ctx, "settings get secure default_input_method", "ime list -a -s",
		"ime list -s")
	if err != nil {
		return keyboards{}, err
	}
	return keyboards{
		current:   strings.TrimSpace(s[0]),
		installed: slices.Contains(strings.Fields(s[1]), adbIME),
		enabled:   slices.Contains(strings.Fields(s[2]), adbIME),
	}, nil
}

// during runs f while ADBKeyBoard is the keyboard, and puts the former one back whatever happens:
// the error of that is actions.ErrDone. Which one that is it remembers first: the next use of the
// phone puts it back if this process is killed meanwhile.
func (k *adbKeyboard) during(ctx context.Context, now keyboards, f func() error) (err error) {
	was, found := former{now.current, now.enabled}, true
	if now.current == adbIME { // chosen by a person, unless something is remembered
		if was, found, err = k.remembered(ctx); err != nil {
			return err
		}
	} else if err := k.remember(ctx, was); err != nil {
		return fmt.Errorf("nothing was typed: %w", err)
	}
	if !found {
		return f()
	}
	defer func() {
		back := k.putBack(ctx, was)
		if back == nil {
			return
		}
		k.warn(ctx, puttingBack, back)
		if err == nil {
			back = fmt.Errorf("it is done, but the former keyboard could not be put back: %w", back)
			err = actions.Done(hint.Add(back, was.byHand(k.dev.Load().Args())))
		}
	}()
	if now.current != adbIME {
		if err := k.do(ctx, 0, "ime enable "+adbIME, "ime set "+adbIME); err != nil {
			return fmt.Errorf("nothing was typed: switching to ADBKeyBoard: %w", err)
		}
	}
	if err := k.ready(ctx); err != nil {
		return fmt.Errorf("nothing was typed: %w", err)
	}
	return f()
}

var (
	imeCurrent = regexp.MustCompile(`\bmCurMethodId=(\S+)`)
	imeBound   = regexp.MustCompile(`\b(?:mBoundToMethod|mHaveConnection)=(true|false)`)
	imeShown   = regexp.MustCompile(`\bmInputShown=(true|false)`)
)

var (
	errNotSwitched = fmt.Errorf("the phone did not switch to ADBKeyBoard within %s", imeWithin)
	errNotShown    = hint.Add(
		errors.New("ADBKeyBoard does not come up"),
		"tap the field once more; with a hardware keyboard, switch \"Show on-screen keyboard\" "+
			"on in the phone's settings")
)

// ready waits until the system has bound ADBKeyBoard and shows it: until then its
// broadcasts are lost.
func (k *adbKeyboard) ready(ctx context.Context) error {
	began, why := time.Now(), errNotSwitched
	for time.Since(began) < imeWithin {
		s, err := k.read(ctx, "settings get secure default_input_method", "dumpsys input_method")
		if err != nil {
			return err
		}
		if strings.TrimSpace(s[0]) == adbIME {
			if why = imeMissing(s[1]); why == nil {
				return nil
			}
		}
		if err := wait.For(ctx, imePoll); err != nil {
			return err
		}
	}
	return why
}

// imeMissing is what `dumpsys input_method` says is missing for ADBKeyBoard to take text, or nil.
// What it does not report is taken to be well.
func imeMissing(dump string) error {
	current := first(imeCurrent, dump)
	bound, shown := first(imeBound, dump), first(imeShown, dump)
	switch {
	case current != "" && current != adbIME, bound == "false":
		return errNotSwitched
	case shown == "false":
		return errNotShown
	}
	return nil
}

// formerKeyboards remembers by its id the keyboard that a phone had before ADBKeyBoard took its
// place, so that it is put back even when the process that switched was killed.
type formerKeyboards interface {
	// SetFormerKeyboard remembers the keyboard in place of another one, or forgets it for "".
	SetFormerKeyboard(ctx context.Context, id, former string) error
	// FormerKeyboard returns the remembered keyboard, or "".
	FormerKeyboard(ctx context.Context, id string) (former string, err error)
}

// former is what a phone had before ADBKeyBoard was switched to.
type former struct {
	Keyboard string `json:"keyboard"` // "" and "null" when the phone named none
	Enabled  bool   `json:"adb_keyboard_enabled"`
}

// remember keeps what the phone has now, until putBack.
func (k *adbKeyboard) remember(ctx context.Context, f former) error {
	b, err := json.Marshal(f)
	if err == nil {
		err = k.memory.SetFormerKeyboard(ctx, k.id, string(b))
	}
	return err
}

// remembered returns the keyboard that a killed process did not restore, and whether there is one.
func (k *adbKeyboard) remembered(ctx context.Context) (f former, found bool, err error) {
	text, err := k.memory.FormerKeyboard(ctx, k.id)
	if err != nil || text == "" {
		return f, false, err
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, false, fmt.Errorf("reading the former keyboard of %s: %w", k.id, err)
	}
	return f, true, nil
}

// restore restores the remembered keyboard, unless somebody has chosen another one since.
func (k *adbKeyboard) restore(ctx context.Context) error {
	f, found, err := k.remembered(ctx)
	if err != nil || !found {
		return err
	}
	now, err := k.keyboards(ctx)
	switch {
	case err != nil:
		return err
	case now.current == adbIME:
		return k.putBack(ctx, f)
	case now.enabled && !f.Enabled:
		if err := k.must(ctx, "ime disable "+adbIME); err != nil {
			return err
		}
	}
	k.forget(ctx)
	return nil
}

// putBack restores the keyboard and forgets it. It has a separate deadline, so that a cancelled
// call does not leave the phone changed. An uninstalled keyboard is replaced by the default.
func (k *adbKeyboard) putBack(ctx context.Context, f former) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackFor)
	defer cancel()
	r, err := k.run(ctx, f.line(), 0)
	if err != nil {
		return err
	}
	if err := refusal(r); err != nil && k.must(ctx, former{Enabled: f.Enabled}.line()) != nil {
		return err
	}
	k.forget(ctx)
	return nil
}

// forget ends the memory of what was put back. Should that go wrong, it is found to be put back the
// next time.
func (k *adbKeyboard) forget(ctx context.Context) {
	k.warn(ctx, "forgetting the former keyboard", k.memory.SetFormerKeyboard(ctx, k.id, ""))
}

const puttingBack = "putting the former keyboard back"

// warn logs an error that is not nil.
func (k *adbKeyboard) warn(ctx context.Context, doing string, err error) {
	if err != nil {
		k.log.WarnContext(ctx, doing, "phone", k.id, "err", err)
	}
}

// line restores it on the phone.
func (f former) line() string {
	line := "ime reset"
	if cmp.Or(f.Keyboard, "null") != "null" {
		line = "ime set " + adb.Quote(f.Keyboard)
	}
	if !f.Enabled {
		line += " && ime disable " + adbIME
	}
	return line
}

// byHand is what a person can do when it could not be restored.
func (f former) byHand(adbArgs []string) string {
	return "choose the keyboard in the phone's settings, or run: " +
		adb.Quote(slices.Concat([]string{"adb"}, adbArgs, []string{"shell", f.line()})...)
}
