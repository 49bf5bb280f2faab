package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/web"
)

// sight is what a tab shows within a selector: ready is true once it is there, and prepare is done
// then.
type sight struct{ name, within, ready, prepare string }

// sound looks at a sight in both languages, at the widths, in light and in dark: nothing sticks out
// at the side, what is pressed is large enough for a finger, axe-core finds nothing, and what the page
// itself says is in its language. axe-core looks at each language and at each width, and at each pair
// of them with TAPLOOP_TEST_LONG=1. Pictures are kept in the folder that TAPLOOP_PICTURES names.
func (p tab) sound(s sight, widths ...int64) {
	p.t.Helper()
	for _, lang := range []string{"en", "zh"} {
		for i, w := range widths {
			at := fmt.Sprintf("%s-%s-%d", s.name, lang, w)
			p.look("light", w, 844)
			p.until(s.ready)
			p.do(js(s.prepare))
			p.keep(at, w)
			p.narrowEnough(at, w)
			require.Equal(p.t, "", p.text(broken), "no sign of a broken picture: %s", at)
			if lang == "zh" {
				require.Empty(p.t, golden.Foreign(p.t, p.text(read), others...), at)
			}
			require.Equal(p.t, "", p.text(small), "large enough for a finger: %s", at)
			if os.Getenv("TAPLOOP_TEST_LONG") == "1" || (lang == "en") == (i == 0) {
				require.Empty(p.t, chrometest.Violations(p.t, p.ctx, s.within), at)
			}
		}
		p.look("light", 320, 844)
		p.narrowEnough(s.name+"-"+lang+"-320", 320)
		p.do(js(`document.getElementById("lang").click()`))
	}
}

// broken says which pictures that have not come show the sign of a broken one.
const broken = `[...document.querySelectorAll("img:not([src])")].filter((e) => e.alt &&
	e.checkVisibility({ opacityProperty: true })).map((e) => e.alt).join()`

// read is what a person reads or hears of a page.
const read = `document.body.innerText + [...document.querySelectorAll("body *")]
	.filter((e) => e.checkVisibility()).flatMap((e) => ["aria-label", "placeholder", "title", "alt"]
	.map((a) => "\n" + (e.getAttribute(a) || ""))).join("") + "\n" + document.title`

// others are the words that models, clients, tools and screens have on these pages.
var others = []string{"order <b>a pizza</b>", "open <i>the menu</i>", "open the menu",
	"order a pizza with mushrooms", "order a pizza", "renew the library books", "send the photo to Ann",
	"the phone went away", "find the opening hours of the library", "It is open from 9 to 18.",
	"may it tap \"Pay\"?", "tap \"Pay\"", "：Pay", "it spends money", "Which size should it be?",
	"small is", "large is", "32 cm", "20 cm", "Which day?", "Monday", "Which size?", "size\tprice", "size price", "small",
	"Small", "Large", "as before", "the menu", "one", "two", "“oat”", "Which milk?", "The code?", "code",
	"Agreed?", "motion: tea", "aye", "nay", "Allow Notes to send messages?", "“Allow”", "：Notes",
	"files 想要写入 notes.txt", "“files”", "“write_file”", "add", "replace", "count", "mode",
	"A few things:", "Bags", "Bicycle", "Can the ticket be given back?", "Class", "Day of travel", "Extras",
	"First", "Second", "Meal", "Who travels?", "Window seat", "Hello", "Please log in on the phone.",
	"Please look it over.", "Writes a note.", "note", "Title", "copies", "kind", "list", "text", "torn",
	"line 3: no steps", "pizza", "pixel", "Pixel 8 Pro", "very", "emulator", "task", "ann\t", "\nann\n", "kitchen", "berlin", "reply.mode\task", "reply.mode\nask\n"}

// narrowEnough says what sticks out at the side, on a page that would scroll there.
func (p tab) narrowEnough(at string, width int64) {
	p.t.Helper()
	require.Equal(p.t, "", p.text(`[...document.querySelectorAll(".scroll")].filter((e) => `+
		`e.scrollWidth > e.clientWidth).map((e) => e.innerText).join()`), "a table is cut off: %s", at)
	require.Equal(p.t, "", p.text(fmt.Sprintf(`document.documentElement.scrollWidth <= %[1]d ? "" :
		[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > %[1]d)
		.slice(0, 8).map((e) => e.tagName + "." + e.className + "#" + e.id + " " +
		Math.round(e.getBoundingClientRect().right)).join("\n")`, width)), at)
}

// keep takes a picture in both colours.
func (p tab) keep(name string, width int64) {
	p.t.Helper()
	dir := os.Getenv("TAPLOOP_PICTURES")
	if dir == "" {
		return
	}
	for _, scheme := range []string{"dark", "light"} {
		p.look(scheme, width, 844)
		png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		require.NoError(p.t, err)
		require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), png, 0o644))
	}
}

