package chrometest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/golden"
)

// violations runs axe-core and lists what it finds, a line each.
const violations = `axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) =>
	v.id + " (" + v.impact + "): " + n.html.slice(0, 200) + " " +
	n.any.concat(n.all, n.none).map((c) => c.message).join("; "))).join("\n"))`

// Violations lists what axe-core finds on the page of the tab, in light and in dark colours, that
// would keep people from using it, a line each; "" is none.
func Violations(t testing.TB, tab context.Context) string {
	t.Helper()
	script := axe(t)
	var all []string
	for _, scheme := range []string{"light", "dark"} {
		var found string
		err := chromedp.Do(tab, chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
			_, err := cdp.Call(ctx, to, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: scheme}}})
			return err
		}), chromedp.Evaluate[chromedp.Void](script+"; undefined"))
		if err == nil {
			found, err = chromedp.Run(tab, chromedp.Evaluate[string](violations,
				chromedp.EvalAwaitPromise))
		}
		if err != nil {
			t.Fatalf("running axe-core on the page in %s: %v", scheme, err)
		}
		for line := range strings.Lines(found) {
			all = append(all, scheme+": "+strings.TrimSpace(line))
		}
	}
	return strings.Join(all, "\n")
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
