package device

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/taploop/taploop/internal/adb"
)

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