func described(o *web.Options) {
	o.About = func(context.Context) (web.About, error) {
		return web.About{Health: []web.Fact{{Name: "adb", Value: "ok"}},
			Settings: []web.Fact{{Name: "model.profiles.kitchen.context_management.longest_of_all",
				Value:  "/home/ann/.local/share/taploop/" + strings.Repeat("longer", 20),
				Origin: "/home/ann/.config/taploop/config.yaml"}, {Name: "reply.mode", Value: "ask", Origin: "default"}},
			Tokens: []web.Fact{{Name: "ann", Value: "2026-05-06T07:08:09Z"}},
			Audit: []store.AuditEntry{{At: time.Now(), Event: "answered", By: "kitchen",
				Text: "Which size?"}}}, nil
	}
}

func TestEveryPageIsSound(t *testing.T) {
	t.Parallel()
	y := &yard{wanted: []string{"cordon C", "drain w2"}}
	g := newRig(t, described, y.over)
	settled := g.waiting("ann", inquiry.Question{Text: "Which day?"})
	_, err := g.broker.Resolve(t.Context(), settled.ID, inquiry.Reply{Response: "Monday"})
	require.NoError(t, err)
	g.ends(store.Run{ID: settled.RunID, SessionID: settled.SessionID},
		store.Change{To: store.Cancelled})
	done := g.running("find the opening hours of the library", 3)
	g.ends(done, store.Change{To: store.Completed, Answer: "It is open from 9 to 18."})
	failed := g.running("send the photo to Ann", 2)
	g.ends(failed, store.Change{To: store.Failed, Err: "the phone went away"})
	run := g.running("order a pizza with mushrooms", 4)
	approval := about(inquiry.Critical)
	approval.Task = "renew the library books"
	g.waiting("ann", approval)
	g.waiting("ann", inquiry.Question{Task: "order a pizza",
		Text: "Which **size** should it be?\n\n- small is `20 cm`\n- large is `32 cm`",
		Body: &inquiry.Ask{Options: []string{"Small", "Large"}, FreeText: true}})
	p := g.login(chrometest.Chromium(t), "kitchen")
	const shown = `document.querySelector(".step .shot img[src]") !== null`
	const unfold = `for (const d of document.querySelectorAll("details")) d.open = true`
	for _, c := range []struct{ name, path, ready, prepare string }{
		{"home", "/ui", `document.querySelector(".results .badge") !== null && ` +
			`document.querySelector(".run-card .see img[src]") !== null && ` +
			`document.querySelector(".phones .badge") !== null && ` +
			`document.querySelector(".card.current .shot img[src]") !== null`,
			`document.querySelector("#standing-body > button")?.click()`},
		{"session", "/ui/sessions/" + run.SessionID, shown, unfold},
		{"ended", "/ui/sessions/" + done.SessionID, shown, unfold},
		{"failed", "/ui/sessions/" + failed.SessionID, shown, ""},
		{"runs", "/ui/sessions", `[...document.querySelectorAll(".results .facts")]` +
			`.some((e) => /[^\d]1 (step|步)$/.test(e.textContent))`, ""},
		{"answered", "/ui/answered", `document.querySelector(".results li") !== null`, ""},
		{"skills", "/ui/skills", `document.querySelector(".skills .problem") !== null`,
			`document.querySelector(".skills button[aria-expanded=false]")?.click()`},
		{"settings", "/ui/settings", `document.querySelectorAll(".settings td").length > 4 && ` +
			`document.querySelectorAll(".machines td").length === 10 && ` +
			`(document.documentElement.lang === "en" || document.body.innerText.includes("默认"))`,
			`document.querySelector(".machines .stop")?.click()`},
		{"phone", "/ui/phones/A", `document.querySelector(".phone-page .see img[src]") !== null`,
			""},
		{"cordoned", "/ui/phones/C", `document.querySelector(".phone-page .cordon") !== null && ` +
			`document.querySelector(".phone-page .badge.open") !== null`, ""},
		{"offline", "/ui/phones/B", `document.querySelector(".phone-page .badge.bad") !== null && ` +
			`!document.getElementById("task")`, ""},
	} {
		p.do(chromedp.Navigate(g.http.URL + c.path))
		p.sound(sight{c.name, "html", c.ready, c.prepare}, 1280, 390)
	}
	p.listed(g)
}

