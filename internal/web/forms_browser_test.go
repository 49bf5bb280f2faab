package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
)

// field is the expression for something within the nth field of a form.
func field(q inquiry.Question, n int, selector string) string {
	return card(q, fmt.Sprintf(".field:nth-child(%d) %s", n, selector))
}

// fill types into the nth field.
func (p tab) fill(q inquiry.Question, n int, text string) {
	p.t.Helper()
	p.do(js(field(q, n, "input, .field textarea")+".focus()"),
		js(field(q, n, "input, .field textarea")+".select()"), chromedp.KeyEvent(text))
}

// pick presses the nth box of a field.
func (p tab) pick(q inquiry.Question, n, box int) {
	p.t.Helper()
	p.do(js(field(q, n, fmt.Sprintf(".box:nth-child(%d)", box)) + ".click()"))
}

// problems are what is said at the fields, by their numbers.
func (p tab) problems(q inquiry.Question) string {
	p.t.Helper()
	return p.text(`[...document.querySelectorAll('article[data-id="` + q.ID + `"] .field')]
		.map((f, i) => (i + 1) + ": " + f.querySelector(".problem").textContent)
		.filter((s) => !s.endsWith(": ")).join("\n")`)
}

func (p tab) send(q inquiry.Question) {
	p.t.Helper()
	p.do(js(card(q, "button.main") + ".click()"))
}

func TestAFormIsFilledInOnThePage(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	browser := chrometest.Chromium(t)
	kitchen, hall := g.login(browser, "kitchen"), g.login(browser, "hall")
	q := g.waiting("ann", inquiry.Question{Text: "A few things:",
		Body: &inquiry.Form{Fields: trip()}})
	kitchen.until(card(q, ".field") + " !== null")
	kitchen.send(q)
	require.Equal(t, "1: This is needed.\n4: This is needed.\n6: This is needed.",
		kitchen.problems(q))
	require.Equal(t, "true", kitchen.text(field(q, 1, "input")+" === document.activeElement"),
		"the cursor is where it is wrong")
	require.Equal(t, "true", kitchen.text(field(q, 1, "input")+".getAttribute('aria-invalid')"))

	kitchen.fill(q, 1, "A")
	require.Equal(t, "4: This is needed.\n6: This is needed.", kitchen.problems(q),
		"what is being mended is not wrong any more")
	kitchen.pick(q, 2, 2)
	for box := range 3 {
		kitchen.pick(q, 3, box+1)
	}
	kitchen.pick(q, 4, 2)
	kitchen.fill(q, 5, "7")
	kitchen.do(js(field(q, 6, "input") + ".value = '2028-02-29'"))
	kitchen.send(q)
	require.Equal(t,
		"1: Wanted: 2 to 40 characters.\n3: Wanted: at most 2 choices.\n5: Wanted: 0 to 3.",
		kitchen.problems(q))
	kitchen.fill(q, 1, "Ann")
	kitchen.pick(q, 3, 2)
	kitchen.fill(q, 5, "1.00000000000000000001") // only the server knows that this is too much
	kitchen.send(q)
	kitchen.until(card(q, "form > .problem") + `.textContent !== ""`)
	require.Equal(t, "5: the number has more digits than can be kept (about 15)",
		kitchen.problems(q))
	require.Equal(t, "Something does not fit yet: see above.",
		kitchen.text(card(q, "form > .problem")+".textContent"))

	kitchen.do(js(`document.getElementById("lang").click()`))
	require.Equal(t, "是", kitchen.text(field(q, 4, ".box")+".textContent"))
	kitchen.do(js(`document.getElementById("lang").click()`))
	kitchen.fill(q, 5, "2.0")
	kitchen.do(chromedp.KeyEvent("\r")) // within a field it sends the form
	const reason = "Who travels?: Ann · Class: First · Extras: Window seat, Meal · Can the " +
		"ticket be given back?: No · Bags: 2 · Day of travel: 2028-02-29"
	hall.until(`document.querySelector("#settled span") !== null`)
	require.Equal(t, "“A few things:”: answered by kitchen (inbox page): "+reason,
		hall.text(`document.querySelector("#settled span").textContent`))
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, tripAnswer, stored.Resolution.Response.Reveal())
}

