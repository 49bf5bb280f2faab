package device

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lazyregexp"
)

// Launch brings an app to the front; app is a name or a package. It never starts another app than
// the one that is meant: a name that matches none well is an error that lists near ones.
func (p *Phone) Launch(ctx context.Context, app string) error {
	pkg, err := p.launcher.find(ctx, app)
	if err == nil {
		err = p.launcher.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

// Relaunch stops the app, also in the background, and launches it on its first page. Packages in
// used are launched without being stopped.
func (p *Phone) Relaunch(ctx context.Context, app string, used []string) error {
	pkg, err := p.launcher.find(ctx, app)
	if err == nil && !slices.Contains(used, pkg) {
		err = p.shell.do(ctx, 0, "am force-stop "+adb.Quote(pkg))
	}
	if err == nil {
		err = p.launcher.launch(ctx, pkg)
	}
	return p.failed(fmt.Sprintf("launching %q on", app), err)
}

// launcher finds and starts apps.
type launcher struct {
	*shell
	names map[string]string // app names of Options.Apps, folded
}

func (l launcher) find(ctx context.Context, app string) (string, error) {
	s, err := l.read(ctx, "pm list packages")
	if err != nil {
		return "", err
	}
	installed := parsePackages(s[0])
	if len(installed) == 0 {
		return "", errNoApps(s[0])
	}
	return resolve(app, installed, l.names)
}

func (l launcher) launch(ctx context.Context, pkg string) error {
	r, err := l.run(ctx, "cmd package resolve-activity --brief -c "+
		"android.intent.category.LAUNCHER "+adb.Quote(pkg), 0)
	if err != nil {
		return err
	}
	if activity := launcherActivity(r.Stdout, pkg); activity != "" {
		return l.do(ctx, 0, "am start -a android.intent.action.MAIN -c "+
			"android.intent.category.LAUNCHER -n "+adb.Quote(activity))
	}
	return l.monkey(ctx, pkg)
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
func (l launcher) monkey(ctx context.Context, pkg string) error {
	r, err := l.act(ctx, 0, "monkey -p "+adb.Quote(pkg)+" -c android.intent.category.LAUNCHER 1")
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

// App is an installed app.
type App struct {
	Package string `json:"package"`
	// from the table of well-known apps, "" when it is not there
	Name   string `json:"name,omitempty"`
	System bool   `json:"system"`
}

//go:embed apps.tsv
var appTable string

// wellKnown is one line of the table.
type wellKnown struct {
	names    []string // the first is shown
	packages []string
}

var wellKnownApps = sync.OnceValue(func() []wellKnown {
	var list []wellKnown
	for line := range strings.Lines(appTable) {
		names, packages, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			list = append(list, wellKnown{strings.Split(names, "|"), strings.Fields(packages)})
		}
	}
	return list
})

// shownName is the name of a package in the table, or "".
func shownName(pkg string) string {
	for _, a := range wellKnownApps() {
		if slices.Contains(a.packages, pkg) {
			return a.names[0]
		}
	}
	return ""
}

// fold makes names comparable: letters and digits only, in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// keys are the folded forms of a name: as it is, and without the word "app" around it.
func keys(name string) []string {
	bare := strings.ToLower(strings.TrimSpace(name))
	bare = strings.TrimSuffix(strings.TrimPrefix(bare, "the "), " app")
	list := []string{fold(name), fold(bare)}
	if short := strings.TrimSuffix(fold(bare), "应用"); utf8.RuneCountInString(short) >= 2 {
		list = append(list, short)
	}
	return slices.Compact(list)
}

// Apps lists the installed apps, by package name.
func (p *Phone) Apps(ctx context.Context) ([]App, error) {
	apps, err := p.launcher.list(ctx)
	return apps, p.failed("listing the apps of", err)
}

func (l launcher) list(ctx context.Context) ([]App, error) {
	s, err := l.read(ctx, "pm list packages", "pm list packages -3")
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, pkg := range parsePackages(s[1]) {
		own[pkg] = true
	}
	var apps []App
	for _, pkg := range parsePackages(s[0]) {
		apps = append(apps, App{pkg, shownName(pkg), !own[pkg]})
	}
	if len(apps) == 0 {
		return nil, errNoApps(s[0])
	}
	return apps, nil
}

func errNoApps(said string) error {
	return fmt.Errorf("`pm list packages` lists none: %s", firstLine(said))
}

// parsePackages reads `pm list packages`, sorted and without duplicates.
func parsePackages(s string) []string {
	var list []string
	for line := range strings.Lines(s) {
		if pkg, ok := strings.CutPrefix(strings.TrimSpace(line), "package:"); ok && pkg != "" {
			list = append(list, pkg)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
