package device

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/screen"
)

// shell runs commands on one phone, each within its time.
type shell struct {
	dev atomic.Pointer[adb.Device] // the phone's address in use
	id  string
	// elsewhere is another address of the phone, or nil if it has none. It is nil while a phone is
	// being opened.
	elsewhere func(context.Context) *adb.Device
	timeout   time.Duration
	mark      string        // between outputs, random, so that no output can imitate it
	changes   atomic.Uint64 // commands so far that may have changed what the display shows
}

// within bounds a call on the phone: its own patience and what the command itself takes.
func (sh *shell) within(
	ctx context.Context, command string, takes time.Duration,
) (context.Context, context.CancelFunc) {
	after := sh.timeout + takes
	hung := &hungError{"the phone", firstWords(command), after}
	return context.WithTimeoutCause(ctx, after, hung)
}

// firstWords is what of a command may be shown: not what it types.
func firstWords(command string) string {
	words := strings.Fields(command)
	return strings.Join(words[:min(len(words), 2)], " ")
}

// run runs a line and returns what it gave. takes is how long the command itself lasts.
func (sh *shell) run(ctx context.Context, line string, takes time.Duration) (adb.Result, error) {
	ctx, cancel := sh.within(ctx, line, takes)
	defer cancel()
	r, err := sh.line(ctx, line)
	return r, explain(err)
}

// line and exec are the two services of [adb.Device]. A phone that is not reached under its address
// and has come back under another one is asked there.
func (sh *shell) line(ctx context.Context, line string) (r adb.Result, err error) {
	err = sh.reach(ctx, func(dev *adb.Device) error {
		r, err = dev.Shell(ctx, line)
		return err
	})
	return r, err
}

func (sh *shell) exec(
	ctx context.Context, command string, buf []byte, limit int, seen func([]byte),
) (b []byte, err error) {
	err = sh.reach(ctx, func(dev *adb.Device) error {
		b, err = dev.Exec(ctx, command, buf, limit, seen)
		return err
	})
	return b, err
}

func (sh *shell) reach(ctx context.Context, ask func(*adb.Device) error) error {
	dev := sh.dev.Load()
	err := ask(dev)
	if !errors.Is(err, adb.ErrNotReached) || ctx.Err() != nil || sh.elsewhere == nil {
		return err
	}
	other := sh.elsewhere(ctx)
	if other == nil {
		return err
	}
	sh.dev.Store(other)
	return ask(other)
}

// bytes is the raw output of a command, see [adb.Device.Exec].
func (sh *shell) bytes(
	ctx context.Context, command string, buf []byte, limit int, seen func([]byte),
) ([]byte, error) {
	ctx, cancel := sh.within(ctx, command, 0)
	defer cancel()
	b, err := sh.exec(ctx, command, buf, limit, seen)
	return b, explain(err)
}

// must runs a line that must succeed, whether or not the display is dark.
func (sh *shell) must(ctx context.Context, line string) error {
	sh.changes.Add(1)
	r, err := sh.run(ctx, line, 0)
	if err != nil {
		return err
	}
	return refusal(r)
}

// read runs several commands in one service, even after one that fails, and returns what each said
// on stdout.
func (sh *shell) read(ctx context.Context, commands ...string) ([]string, error) {
	end := " 2>/dev/null; echo " + sh.mark
	r, err := sh.run(ctx, strings.Join(commands, end+"; ")+end, 0)
	if err != nil {
		return nil, err
	}
	sections := strings.Split(r.Stdout, sh.mark+"\n")
	if n := len(sections) - 1; n != len(commands) {
		return nil, fmt.Errorf("the phone answered %d of %d commands: %s", n, len(commands),
			firstLine(r.Text()))
	}
	return sections[:len(commands)], nil
}

// darkness matches what `dumpsys power` says of a display that is off or dozing, see parsePower, as
// a pattern for the phone's grep. A phone without grep is not asked.
const darkness = `^[[:space:]]*(mWakefulness=(Asleep|Dozing)|Display Power: state=(OFF|DOZE))`

// act runs commands that change what the phone does or shows, one after the other until one fails.
// Right before each, in the same service, the phone is asked whether the display is dark: a person
// stops a run so. Then nothing more is done, and the error is screen.ErrDark. Any error says how
// far it came, see actions.ErrPartial and actions.ErrUnknown.
func (sh *shell) act(
	ctx context.Context, takes time.Duration, commands ...string,
) (adb.Result, error) {
	sh.changes.Add(1)
	ctx, cancel := sh.within(ctx, commands[0], takes)
	defer cancel()
	line, dark := sh.guarded(commands)
	r, err := sh.line(ctx, line)
	if err != nil {
		return r, explain(err)
	}
	all := len(r.Stdout)
	r.Stdout = strings.ReplaceAll(r.Stdout, sh.mark+"-did\n", "")
	if err = refusal(r); strings.HasSuffix(strings.TrimSpace(r.Stdout), dark) {
		err = screen.ErrDark
	}
	if err != nil && len(r.Stdout) < all {
		err = actions.Partial(fmt.Errorf("a part of it was carried out, but then: %w", err))
	}
	return r, err
}

// guarded returns the line of act, and the output for a dark display.
func (sh *shell) guarded(commands []string) (line, dark string) {
	dark = sh.mark + "-dark"
	guard := "{ dumpsys power 2>/dev/null | grep -qE '" + darkness + "' && echo " + dark +
		" && exit 3; "
	return guard + strings.Join(commands, "; } && "+sh.did()+" && "+guard) + "; }", dark
}

// did is the command between two that act: it prints that the first was carried out.
func (sh *shell) did() string { return "echo " + sh.mark + "-did" }

// do is act where it does not matter what the commands say.
func (sh *shell) do(ctx context.Context, takes time.Duration, commands ...string) error {
	_, err := sh.act(ctx, takes, commands...)
	return err
}
