package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/store"
)

// reader is a person who opens the file in a browser.
type reader struct {
	t   *testing.T
	tab context.Context
}

func newReader(t *testing.T) reader {
	tab := chrometest.Chromium(t)
	require.NoError(t, chromedp.Do(tab, chromedp.Func(
		func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
				page.AddScriptToEvaluateOnNewDocumentParams{Source: `window.faults = [];
				addEventListener("error", (e) => faults.push(e.message));
				addEventListener("unhandledrejection", (e) => faults.push(String(e.reason)));
				addEventListener("securitypolicyviolation", (e) => faults.push(
					e.violatedDirective + " " + e.blockedURI));`})
			return err
		})))
	return reader{t, tab}
}

// open opens the page of a session, and waits until it is there.
func (r reader) open(s *shelf, hash string) {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "page.html")
	require.NoError(r.t, os.WriteFile(file, []byte(html(r.t, s)), 0o600))
	at := url.URL{Scheme: "file", Path: file, Fragment: hash}
	require.NoError(r.t, chromedp.Do(r.tab, chromedp.Navigate(at.String())))
	r.until(`document.querySelector(".head") !== null && [...document.querySelectorAll(` +
		`".step img")].every((i) => i.naturalWidth > 0)`)
}

func (r reader) until(expression string) {
	r.t.Helper()
	_, err := chromedp.Run(r.tab, chromedp.Poll[bool](expression,
		chromedp.WithPollingInterval(20*time.Millisecond),
		chromedp.WithPollingTimeout(patient.Lid)))
	require.NoError(r.t, err, "%s\nfaults: %s", expression, r.says(`faults.join("\n")`))
}

// says is the value of an expression.
func (r reader) says(expression string) string {
	r.t.Helper()
	s, err := chromedp.Run(r.tab, chromedp.Evaluate[string]("String("+expression+")"))
	require.NoError(r.t, err)
	return s
}

func (r reader) press(key string) {
	r.t.Helper()
	require.NoError(r.t, chromedp.Do(r.tab, chromedp.KeyEvent(key)))
}

const (
	number = `document.querySelector(".step .no").textContent`
	shown  = `document.querySelector("main").innerText`
)

func TestThePageKeepsNobodyOut(t *testing.T) {
	r := newReader(t)
	for name, build := range shelves {
		r.open(build(), "")
		open := `for (const d of document.querySelectorAll("details")) d.open = true; undefined`
		require.NoError(t, chromedp.Do(r.tab, chromedp.Evaluate[chromedp.Void](open)))
		assert.Empty(t, chrometest.Violations(t, r.tab, "html"), "%s, all of it unfolded", name)
		require.Equal(t, "", r.says(`faults.join("\n")`), name)
		require.Equal(t, "0", r.says(`performance.getEntriesByType("resource").filter((e) => `+
			`!/^(data|blob):/.test(e.name)).length`), "it loads nothing")
	}
}

func TestThePageIsPlayedBack(t *testing.T) {
	r := newReader(t)
	r.open(completed(), "")
	require.Equal(t, "5", r.says(number), "it begins where the run has ended")
	for _, step := range []struct{ key, want string }{
		{kb.Home, "1"}, {kb.ArrowRight, "2"}, {kb.ArrowRight, "3"}, {kb.ArrowLeft, "2"},
		{kb.End, "5"}} {
		r.press(step.key)
		r.until(number + " === " + fmt.Sprintf("%q", step.want))
	}
	r.press(" ")
	r.until(number + ` === "1" && document.querySelector(".play").ariaPressed === "true"`)
	r.until(number + ` === "2"`)
	r.press(kb.Home)
	require.Equal(t, "5", r.says(`document.querySelectorAll(".strip li").length`))
	require.Contains(t, r.says(shown), "It rings at 7:30.")
	r.until(`document.querySelectorAll(".strip canvas[width]").length === 5`)

	r.open(completed(), "step-2")
	require.Equal(t, "2", r.says(number))
	require.Equal(t, "50%,85%", r.says(`document.querySelector(".step .mark").style.left + "," + `+
		`document.querySelector(".step .mark").style.top`))
	require.NoError(t, chromedp.Do(r.tab, chromedp.Evaluate[chromedp.Void](
		`document.querySelector("#lang").click(); undefined`)))
	r.until(`document.documentElement.lang === "zh" && document.querySelector(".play").` +
		`textContent === "播放"`)
}

func TestTextIsShownAsTextWhateverItSays(t *testing.T) {
	r := newReader(t)
	r.open(hostileShelf(hostile), "")
	require.NoError(t, chromedp.Do(r.tab, chromedp.Evaluate[chromedp.Void](
		`for (const d of document.querySelectorAll("details")) d.open = true; undefined`)))
	r.until(`document.querySelectorAll(".try pre").length > 0`)
	require.Equal(t, "", r.says(`faults.join("\n")`))
	require.Equal(t, "0", r.says(`document.querySelectorAll("main script, main a[href^=java], `+
		`main img[src^=http]").length`))
	require.Contains(t, r.says(shown), "<script>alert(1)</script>")
	require.Contains(t, r.says("document.title"), "{{.Title}}")
	require.NotRegexp(t, "[\u202a-\u202e]", r.says("document.body.textContent.replace("+
		"/<script.*/s, '')"))
}

func TestThePageSaysWhatHasBecomeOfTheSteps(t *testing.T) {
	r := newReader(t)
	r.open(troubles(), "")
	for step, want := range map[int]string{1: "carried out in part", 2: "outcome unknown",
		3: "The picture is not there any more", 4: "Display off", 5: "under way",
		6: "not carried out"} {
		r.press(kb.Home)
		for range step - 1 {
			r.press(kb.ArrowRight)
		}
		r.until(number + fmt.Sprintf(" === %q", fmt.Sprint(step)))
		b, err := json.Marshal(want)
		require.NoError(t, err)
		r.until(`document.querySelector(".step").innerText.includes(` + string(b) + `)`)
	}
	lost := newShelf().run(store.Run{Task: "look"}).step(actions.Back{}, 54, 120)
	lost.lost = true
	r.open(lost, "")
	r.until(`document.querySelector(".step .noshot") !== null`)
	require.NotContains(t, html(t, lost), `type="image/jpeg"`)
}
