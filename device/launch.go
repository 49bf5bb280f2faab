package device

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// launcher finds and starts apps.
type launcher struct {
	*shell
	names map[string]string // app names of Options.Apps, folded
}

func (l launcher) find(ctx context.Context, app string) (string, error) {
	lists, err := l.packages(ctx, "")
	if err != nil {
		return "", err
	}
	installed := lists[0]
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

var monkeySent = regexp.MustCompile(`(?m)^\s*Events injected: 1\b`)

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

func (l launcher) list(ctx context.Context) ([]App, error) {
	lists, err := l.packages(ctx, "", " -3")
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, pkg := range lists[1] {
		own[pkg] = true
	}
	return text.Each(lists[0], func(pkg string) App {
		return App{pkg, words.AppName(pkg, words.Default), !own[pkg]}
	}), nil
}

// packages lists the packages of the current user, a list for each set of options. The first list
// is not empty. Without a user Android lists those of all, and refuses where a profile, such as
// Samsung's Secure Folder, is closed to the shell. Before Android 7 the current one has no name.
func (l launcher) packages(ctx context.Context, options ...string) ([][]string, error) {
	const list, current = "pm list packages", " --user current"
	var commands []string
	for _, o := range options {
		commands = append(commands, list+current+o, list+o)
	}
	s, err := l.read(ctx, commands...)
	if err != nil {
		return nil, err
	}
	for i := range 2 { // the same way for all lists
		if len(parsePackages(s[i])) > 0 {
			var all [][]string
			for n := range options {
				all = append(all, parsePackages(s[2*n+i]))
			}
			return all, nil
		}
	}
	return l.packagesOf(ctx, options)
}

var userNumber = regexp.MustCompile(`(?m)^\d+\s*$`)

// packagesOf lists the packages of the current user by its number.
func (l launcher) packagesOf(ctx context.Context, options []string) (all [][]string, err error) {
	who, err := l.run(ctx, "am get-current-user", 0)
	if err != nil {
		return nil, err
	}
	user := cmp.Or(strings.TrimSpace(userNumber.FindString(who.Stdout)), "0")
	for i, o := range options {
		r, err := l.run(ctx, "pm list packages --user "+user+o, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, parsePackages(r.Stdout))
		if i > 0 || len(all[0]) > 0 {
			continue
		}
		if err := refusal(r); err != nil {
			return nil, fmt.Errorf("listing the apps of user %s: %w", user, err)
		}
		return nil, fmt.Errorf("`pm list packages` lists none: %s", firstLine(r.Text()))
	}
	return all, nil
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