func TestScriptsInAFormAreText(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	const evil = `<img src=x onerror="document.title='owned'">` +
		`<script>document.title='owned'</script>`
	many := []string{evil}
	for i := range 8 {
		many = append(many, fmt.Sprintf("%s %d", evil, i))
	}
	q, err := g.broker.Open(t.Context(), inquiry.Question{Kind: inquiry.KindInquiry, Client: evil,
		Text: evil, Task: evil, OnTimeout: inquiry.Default,
		DefaultAnswer: `{"__proto__":"` + strings.ReplaceAll(evil, `"`, `\"`) +
			`","constructor":true,"many":"` + strings.ReplaceAll(evil, `"`, `\"`) + `"}`,
		Channels: []inquiry.Channel{{Name: evil}, {Name: "__proto__"}, {Name: "constructor"},
			{Name: "page"}},
		Body: &inquiry.Form{Fields: []inquiry.Field{
			{Name: "__proto__", Label: evil, Type: inquiry.TextField, Default: evil},
			{Name: "constructor", Label: evil, Type: inquiry.YesNoField},
			{Name: "many", Label: evil, Type: inquiry.ChoiceField, Options: many},
			{Name: "toString", Label: evil, Type: inquiry.ChoicesField, Options: many,
				Optional: true},
		}}})
	require.NoError(t, err)
	browser := chrometest.Chromium(t)
	kitchen, hall := g.login(browser, "kitchen"), g.login(browser, evil)
	for _, p := range []tab{kitchen, hall} {
		p.until(card(q, ".field") + " !== null")
		require.Equal(t, evil, p.text(card(q, ".question")+".textContent"))
		require.Equal(t, "Asked by "+evil, p.text(card(q, ".client")+".textContent"))
		require.Equal(t, evil, p.text(card(q, ".context")+".textContent"))
		require.Equal(t, evil, p.text(card(q, ".channels li")+".textContent"))
		require.Equal(t, "__proto__constructorthis page",
			p.text(`[...document.querySelectorAll(".channels li")].slice(1).map((e) => `+
				`e.textContent).join("")`))
		require.Equal(t, evil, p.text(field(q, 1, "label")+".textContent"))
		require.Equal(t, evil, p.text(field(q, 1, "textarea")+".value"))
		require.Equal(t, many[8], p.text(field(q, 3, "select")+".lastChild.textContent"))
		require.Equal(t, evil, p.text(field(q, 4, ".box")+".textContent"))
		require.Contains(t, p.text(card(q, ".due")+".textContent"), evil)
	}
	hall.pick(q, 2, 1)
	hall.do(js(field(q, 3, "select") + `.value = "0"`))
	hall.pick(q, 4, 9)
	hall.send(q)
	kitchen.until(`document.querySelector("#settled span") !== null`)
	require.Contains(t, kitchen.text(`document.querySelector("#settled span").textContent`),
		"answered by "+evil+" (inbox page): "+evil+": "+evil)
	for _, p := range []tab{kitchen, hall} {
		require.Equal(t, "taploop", p.text("document.title"))
		require.Equal(t, "0",
			p.text(`document.querySelectorAll("main script, #settled img, article img").length`))
	}
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"__proto__":%q,"constructor":true,"many":%q,"toString":[%q]}`,
		evil, evil, many[8]), stored.Resolution.Response.Reveal())
}

func TestWhatWasLeftOutOfAFormIsNotInTheReason(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Text: "Well?",
		Body: &inquiry.Form{Fields: []inquiry.Field{
			{Name: "valueOf", Type: inquiry.DateField, Optional: true},
			{Name: "ok", Type: inquiry.YesNoField},
			{Name: "sure", Type: inquiry.YesNoField, Optional: true, Default: false},
			{Name: "a", Type: inquiry.YesNoField, Optional: true, Default: true}}}})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, ".field") + " !== null")
	p.pick(q, 2, 1)
	require.Equal(t, "No", p.text(field(q, 3, "select")+".selectedOptions[0].textContent"))
	p.do(js(field(q, 4, "select") + `.value = ""`)) // what was filled in beforehand can be left out
	p.send(q)
	p.until(`document.querySelector("#settled span") !== null`)
	require.Equal(t, "“Well?”: answered by you: ok: Yes · sure: No",
		p.text(`document.querySelector("#settled span").textContent`))
	p.do(js(`document.getElementById("lang").click()`))
	require.Equal(t, "“Well?”：你 已回答：ok：是 · sure：否",
		p.text(`document.querySelector("#settled span").textContent`))
}

func TestADraftIsEditedAndSentWhole(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	const draft = "# Plan <b>\n\n1. go\n"
	q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{Draft: draft}})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, "textarea") + ` !== null`)
	require.Equal(t, draft, p.text(card(q, "textarea")+".value"))
	p.do(js(card(q, "textarea")+".focus()"), js(card(q, "textarea")+".setSelectionRange(0, 0)"),
		chromedp.KeyEvent("Our "))
	undo := card(q, ".quiet-row") + ".click()"
	p.do(js(undo))
	require.Equal(t, draft, p.text(card(q, "textarea")+".value"))
	p.do(js(undo))
	require.Equal(t, "Our "+draft, p.text(card(q, "textarea")+".value"), "that is taken back, too")
	p.send(q)
	p.until(`document.querySelector("#settled span") !== null`)
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "Our "+draft, stored.Resolution.Response.Reveal())
}

func TestALinkGoesToOneQuestion(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	done, q := g.waiting("ann", inquiry.Question{Text: "The first?"}), inquiry.Question{}
	for i := range 6 { // it is far below what the window shows
		q = g.waiting("ann", inquiry.Question{Text: fmt.Sprint("Question ", i)})
	}
	g.waiting("ann", inquiry.Question{Text: "The last?"})
	require.Equal(t, 200, g.post("/v1/inquiries/"+done.ID+"/reply", g.boss,
		`{"response":"yes"}`).status)
	browser := chrometest.Chromium(t)
	p := g.login(browser, "kitchen")
	open := func(fragment string) {
		p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(g.http.URL+"/ui#"+fragment))
	}
	// Also when what is above it, and what it shows itself, came later.
	top := `document.activeElement.getBoundingClientRect().top`
	there := `document.activeElement === ` + card(q, "") + ` && ` +
		card(q, ".shot img") + `.naturalWidth > 0 && ` + card(q, ".steps li") + ` !== null && ` +
		top + ` >= 0 && ` + top + ` < innerHeight / 3`
	open("question=" + q.ID)
	p.until(there)
	open("question=" + done.ID)
	p.until(`document.querySelector("#settled span") !== null`)
	require.Equal(t, "“The first?”: answered by boss (HTTP): yes",
		p.text(`document.querySelector("#settled span").textContent`))
	open("question=%22%3E%3Cimg%20src%3Dx%3E")
	p.until(`document.querySelector("#settled li") !== null`)
	require.Equal(t, "There is no such question, or it was deleted.",
		p.text(`document.querySelector("#settled span").textContent`))

	stranger := g.open(browser, "/ui#question="+q.ID)
	stranger.until(`!document.getElementById("login").hidden`)
	link, err := g.logins.Link(g.http.URL, "hall")
	require.NoError(t, err)
	stranger.do(chromedp.Navigate(link)) // in the same tab, which remembers where it was to go
	stranger.until(there)
	require.Equal(t, "#question="+q.ID, stranger.text("location.hash"), "the code is gone")
}

func TestWhatWasTypedOutlivesTheLogin(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q, secret := g.waiting("ann", inquiry.Question{}),
		g.waiting("ann", inquiry.Question{Secret: true})
	browser := chrometest.Chromium(t)
	p := g.login(browser, "kitchen")
	p.until(card(secret, "input") + ` !== null`)
	p.do(js(card(secret, "input")+".focus()"), chromedp.KeyEvent("4711"),
		js(card(q, "textarea")+".focus()"), chromedp.KeyEvent("a long answer"))
	// behind the page's back
	p.do(js(`import("/ui/api.js").then((m) => m.ask("/ui/logout", {method: "POST"}))` +
		`.then(() => { window.out = true; })`))
	p.until("window.out")
	p.do(js(card(q, "button.main") + "?.click()")) // unless the page has noticed by itself
	p.until(`!document.getElementById("login").hidden && document.querySelector("article") === ` +
		`null`)
	link, err := g.logins.Link(g.http.URL, "kitchen")
	require.NoError(t, err)
	p.do(chromedp.Navigate(link))
	p.until(card(q, "textarea") + ` !== null && ` + card(secret, "input") + ` !== null`)
	require.Equal(t, "a long answer", p.text(card(q, "textarea")+".value"))
	require.Equal(t, "", p.text(card(secret, "input")+".value"))
	p.do(js(`document.getElementById("logout").click()`))
	p.until(`document.querySelector("article") === null`)
	link, err = g.logins.Link(g.http.URL, "kitchen")
	require.NoError(t, err)
	p.do(chromedp.Navigate(link))
	p.until(card(q, "textarea") + ` !== null`)
	require.Equal(t, "", p.text(card(q, "textarea")+".value"), "who logs out takes it along")
}