// listed looks at the list of all sessions as a file, and finds some of them.
func (p tab) listed(g *rig) {
	path := filepath.Join(p.t.TempDir(), "index.html")
	f, err := os.Create(path)
	require.NoError(p.t, err)
	require.NoError(p.t, export.HTML(p.t.Context(), f, g.store, ""), "")
	require.NoError(p.t, f.Close())
	p.do(chromedp.Navigate("file://" + path))
	const found = `document.querySelectorAll(".results li").length`
	p.sound(sight{"index", "html", found + " > 3", ""}, 1280, 390)
	p.until(found + " > 3")
	all := p.text(found)
	choose := func(box, value string) {
		p.do(js(fmt.Sprintf(`for (const e of [document.getElementById("f-%s")]) { e.value = "%s"; `+
			`for (const what of ["input", "change"]) e.dispatchEvent(new Event(what, {bubbles: true})) }`,
			box, value)))
	}
	for _, c := range [][3]string{{"q", "OPENING HOURS", "1"}, {"q", "went away", "1"},
		{"state", "FAILED", "1"}, {"app", "no.such", "0"}, {"serial", "emu-1", all},
		{"when", "day", all}} {
		choose(c[0], c[1])
		p.until(found + " == " + c[2])
		choose(c[0], "")
		p.until(found + " == " + all)
	}
	require.Regexp(p.t, `^file:.*/[0-9a-z]+\.html$`,
		p.text(`document.querySelector(".results a").href`))
}

// Who is not logged in, has nothing yet, or follows a link to what is gone.
func TestEveryPageIsSoundWithNothingOnIt(t *testing.T) {
	t.Parallel()
	g := newRig(t, func(o *web.Options) {
		o.Tasks.(*toolbox).bare = true
		o.About = func(context.Context) (web.About, error) { return web.About{}, nil }
	})
	browser := chrometest.Chromium(t)
	g.open(browser, "/ui").sound(sight{"login", "html",
		`!document.getElementById("login").hidden`, ""}, 1280, 390)
	g.open(browser, "/ui#login=used").sound(sight{"login-used", "html",
		`document.getElementById("login-error").textContent !== ""`, ""}, 1280, 390)
	p := g.login(browser, "kitchen")
	const none = `document.querySelector("#page .none") !== null`
	for _, c := range [][3]string{
		{"home-empty", "/ui", `document.querySelectorAll("#home .none:not([hidden])").length === 5`},
		{"runs-empty", "/ui/sessions", none}, {"answered-empty", "/ui/answered", none},
		{"skills-empty", "/ui/skills", none}, {"settings-empty", "/ui/settings", none},
		{"session-gone", "/ui/sessions/0123456789abcdef", none},
		{"phone-gone", "/ui/phones/Z", none + ` && !document.getElementById("task")`},
	} {
		p.do(chromedp.Navigate(g.http.URL + c[1]))
		p.sound(sight{c[0], "html", c[2], ""}, 1280, 390)
	}
}

