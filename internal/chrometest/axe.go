package chrometest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/golden"
)

// violations runs the rules of axe-core on a part of the page, with an option, and lists what they
// find, a line each.
const violations = `axe.run(%s, {resultTypes: ["violations"]%s}).then((r) => r.violations.flatMap(
	(v) => v.nodes.map((n) => v.id + " (" + v.impact + "): " + n.html.slice(0, 200) + " " +
	n.any.concat(n.all, n.none).map((c) => c.message).join("; "))).join("\n"))`

// Violations lists what axe-core finds on the part of the tab's page that has the selector, in
// light and in dark colours, that would keep people from using it, a line each; "" is none. In dark
// colours it applies the rules about colours, because the rest of the page is the same.
func Violations(t testing.TB, tab context.Context, selector string) string {
	t.Helper()
	var all []string
	for _, c := range [][2]string{{"light", ""},
		{"dark", `, runOnly: ["color-contrast", "link-in-text-block"]`}} {
		run := chromedp.Evaluate[string](fmt.Sprintf(violations, strconv.Quote(selector), c[1]),
			chromedp.EvalAwaitPromise)
		found, err := "", chromedp.Do(tab, chromedp.Func(
			func(ctx context.Context, to *chromedp.Target) error {
				_, err := cdp.Call(ctx, to, emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
						{Name: "prefers-color-scheme", Value: c[0]}}})
				return err
			}))
		if err == nil {
			err = load(t, tab)
		}
		if err == nil {
			found, err = chromedp.Run(tab, run)
		}
		if err != nil {
			t.Fatalf("running axe-core on the page in %s: %v", c[0], err)
		}
		for line := range strings.Lines(found) {
			all = append(all, c[0]+": "+strings.TrimSpace(line))
		}
	}
	return strings.Join(all, "\n")
}

// load gives the page axe-core, which stays there until another page is loaded.
func load(t testing.TB, tab context.Context) error {
	t.Helper()
	there, err := chromedp.Run(tab, chromedp.Evaluate[bool]("window.axe !== undefined"))
	if there || err != nil {
		return err
	}
	return chromedp.Do(tab, chromedp.Evaluate[chromedp.Void](axe(t)+"; undefined"))
}

// axe is the script of axe-core. Where it cannot be had the test is left out and reported.
func axe(t testing.TB) string {
	t.Helper()
	fetch := exec.CommandContext(t.Context(), filepath.Join(golden.Module(t), "scripts", "axe"))
	var said strings.Builder
	fetch.Stderr = &said
	out, err := fetch.Output()
	if err != nil {
		t.Fatalf("fetching axe-core: %v\n%s", err, said.String())
	}
	path := strings.TrimSpace(string(out))
	if path == "off" {
		adbtest.LeaveOut(t, "no npm to fetch axe-core with")
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
