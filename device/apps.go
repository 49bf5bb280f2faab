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
)

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
	s, err := p.read(ctx, "pm list packages", "pm list packages -3")
	if err != nil {
		return nil, p.failed("listing the apps of", err)
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
		return nil, fmt.Errorf("listing the apps of %s: `pm list packages` lists none: %s",
			p.info.Serial, firstLine(s[0]))
	}
	return apps, nil
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
