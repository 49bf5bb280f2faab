// Package chrometest starts a real browser for tests of pages.
//
// The browser is the machine's own Chromium, or the program that TAPLOOP_BROWSER names.
// TAPLOOP_BROWSER=off leaves the tests out that need one, and each of them is written to the file
// that TAPLOOP_RIG_REPORT names. Where there is no browser and it is not off, the tests fail
// with what is to be installed.
package chrometest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/taploop/taploop/internal/adbtest"
)

// lifetime is the longest that a test has the browser.
const lifetime = 20 * time.Minute

// Chromium gives the test an empty profile in a headless browser, which ends with the test. Its tab
// is made when it is first used; more are made with chromedp.NewContext. Tests that run at the same
// time share the browser, of which no more is seen.
func Chromium(t testing.TB) context.Context {
	t.Helper()
	if strings.EqualFold(os.Getenv("TAPLOOP_BROWSER"), "off") {
		adbtest.LeaveOut(t, "TAPLOOP_BROWSER=off")
	}
	path := program()
	if path == "" {
		t.Fatal("there is no Chromium for this test\n  try: apt-get install chromium, " +
			"or name one in TAPLOOP_BROWSER, or set TAPLOOP_BROWSER=off to leave these tests out")
	}
	b, err := use(path)
	if err != nil {
		t.Fatalf("starting %s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := b.leave(); err != nil {
			t.Log(err)
		}
	})
	ctx, cancel := context.WithTimeout(b.ctx, lifetime)
	t.Cleanup(cancel)
	ctx, cancelProfile := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancelProfile)
	return ctx
}

// browser is one that runs, and ends when no test uses it any more: a start costs more than most
// tests do.
type browser struct {
	ctx   context.Context
	close func() error
	users int
}

var running struct {
	sync.Mutex
	browser *browser // nil for none
}

// use is the browser that runs, or a new one.
func use(path string) (*browser, error) {
	running.Lock()
	defer running.Unlock()
	if running.browser == nil || running.browser.ctx.Err() != nil {
		b, err := start(path)
		if err != nil {
			return nil, err
		}
		running.browser = b
	}
	running.browser.users++
	return running.browser, nil
}

func (b *browser) leave() error {
	running.Lock()
	defer running.Unlock()
	if b.users--; b.users > 0 {
		return nil
	}
	if running.browser == b {
		running.browser = nil
	}
	return b.close()
}

func start(path string) (*browser, error) {
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"), chromedp.WSURLReadTimeout(5*time.Minute))
	ctx, cancelAll := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancelFirst := chromedp.NewContext(ctx)
	b := &browser{ctx: ctx, close: func() error {
		err := chromedp.Cancel(ctx) // waits for its end, so that its folder can go
		cancelFirst()
		cancelAll()
		return errors.Join(err, os.RemoveAll(dir))
	}}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
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
