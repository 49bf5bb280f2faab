package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type uiCmd struct {
	Name    string `placeholder:"NAME"`
	Open    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// maxName is the most characters of a name.
const maxName = 64

// Run prints one link, which logs one browser in to the page of the server that runs. A server on
// stdio opens the page for that.
func (c *uiCmd) Run(ctx context.Context, a *invocation) error {
	name := cmp.Or(c.Name, text.Cut(app.UserName(), maxName))
	if text.Line(name) != name || utf8.RuneCountInString(name) > maxName {
		return app.Usage(fmt.Errorf("the name %q cannot be used", name),
			fmt.Sprintf("give a name in one line of at most %d characters", maxName))
	}
	if err := a.Load(); err != nil {
		return err
	}
	here, gone, err := serve.Servers(a.Conf.DataDir)
	if err != nil {
		return err
	}
	if len(here) == 0 {
		url, found, err := serve.OpenPage(ctx, a.Conf.DataDir)
		if err != nil {
			return err
		}
		if !found {
			return errNoServer(a.Conf.DataDir, gone)
		}
		here = append(here, serve.ServerEntry{URL: url})
	}
	link, err := serve.OpenLogins(a.Conf.DataDir).Link(here[0].URL, name)
	if err != nil {
		return err
	}
	for _, other := range here[1:] {
		a.notef("another server of this data folder takes it, too: %s", other.URL)
	}
	a.notef("the link works once, within ten minutes; " +
		"who opens it answers questions and stops tasks")
	if _, err = fmt.Fprintln(a.out, link); err != nil {
		return err
	}
	if tty.Columns(a.out) > 0 {
		err = tty.NewPainter(a.err, a.Options.Environ).QR(a.err, link)
	}
	if err != nil || !c.Open {
		return err
	}
	return browse(link)
}

// errNoServer is the error when there is no server to log in to.
func errNoServer(dir string, gone []serve.ServerEntry) error {
	err := fmt.Errorf("no server that uses %s listens over HTTP, or is on stdio", dir)
	if len(gone) > 0 {
		err = fmt.Errorf("%w; the last one, at %s, ended without a word (process %d)", err,
			gone[0].URL, gone[0].PID)
	}
	return hint.Add(err, "start one: taploop serve --http")
}

// browse opens a link in this user's browser.
func browse(link string) error {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if err := exec.Command(opener[0], append(opener[1:], link)...).Run(); err != nil {
		return hint.Add(fmt.Errorf("opening the browser: %w", err), "open the link by hand")
	}
	return nil
}
