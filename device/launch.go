package device

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lazyregexp"
)

// Launch brings an app to the front; app is a name or a package. It never starts another app than
// the one that is meant: a name that matches none well is an error that lists near ones.
func (p *Phone) Launch(ctx context.Context, app string) error {
	pkg, err := p.find(ctx, app)
	if err == nil {
		err = p.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

// Relaunch is Launch of an app that is ended before, with what it does in the background, so that
// it begins anew. The packages in used are launched as they are.
func (p *Phone) Relaunch(ctx context.Context, app string, used []string) error {
	pkg, err := p.find(ctx, app)
	if err == nil && !slices.Contains(used, pkg) {
		err = p.do(ctx, 0, "am force-stop "+adb.Quote(pkg))
	}
	if err == nil {
		err = p.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

func (p *Phone) find(ctx context.Context, app string) (string, error) {
	s, err := p.read(ctx, "pm list packages")
	if err != nil {
		return "", err
	}
	installed := parsePackages(s[0])
	if len(installed) == 0 {
		return "", fmt.Errorf("`pm list packages` lists none: %s", firstLine(s[0]))
	}
	return resolve(app, installed, p.names)
}

func (p *Phone) launch(ctx context.Context, pkg string) error {
	r, err := p.shell(ctx, "cmd package resolve-activity --brief -c "+
		"android.intent.category.LAUNCHER "+adb.Quote(pkg), 0)
	if err != nil {
		return err
	}
	if activity := launcherActivity(r.Stdout, pkg); activity != "" {
		return p.do(ctx, 0, "am start -a android.intent.action.MAIN -c "+
			"android.intent.category.LAUNCHER -n "+adb.Quote(activity))
	}
	return p.monkey(ctx, pkg)
}

// launcherActivity is the activity that `resolve-activity --brief` names, when it is one of the
// package. With several launcher activities the system names its own chooser instead.
func launcherActivity(out, pkg string) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, pkg+"/") && component.MatchString(line) {
			return line
		}
	}
	return ""
}

var monkeySent = lazyregexp.New(`(?m)^\s*Events injected: 1\b`)

// monkey launches an app as its icon does, even on phones whose `cmd package` does not resolve.
func (p *Phone) monkey(ctx context.Context, pkg string) error {
	r, err := p.act(ctx, 0, "monkey -p "+adb.Quote(pkg)+" -c android.intent.category.LAUNCHER 1")
	if strings.Contains(r.Text(), "No activities found") {
		return hint.Add(fmt.Errorf("%s has no screen to open", pkg),
			"choose an app that has an icon")
	}
	if err != nil {
		return err
	}
	if !monkeySent.MatchString(r.Stdout) {
		return fmt.Errorf("the phone did not launch %s: %s", pkg, firstLine(r.Text()))
	}
	return nil
}
