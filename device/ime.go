package device

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lazyregexp"
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

func (p *Phone) keyboards(ctx context.Context) (keyboards, error) {
	s, err := p.read(ctx, "settings get secure default_input_method", "ime list -a -s",
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

// broadcastOrKey runs one step of typing. `am broadcast` reports only that it was sent.
func (p *Phone) broadcastOrKey(ctx context.Context, s step) error {
	r, err := p.act(ctx, time.Duration(s.chars)*perChar, s.commands...)
	if err != nil {
		return err
	}
	broadcast := strings.HasPrefix(s.commands[0], "am ")
	if broadcast && !strings.Contains(r.Stdout, "Broadcast completed") {
		return fmt.Errorf("the phone did not send the text to its keyboard: %s",
			firstLine(r.Text()))
	}
	return nil
}

// unicodeSteps are the lines that type any text through ADBKeyBoard: base64, so that no shell sees
// it.
func unicodeSteps(text string) []step {
	var steps []step
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			steps = append(steps, step{[]string{keyevent(codeEnter)}, 1})
		}
		for part := range slices.Chunk([]rune(line), chunkChars) {
			b64 := base64.StdEncoding.EncodeToString([]byte(string(part)))
			commands := []string{"am broadcast -a ADB_INPUT_B64 --es msg " + adb.Quote(b64)}
			steps = append(steps, step{commands, len(part)})
		}
	}
	return steps
}

// withADBKeyboard runs f while ADBKeyBoard is the keyboard, and puts the former one back whatever
// happens: the error of that is actions.ErrDone. Which one that is it remembers first: the next use
// of the phone puts it back if this process is killed meanwhile.
func (p *Phone) withADBKeyboard(ctx context.Context, k keyboards, f func() error) (err error) {
	was, found := former{k.current, k.enabled}, true
	if k.current == adbIME { // chosen by a person, unless something is remembered
		if was, found, err = p.remembered(ctx); err != nil {
			return err
		}
	} else if err := p.remember(ctx, was); err != nil {
		return fmt.Errorf("nothing was typed: %w", err)
	}
	if !found {
		return f()
	}
	defer func() {
		back := p.putBack(ctx, was)
		if back == nil {
			return
		}
		p.log.WarnContext(ctx, "putting the former keyboard back", "serial", p.info.Serial,
			"err", back)
		if err == nil {
			back = fmt.Errorf("it is done, but the former keyboard could not be put back: %w", back)
			err = actions.Done(hint.Add(back, was.byHand(p.info.Serial)))
		}
	}()
	if k.current != adbIME {
		if err := p.do(ctx, 0, "ime enable "+adbIME, "ime set "+adbIME); err != nil {
			return fmt.Errorf("nothing was typed: switching to ADBKeyBoard: %w", err)
		}
	}
	if err := p.keyboardReady(ctx); err != nil {
		return fmt.Errorf("nothing was typed: %w", err)
	}
	return f()
}

var (
	imeCurrent = lazyregexp.New(`\bmCurMethodId=(\S+)`)
	imeBound   = lazyregexp.New(`\b(?:mBoundToMethod|mHaveConnection)=(true|false)`)
	imeShown   = lazyregexp.New(`\bmInputShown=(true|false)`)
)

var (
	errNotSwitched = fmt.Errorf("the phone did not switch to ADBKeyBoard within %s", imeWithin)
	errNotShown    = hint.Add(
		errors.New("ADBKeyBoard does not come up"),
		"tap the field once more; with a hardware keyboard, switch \"Show on-screen keyboard\" "+
			"on in the phone's settings")
)

// keyboardReady waits until the system has bound ADBKeyBoard and shows it: until then its
// broadcasts are lost.
func (p *Phone) keyboardReady(ctx context.Context) error {
	began, why := time.Now(), errNotSwitched
	for time.Since(began) < imeWithin {
		s, err := p.read(ctx, "settings get secure default_input_method", "dumpsys input_method")
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

// Keyboards remembers by serial the keyboard that a phone had before ADBKeyBoard took its place, so
// that it is put back also when the process that switched was killed.
type Keyboards interface {
	// SetFormerKeyboard remembers it, in place of another one; "" forgets it.
	SetFormerKeyboard(ctx context.Context, serial, former string) error
	// FormerKeyboard is what is remembered, "" for nothing.
	FormerKeyboard(ctx context.Context, serial string) (former string, err error)
}

// forgetful remembers nothing.
type forgetful struct{}

func (forgetful) SetFormerKeyboard(context.Context, string, string) error { return nil }

func (forgetful) FormerKeyboard(context.Context, string) (string, error) { return "", nil }

// former is what a phone had before ADBKeyBoard was switched to.
type former struct {
	Keyboard string `json:"keyboard"` // "" and "null" when the phone named none
	Enabled  bool   `json:"adb_keyboard_enabled"`
}

// remember keeps what the phone has now, until putBack.
func (p *Phone) remember(ctx context.Context, f former) error {
	b, err := json.Marshal(f)
	if err == nil {
		err = p.memory.SetFormerKeyboard(ctx, p.info.Serial, string(b))
	}
	return err
}

// remembered is what a process that was killed did not put back; false when there is nothing.
func (p *Phone) remembered(ctx context.Context) (f former, found bool, err error) {
	text, err := p.memory.FormerKeyboard(ctx, p.info.Serial)
	if err != nil || text == "" {
		return f, false, err
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, false, fmt.Errorf("reading the former keyboard of %s: %w", p.info.Serial, err)
	}
	return f, true, nil
}

// restoreKeyboard puts back what is remembered. A keyboard that somebody has chosen since stays.
func (p *Phone) restoreKeyboard(ctx context.Context) error {
	f, found, err := p.remembered(ctx)
	if err != nil || !found {
		return err
	}
	now, err := p.keyboards(ctx)
	switch {
	case err != nil:
		return err
	case now.current == adbIME:
		return p.putBack(ctx, f)
	case now.enabled && !f.Enabled:
		if err := p.run(ctx, "ime disable "+adbIME, 0); err != nil {
			return err
		}
	}
	p.forget(ctx)
	return nil
}

// putBack restores the keyboard in time of its own, so that a cancelled call does not leave the
// phone changed, and forgets it then. One that is not there any more gives way to the default.
func (p *Phone) putBack(ctx context.Context, f former) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackFor)
	defer cancel()
	r, err := p.shell(ctx, f.line(), 0)
	if err != nil {
		return err
	}
	if err := refusal(r); err != nil && p.run(ctx, former{Enabled: f.Enabled}.line(), 0) != nil {
		return err
	}
	p.forget(ctx)
	return nil
}

// forget ends the memory of what was put back. Should that go wrong, it is found to be put back the
// next time.
func (p *Phone) forget(ctx context.Context) {
	if err := p.memory.SetFormerKeyboard(ctx, p.info.Serial, ""); err != nil {
		p.log.WarnContext(ctx, "forgetting the former keyboard", "serial", p.info.Serial,
			"err", err)
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
func (f former) byHand(serial string) string {
	return "choose the keyboard in the phone's settings, or run: " +
		adb.Quote("adb", "-s", serial, "shell", f.line())
}
