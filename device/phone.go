package device

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
)

// Phone is one phone. Its methods may be called from several goroutines, but touches of two callers
// mix on the screen: a caller that touches holds the phone for itself.
type Phone struct {
	info     PhoneInfo
	identity identity

	shell    *shell
	display  display
	capturer capturer
	keyboard *adbKeyboard
	typist   typist
	dumper   *dumper
	launcher launcher

	noDrag atomic.Bool // input has no draganddrop
}

var _ actions.Surface = (*Phone)(nil)

// Info is what was read of the phone when it was opened.
func (p *Phone) Info() PhoneInfo { return p.info }

// Close ends the use of the phone. A Phone holds no connection between calls, so there is nothing
// to wait for.
func (p *Phone) Close() error { return nil }

// failed wraps an error with the attempt and the phone. It returns nil for nil.
func (p *Phone) failed(doing string, err error) error {
	return actions.On(p.info.Serial, doing, err)
}

// Launch brings an app to the front. app is a name or a package. A name that matches no app well is
// an error that lists near ones, so that no other app is started.
func (p *Phone) Launch(ctx context.Context, app string) error {
	pkg, err := p.launcher.find(ctx, app)
	if err == nil {
		err = p.launcher.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

// Relaunch stops the app, also in the background, and launches it on its first page. The packages
// in used are launched without being stopped.
func (p *Phone) Relaunch(ctx context.Context, app string, used []string) error {
	pkg, err := p.launcher.find(ctx, app)
	if err == nil && !slices.Contains(used, pkg) {
		err = p.shell.do(ctx, 0, "am force-stop --user current "+adb.Quote(pkg))
	}
	if err == nil {
		err = p.launcher.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

// Apps lists the installed apps, by package name.
func (p *Phone) Apps(ctx context.Context) ([]App, error) {
	apps, err := p.launcher.list(ctx)
	return apps, p.failed("listing the apps of", err)
}

// Type types text into the focused field. ASCII goes through `input text`, all other characters and
// tabs through ADBKeyBoard if it is installed. The keyboard in use is restored afterwards. A line
// break is the Enter key. A text that cannot be typed exactly is refused before anything is typed,
// and so is any text while no field has the focus. If the phone fails halfway, or Enter has left
// the field, the error says how far it came.
func (p *Phone) Type(ctx context.Context, text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	err := typeable(text)
	if err == nil && text != "" {
		err = p.typist.enter(ctx, text)
	}
	return p.failed("typing on", err)
}

// TypeByHand is Type for a person who sees the phone: where no field has the focus, such as at a
// PIN pad or in a game, ASCII is pressed as keys.
func (p *Phone) TypeByHand(ctx context.Context, text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	read, err := p.shell.read(ctx, "dumpsys input_method")
	if err == nil && (!plain(text) || parseEditor(read[0]).served) {
		return p.Type(ctx, text)
	}
	if err == nil {
		err = p.typist.enterInto(ctx, editor{lines: true}, text, plainSteps)
	}
	return p.failed("typing on", err)
}

// StateHung is the state of a phone that the server lists as usable and that does not answer.
const StateHung = "not answering"

// PhoneInfo is what ADB and the phone report without a look. Model and the fields after it are
// empty for a phone that is not usable.
type PhoneInfo struct {
	// the phone's id: its factory serial, unless another phone has that, or it says none
	Serial string `json:"device_id"`
	// under which the server has the phone, the one in use first; empty if it is just the id
	Addresses []string `json:"addresses,omitempty"`
	// ADB's word (device, offline, unauthorized, ...) or StateHung
	State   string      `json:"state"`
	Model   string      `json:"model,omitempty"`
	Android string      `json:"android_version,omitempty"`
	SDK     int         `json:"sdk,omitempty"`
	Size    screen.Size `json:"size,omitzero"` // logical display in its natural orientation
}

// Usable reports whether the phone takes commands.
func (i PhoneInfo) Usable() bool { return i.State == "device" }
