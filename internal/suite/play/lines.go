package play

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/text"
)

// shellTime is how long a set-up's command line may last.
const shellTime = 2 * time.Minute

// lines carries out the lines of a set-up or a teardown, until one fails.
func lines(ctx context.Context, at *Scene, s *suite.Suite, list []suite.Line) error {
	for n := range list {
		l := &list[n]
		if kind, err := line(ctx, at, s, l); err != nil {
			return fmt.Errorf("%v: %w", l.At(), trouble(kind, err))
		}
	}
	return nil
}

// opening is the last line that opens something, or none.
func opening(list []suite.Line) []suite.Line {
	for n, l := range slices.Backward(list) {
		if l.Open != "" {
			return list[n : n+1]
		}
	}
	return nil
}

// line carries out one. The kind is that of its trouble.
func line(ctx context.Context, at *Scene, s *suite.Suite, l *suite.Line) (kind string, err error) {
	p := at.Admin
	switch {
	case l.Install != "":
		f, err := s.One(l.Install)
		if err == nil {
			defer f.Close()
			err = p.Install(ctx, f, filepath.Base(f.Name()))
		}
		return suite.KindApp, err
	case l.Clear != "":
		return suite.KindApp, p.ClearApp(ctx, l.Clear)
	case l.Grant != nil:
		for _, permission := range l.Grant.Permissions {
			if err == nil {
				err = p.Grant(ctx, l.Grant.App, permission)
			}
		}
		return suite.KindApp, err
	case l.Open != "":
		return suite.KindApp, open(ctx, at, l.Open)
	case l.WaitBoot > 0:
		return suite.KindPhone, p.AwaitBoot(ctx, time.Duration(l.WaitBoot))
	case l.Setting != nil:
		err = p.PutSetting(ctx, l.Setting.Namespace, l.Setting.Name, l.Setting.Value)
	case l.Animations != "":
		err = p.Animations(ctx, l.Animations == "on")
	case l.Push != nil:
		var f *os.File
		if f, err = s.Open(l.Push.From); err == nil {
			defer f.Close()
			err = p.Push(ctx, f, l.Push.To)
		}
	default:
		err = shell(ctx, p.Run, l.Shell)
	}
	return suite.KindSuite, err
}

// shell runs a command line with the run of a phone.
func shell(ctx context.Context, run func(context.Context, string, time.Duration) (
	said string, code int, err error), command string) error {
	said, code, err := run(ctx, command, shellTime)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // it hangs, not the phone
		err = &suite.Trouble{Kind: suite.KindSuite, Err: err}
	case err == nil && code != 0:
		err = fmt.Errorf("shell %s ended with code %d: %s", command, code,
			text.Cut(text.Line(said), 300))
	}
	return err
}

// open opens an address, or an app by its package or name.
func open(ctx context.Context, at *Scene, what string) error {
	if _, err := at.Phone.Wake(ctx); err != nil {
		return trouble(suite.KindPhone, err)
	}
	if strings.Contains(what, ":") {
		return at.Admin.OpenLink(ctx, what)
	}
	return at.Phone.Launch(ctx, what)
}

// trouble gives an error a kind, unless it has one. A lost phone is always the phone's.
func trouble(kind string, err error) error {
	if _, has := errors.AsType[*suite.Trouble](err); err == nil || has {
		return err
	}
	switch code := runs.CodeOf(err); {
	case errors.Is(err, adb.ErrProtocol), errors.Is(err, adb.ErrNoServer),
		code == runs.ADBUnreachable:
		kind = suite.KindADB
	case errors.Is(err, screen.ErrDisconnected), errors.Is(err, device.ErrNoPhone),
		errors.Is(err, context.DeadlineExceeded), code.Remedy() == runs.SeePhones,
		code == runs.DeviceBusy:
		kind = suite.KindPhone
	}
	return &suite.Trouble{Kind: kind, Err: err}
}