// everyKind is a question of each kind there is, and each form of it.
func everyKind(t *testing.T) []inquiry.Question {
	t.Helper()
	tap := about(inquiry.Critical)
	inquiry.As[inquiry.Approval](tap).Act = &consent.Act{Verb: "CLICK", Label: "Allow",
		App: "com.example.notes", Says: "Allow Notes to send messages?"}
	tap.Channels = []inquiry.Channel{{Name: "elicit", Until: time.Now().Add(time.Minute)},
		{Name: "pass_to_client"}, {Name: "page"}, {Name: "command_line"}}
	var args inquiry.Args
	require.NoError(t, json.Unmarshal([]byte(`{"path":"notes.txt","text":"hi","mode":"add"}`), &args))
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"type":"object","properties":{"path":`+
		`{"type":"string"},"text":{"type":"string"},"mode":{"enum":["add","replace"]},`+
		`"count":{"type":"integer"}}}`), &schema))
	call := inquiry.Question{Kind: inquiry.KindApproval, Text: "May it write?",
		Body: &inquiry.Approval{Severity: inquiry.Sensitive, Server: "files",
			Act:            &consent.Act{Server: "files", Tool: "write_file", Object: "notes.txt"},
			ActionRequests: []inquiry.ActionRequest{{Name: "write_file", Args: args}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "write_file",
				AllowedDecisions: inquiry.DecisionTypes, ArgsSchema: schema}}}}
	two := about(inquiry.Routine)
	both := inquiry.As[inquiry.Approval](two)
	both.ActionRequests = append(both.ActionRequests, both.ActionRequests[0])
	return []inquiry.Question{tap, call, two,
		{Text: "Which milk?", DefaultAnswer: "oat", OnTimeout: inquiry.Default},
		{Text: "The code?", Secret: true},
		{Text: "# Which size?\n\n| size | price |\n| - | - |\n| small | 5 |\n\n> as *before*\n\n" +
			"1. [the menu](https://example.org)\n2. `code`",
			Body: &inquiry.Ask{Options: []string{"Small", "Large"}, FreeText: true}},
		{Text: "- one\n- two"},
		{Text: "A few things:", Body: &inquiry.Form{Fields: trip()}},
		{Text: "Please look it over.", Body: &inquiry.Ask{Draft: "# Hello\n\n- one\n- two\n"}},
		{Kind: inquiry.KindTakeover, Text: "Please log in on the phone."},
		{Text: "Agreed?", Body: &vote.Vote{Motion: "tea"}}}
}

// Everything that can be unfolded on a question is.
func TestEveryKindOfQuestionIsSound(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	var asked []inquiry.Question
	for _, q := range everyKind(t) {
		asked = append(asked, g.waiting("ann", q))
	}
	p := g.login(chrometest.Chromium(t), "kitchen")
	const unfold = `for (const b of document.querySelectorAll("article .more, .see-draft"))
		if (b.ariaExpanded === "false") b.click();
		for (const b of document.querySelectorAll('article [data-type="edit"]'))
		if (b.ariaPressed !== "true") b.click();`
	all := fmt.Sprintf(`document.querySelectorAll("article").length === %d`, len(asked))
	for i, q := range asked {
		p.sound(sight{fmt.Sprintf("kind-%d", i), ".current", all, fmt.Sprintf(
			`document.querySelector('[data-open="%s"]').click(); `, q.ID) + unfold}, 1280, 390)
	}
	for i, q := range asked {
		p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + q.SessionID))
		p.sound(sight{fmt.Sprintf("asked-%d", i), ".step", `document.querySelector(".talk .q") !== null && ` +
			`document.querySelector(".step .shot img[src]") !== null`, ""}, 390)
	}
}

// What models and people write may be long, without a space, or run from the right.
func TestEveryPageIsSoundWithALotOnIt(t *testing.T) {
	t.Parallel()
	g := newRig(t, described, func(o *web.Options) { o.Tasks.(*toolbox).crowd = 24 })
	long, arabic := strings.Repeat("pizza", 120), "اطلب بيتزا كبيرة مع الفطر (2) الآن"
	emoji := strings.Repeat("👩‍👩‍👧‍👦🍕🇨🇳", 40)
	for _, task := range []string{long, arabic, emoji} {
		g.ends(g.running(task, 3), store.Change{To: store.Completed, Answer: task})
		g.ends(g.running(task, 1), store.Change{To: store.Failed, Err: task})
	}
	run := g.running(strings.Repeat(arabic+" ", 20)+emoji+long, 40)
	for _, text := range []string{long, arabic, emoji} {
		g.waiting("ann", inquiry.Question{Task: text, Text: text, Body: &inquiry.Ask{
			Options: []string{text, "b " + text}, FreeText: true}, DefaultAnswer: text})
		tap := about(inquiry.Critical)
		inquiry.As[inquiry.Approval](tap).Act = &consent.Act{Verb: "CLICK", Label: text,
			App: "com.example.notes", Says: text}
		tap.Task = text
		g.waiting("ann", tap)
	}
	for i := range 60 {
		g.ends(g.running(fmt.Sprintf("task %d", i), 1), store.Change{To: store.Cancelled})
	}
	p := g.login(chrometest.Chromium(t), "kitchen")
	for _, c := range [][3]string{
		{"home-full", "/ui", `document.querySelectorAll(".phones li").length === 26 && ` +
			`document.querySelector(".card.current .shot img[src]") !== null && ` + beside + " && " + rightward},
		{"session-full", "/ui/sessions/" + run.SessionID,
			`document.querySelector(".step .shot img[src]") !== null && ` +
				`document.querySelector(".totals").getBoundingClientRect().top < 844`},
		{"runs-full", "/ui/sessions", `document.querySelectorAll("#page .results li").length === 50`},
		{"phone-full", "/ui/phones/emulator-5600", `document.querySelector(".phone-page .badge") !== null`},
	} {
		p.do(chromedp.Navigate(g.http.URL + c[1]))
		p.sound(sight{c[0], "html", c[2], ""}, 1280, 390)
	}
}

// beside is true where the list of phones is beside its label, however long their names are.
const beside = `((a, b) => Math.abs(a.top + a.bottom - b.top - b.bottom) < 9)(` +
	`document.querySelector("label[for=phone]").getBoundingClientRect(), ` +
	`document.getElementById("phone").getBoundingClientRect())`

// rightward is true where words that run from the right begin there, on the cards in view.
const rightward = `[...document.querySelectorAll(".question, .option span")].filter((e) => ` +
	`e.checkVisibility() && e.textContent.startsWith("\u0627")).every((e) => { const r = document.createRange(); ` +
	`r.setStart(e.firstChild, 0); r.setEnd(e.firstChild, 1); ` +
	`return Math.abs(r.getBoundingClientRect().right - e.getBoundingClientRect().right) < 3 })`
