// Package chrometest starts a real browser for tests of pages.
//
// The browser is the machine's own Chromium, or the program that TAPLOOP_BROWSER names.
// TAPLOOP_BROWSER=off leaves the tests out that need one, and each of them is written to the file
// that TAPLOOP_RIG_REPORT names. Where there is no browser and it is not off, the tests fail
// with what is to be installed.
package chrometest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// lifetime is the longest that a test's browser lives.
const lifetime = 3 * time.Minute

// Chromium starts a headless browser of its own for the test, with an empty profile, and ends it
// with the test. Tabs are made with chromedp.NewContext from what it returns.
func Chromium(t testing.TB) context.Context {
	t.Helper()
	if strings.EqualFold(os.Getenv("TAPLOOP_BROWSER"), "off") {
		report(t, "TAPLOOP_BROWSER=off")
		t.SkipNow()
	}
	path := program()
	if path == "" {
		t.Fatal("there is no Chromium for this test\n  try: apt-get install chromium, " +
			"or name one in TAPLOOP_BROWSER, or set TAPLOOP_BROWSER=off to leave these tests out")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"), chromedp.WSURLReadTimeout(time.Minute))
	// its end is the clean-up's
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), lifetime)
	t.Cleanup(cancel)
	ctx, cancelAll := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancelAll)
	ctx, cancelFirst := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for its end, so that its folder can go
			t.Log(err)
		}
		cancelFirst()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting %s: %v", path, err)
	}
	return ctx
}

// program is where the browser is, or "".
func program() string {
	for _, name := range []string{os.Getenv("TAPLOOP_BROWSER"), "chromium", "chromium-browser",
		"google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// report notes in the rig's report that the test did not run.
func report(t testing.TB, why string) {
	path := os.Getenv("TAPLOOP_RIG_REPORT")
	if path == "" {
		return
	}
	tested := "?"
	if info, ok := debug.ReadBuildInfo(); ok {
		tested = strings.TrimSuffix(info.Path, ".test")
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatalf("writing the rig's report: %v", err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "left out\t%s\t%s\t%s\n", tested, t.Name(), why); err != nil {
		t.Fatalf("writing the rig's report: %v", err)
	}
}
