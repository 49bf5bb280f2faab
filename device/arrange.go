package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// Admin administers a phone as a person does with adb: it puts the phone in order for a test, and
// reads it afterwards. What shows on the screen is the Phone's. It holds nothing that
// has to be closed.
type Admin struct{ phone *Phone }

// Admin returns the phone's Admin.
func (p *Phone) Admin() Admin { return Admin{p} }

// Run runs a command line in the phone's shell, and returns what it said and its exit code. It is
// for lines that a person wrote, never for those of a model. takes is how long the command itself
// may last.
func (a Admin) Run(ctx context.Context, line string, takes time.Duration) (
	said string, code int, err error) {
	a.phone.shell.changes.Add(1)
	r, err := a.phone.shell.run(ctx, line, takes)
	return r.Text(), r.Code, a.phone.failed("running a command on", err)
}

// installing is how long the phone may take to install an app or to take a file.
const installing = 3 * time.Minute

// must runs a command that has to succeed, and says what it says.
func (a Admin) must(ctx context.Context, takes time.Duration, argv ...string) (string, error) {
	a.phone.shell.changes.Add(1)
	r, err := a.phone.shell.run(ctx, adb.Quote(argv...), takes)
	if err == nil {
		err = refusal(r)
	}
	if said := r.Text(); err == nil && (strings.Contains(said, "Failure [") ||
		strings.HasPrefix(strings.TrimSpace(said), "Failed")) {
		err = errors.New(firstLine(said))
	}
	return r.Stdout, err
}

// Push writes a file to the phone.
func (a Admin) Push(ctx context.Context, from io.Reader, to string) error {
	ctx, cancel := a.phone.shell.within(ctx, "sync", installing)
	defer cancel()
	err := a.phone.shell.dev.Load().Push(ctx, from, to)
	return a.phone.failed("writing a file to", explain(err))
}

// Install installs an app, also in place of one that is there. name is the APK's.
func (a Admin) Install(ctx context.Context, apk io.Reader, name string) error {
	to := "/data/local/tmp/" + name
	err := a.Push(ctx, apk, to)
	if err != nil {
		return err
	}
	_, err = a.must(ctx, installing, "pm", "install", "-r", to)
	_, _ = a.phone.shell.run(ctx, adb.Quote("rm", "-f", to), 0) // it is of no more use
	return a.phone.failed("installing "+name+" on", err)
}

// ClearApp ends an app and deletes what it has stored.
func (a Admin) ClearApp(ctx context.Context, pkg string) error {
	_, err := a.must(ctx, installing, "pm", "clear", pkg)
	return a.phone.failed("clearing "+pkg+" on", err)
}

// Grant gives an app a permission, which may be named without android.permission.
func (a Admin) Grant(ctx context.Context, pkg, permission string) error {
	if !strings.Contains(permission, ".") {
		permission = "android.permission." + permission
	}
	_, err := a.must(ctx, 0, "pm", "grant", pkg, permission)
	return a.phone.failed("granting "+permission+" on", err)
}

// OpenLink opens an address in the app that takes it. It returns once the app is in front.
func (a Admin) OpenLink(ctx context.Context, uri string) error {
	_, err := a.must(ctx, 30*time.Second, "am", "start", "-W", "-a",
		"android.intent.action.VIEW", "-d", uri)
	return a.phone.failed("opening "+uri+" on", err)
}

// PutSetting sets a setting of the namespace system, secure or global.
func (a Admin) PutSetting(ctx context.Context, namespace, name, value string) error {
	_, err := a.must(ctx, 0, "settings", "put", namespace, name, value)
	return a.phone.failed("setting "+name+" on", err)
}

// Animations switches the phone's animations on or off.
func (a Admin) Animations(ctx context.Context, on bool) error {
	scale := "0"
	if on {
		scale = "1"
	}
	for _, name := range []string{"window_animation_scale", "transition_animation_scale",
		"animator_duration_scale"} {
		if err := a.PutSetting(ctx, "global", name, scale); err != nil {
			return err
		}
	}
	return nil
}

// Booted reports whether the phone has started up.
func (a Admin) Booted(ctx context.Context) (bool, error) {
	said, err := a.phone.shell.read(ctx, "getprop sys.boot_completed", "getprop dev.bootcomplete")
	if err != nil {
		return false, a.phone.failed("asking", err)
	}
	return strings.TrimSpace(said[0]) == "1" || strings.TrimSpace(said[1]) == "1", nil
}

// AwaitBoot returns once the phone has started up, or an error when that takes too long.
func (a Admin) AwaitBoot(ctx context.Context, patience time.Duration) error {
	late := hint.Add(fmt.Errorf("%s has not started up within %s", a.phone.info.Serial, patience),
		"look at the emulator's window or log")
	ctx, cancel := context.WithTimeoutCause(ctx, patience, late)
	defer cancel()
	for {
		up, err := a.Booted(ctx)
		if up {
			return nil
		}
		if err != nil && !errors.Is(err, screen.ErrDisconnected) && ctx.Err() == nil {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
