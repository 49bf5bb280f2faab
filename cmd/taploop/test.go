package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/stage"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/play"
	testreport "github.com/taploop/taploop/internal/suite/report"
	"github.com/taploop/taploop/internal/text"
)

type testCmd struct {
	Paths    []string       `arg:"" optional:"" name:"file"`
	Phones   string         `default:"any" placeholder:"WHICH"`
	Shard    suite.Shard    `placeholder:"I/N"`
	Retries  whole          `from:"0" to:"100" default:"0" placeholder:"N"`
	Grep     *regexp.Regexp `placeholder:"RE"`
	Tags     []string       `placeholder:"TAG,..." sep:"none"`
	FailFast bool
	DryRun   bool
	stage.Reports
	Record  bool           `xor:"cassettes"`
	Replay  bool           `xor:"cassettes"`
	Heal    bool           `xor:"cassettes"`
	Unflaky bool           `name:"fail-on-flaky"`
	Timeout *time.Duration `placeholder:"D"`
	Ask     bool
	Schema  bool
	Model   string `key:"model.name" placeholder:"NAME"`
	BaseURL string `key:"model.base_url" placeholder:"URL"`
	ADB     string `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run reads the suites, runs their cases and writes the reports.
func (c *testCmd) Run(ctx context.Context, a *invocation) error {
	if c.Schema {
		_, err := a.out.Write(suite.Schema())
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	if err := c.Reports.Check(); err != nil {
		return endOfReports(a, err)
	}
	sum := testreport.Summary{Program: "taploop " + ownVersion(), Started: time.Now(),
		Dir: c.Folder(), Lang: a.Lang()}
	unplayed := func(items []*suite.Item, why error) error {
		wrong, _ := errors.AsType[keys.Problems](why)
		sum.Results = append(suite.Unread(wrong), play.Unplayed(ctx, items, why, sum.Lang)...)
		if sum.Dir != "" || inGitHub(a) {
			why = errors.Join(why, c.write(a, &sum))
		}
		return cmp.Or(ctx.Err(), why)
	}
	items, err := c.items(ctx, a)
	switch {
	case err != nil:
		return unplayed(items, err)
	case c.DryRun:
		return listItems(a, items)
	case len(items) == 0: // of this shard
		return endOfReports(a, c.write(a, &sum))
	}
	a.quiet()
	view := &testView{inv: a, say: wordsIn(a.Lang()).Test, all: len(items),
		doing: map[string]string{}}
	s, err := stage.Open(ctx, &a.Settings, items, c.options(a, view))
	if err != nil {
		return unplayed(items, err)
	}
	sum.Results, err = s.Run(ctx, items)
	view.end()
	err = errors.Join(err, c.write(a, &sum))
	code := endOfTests(sum.Results)
	switch report(a.err, a.Lang(), err); {
	case ctx.Err() != nil:
		code = exitInterrupted
	case err == nil && code == exitDone:
		return nil
	}
	return ended(cmp.Or(code, exitPhone))
}

// check checks what the parser cannot.
func (c *testCmd) check() error {
	switch {
	case slices.Contains(c.Tags, ""):
		return app.Usage(errors.New("--tags is empty"), "leave it out")
	case slices.Contains(c.Paths, ""):
		return app.Usage(errors.New("the name of a file is empty"), "leave it out")
	case slices.Contains([]string{c.Junit, c.JSON, c.Report, c.Allure}, "-"):
		return app.Usage(errors.New("- is no place for a report"), "name a file or a folder")
	case c.DryRun && c.Folder() != "":
		return app.Usage(errors.New("--dry-run runs nothing, and writes no report"),
			"leave out --junit, --allure, --report and --json")
	case c.Timeout != nil && *c.Timeout <= 0:
		return app.Usage(fmt.Errorf("--timeout is %v", *c.Timeout),
			"use one of more than 0, such as 5m")
	}
	return nil
}

// items reads and chooses the cases to run, and the configuration, whose faults come with the
// items. The faults of a suite are told in its own words, a line each.
func (c *testCmd) items(ctx context.Context, a *invocation) ([]*suite.Item, error) {
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	items, err := suite.Read(ctx, c.Paths, suite.Options{Getenv: a.Options.Getenv,
		Note: func(p keys.Problem) {
			a.notef("%v: %s", p.Position, a.phrase(p.Text))
		}})
	if wrong, ok := errors.AsType[keys.Problems](err); ok {
		try := ""
		for n, p := range wrong {
			wrong[n].Text = a.phrase(p.Text)
			if p.Line > 0 && !strings.HasSuffix(p.Text, " is not set") {
				try = "taploop test --schema prints the JSON Schema for editors"
			}
		}
		return nil, app.Usage(wrong, try)
	}
	if err != nil {
		return nil, err
	}
	chosen := suite.Selection{Grep: c.Grep, Shard: c.Shard}
	for _, t := range c.Tags {
		for tag := range strings.SplitSeq(t, ",") {
			chosen.Tags = append(chosen.Tags, strings.TrimSpace(tag))
		}
	}
	if items, err = suite.Select(items, chosen); err != nil {
		return nil, app.Usage(err, "")
	}
	a.Options.Keyless = c.Replay
	if err = a.Load(); err == nil {
		err = stage.Check(&a.Settings, items)
	}
	if err != nil {
		err = &suite.Trouble{Kind: suite.KindSuite, Err: err}
	}
	return items, err
}

// listItems lists what would be run.
func listItems(a *invocation, items []*suite.Item) error {
	mask := suite.Mask(items)
	return printList(a, false, items, wordsIn(a.Lang()).Test.Nothing, "PLACE SUITE CASE",
		func(i *suite.Item) []any {
			return []any{i.At(), mask.Text(i.Suite.Name), mask.Text(i.Name)}
		})
}

// endOfReports tells why reports cannot be written, and ends with its exit code.
func endOfReports(a *invocation, err error) error {
	switch report(a.err, a.Lang(), err) {
	case exitDone:
		return nil
	case exitUsage:
		return ended(exitUsage)
	}
	return ended(exitPhone)
}

// endOfTests returns the exit code of the command, by what came of the cases.
func endOfTests(results []suite.Result) int {
	has := map[any]bool{}
	for _, r := range results {
		has[r.Outcome], has[r.Kind] = true, true
	}
	switch {
	case has[suite.Failed], has[suite.Crashed]:
		return exitNotCompleted
	case has[suite.NeedsPerson]:
		return exitWaiting
	case has[suite.KindModel]:
		return exitModel
	case has[suite.SetupFailed]:
		return exitPhone
	}
	return exitDone
}

// write writes the reports, and says in one line what came of the cases.
func (c *testCmd) write(a *invocation, sum *testreport.Summary) error {
	sum.Seconds = time.Since(sum.Started).Seconds()
	sum.Root = cmp.Or(a.Options.Getenv("GITHUB_WORKSPACE"), a.Options.Getenv("CI_PROJECT_DIR"))
	err := c.Reports.Write(sum)
	if page := c.Page(); page != "" && err == nil {
		defer fmt.Fprintln(a.out, page)
	}
	if inGitHub(a) {
		for _, line := range sum.Annotations() {
			fmt.Fprintln(a.out, line)
		}
		if name := a.Options.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
			err = errors.Join(err, appendTo(name, sum.Markdown()))
		}
	}
	a.notef("%s", text.Line(sum.Line()))
	return err
}

func appendTo(name, words string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("writing the step's summary: %w", err)
	}
	_, err = f.WriteString(words)
	return errors.Join(err, f.Close())
}

// options say how the cases are run.
func (c *testCmd) options(a *invocation, view *testView) stage.Options {
	o := stage.Options{Phones: c.Phones, Dir: c.Folder(),
		Scripted: func() { a.notef("%s", wordsIn(a.Lang()).Test.Scripted) },
		Play: play.Options{By: app.Operator(), Ask: c.Ask, Mode: a.Conf.Reply.Mode,
			Retries: int(c.Retries), FailFast: c.FailFast, Strict: c.Unflaky,
			Lang: a.Lang(), View: view, Timeout: *cmp.Or(c.Timeout, new(time.Duration))}}
	for mode, on := range map[stage.Mode]bool{stage.Record: c.Record, stage.Replay: c.Replay,
		stage.Heal: c.Heal} {
		if on {
			o.Mode = mode
		}
	}
	return o
}
