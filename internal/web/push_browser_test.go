package web_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/web"
)

// pushService is what a browser subscribes at. It hands on what it is sent, read with the browser's
// own key.
type pushService struct {
	*httptest.Server
	key    *ecdh.PrivateKey
	secret []byte
	got    chan string
}

func newPushService(t *testing.T) *pushService {
	s := &pushService{secret: make([]byte, 16), got: make(chan string, 9)}
	rand.Read(s.secret)
	var err error
	s.key, err = ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			b, err = s.open(b)
		}
		if err != nil {
			b = []byte(err.Error())
		}
		w.WriteHeader(http.StatusCreated)
		s.got <- string(b)
	}))
	t.Cleanup(s.Close)
	return s
}

// subscribes has a page's browser subscribe here: its own service is not on this machine.
func (s *pushService) subscribes() string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{ let mine = null; const of = (key) => ({endpoint: %q, key,
		toJSON: () => ({endpoint: %[1]q, expirationTime: null, keys: {p256dh: %q, auth: %q}}),
		unsubscribe: async () => { mine = null; return true }});
		PushManager.prototype.subscribe = async (o) => (mine = of(o.applicationServerKey));
		PushManager.prototype.getSubscription = async () => mine; }`,
		s.URL+"/to/me", encode(s.key.PublicKey().Bytes()), encode(s.secret))
}

// open reads a message as RFC 8291 describes it.
func (s *pushService) open(b []byte) ([]byte, error) {
	salt, theirs, body := b[:16], b[21:86], b[86:]
	public, err := ecdh.P256().NewPublicKey(theirs)
	if err != nil {
		return nil, err
	}
	shared, err := s.key.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := slices.Concat([]byte("WebPush: info\x00"), s.key.PublicKey().Bytes(), theirs)
	derive := func(secret, salt []byte, info string, n int) []byte {
		k, derr := hkdf.Key(sha256.New, secret, salt, info, n)
		if derr != nil {
			err = derr
		}
		return k
	}
	secret := derive(shared, s.secret, string(info), 32)
	block, berr := aes.NewCipher(derive(secret, salt, "Content-Encoding: aes128gcm\x00", 16))
	if berr != nil {
		return nil, berr
	}
	gcm, berr := cipher.NewGCM(block)
	if berr != nil {
		return nil, berr
	}
	text, berr := gcm.Open(nil, derive(secret, salt, "Content-Encoding: nonce\x00", 12), body, nil)
	if err != nil || berr != nil {
		return nil, fmt.Errorf("%w %w", err, berr)
	}
	return text[:len(text)-1], nil
}

// forgetful is a ledger of one process.
type forgetful struct{}

func (forgetful) Delivered(ctx, notify.Receipt) error                 { return nil }
func (forgetful) Receipts(ctx, notify.Span) ([]notify.Receipt, error) { return nil, nil }
func (forgetful) Noticed(ctx, notify.Notice) error                    { return nil }
func (forgetful) Notices(ctx, time.Time) ([]notify.Notice, error)     { return nil, nil }

func TestAPushArrivesAtTheWorkerOfThePage(t *testing.T) {
	t.Parallel()
	browsers := push.Open(filepath.Join(t.TempDir(), "push.json"))
	g := newRig(t, func(o *web.Options) { o.Browsers = browsers })
	n, err := notify.New(&notify.Options{Questions: g.broker, Ledger: forgetful{},
		Browsers: browsers})
	require.NoError(t, err)
	telling, end := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { _ = n.Run(telling) })
	t.Cleanup(func() { end(); ended.Wait() })

	service := newPushService(t)
	tabs := chrometest.Chromium(t)
	p := g.open(tabs, "/ui")
	_, err = chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: service.subscribes()})
	require.NoError(t, err)
	_, err = chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "notifications"},
		Setting:    browser.PermissionSettingGranted, Origin: g.http.URL,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID})
	require.NoError(t, err)
	workers := make(chan serviceworker.RegistrationID, 99)
	require.NoError(t, chromedp.Listen(p.ctx, func(e any) {
		if u, is := e.(*serviceworker.EventWorkerRegistrationUpdated); is {
			for _, r := range u.Registrations {
				if strings.HasPrefix(r.ScopeURL, g.http.URL+"/") { // the browser is shared, other tests' workers come too
					workers <- r.RegistrationID
				}
			}
		}
	}))
	_, err = chromedp.Call(p.ctx, serviceworker.Enable, struct{}{})
	require.NoError(t, err)
	link, err := g.logins.Link(g.http.URL, "kitchen")
	require.NoError(t, err)
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	p.until(`document.getElementById("link").textContent === "live"`)
	p.do(js(`document.querySelector("#nav a[href='/ui/settings']").click()`))
	p.press("Notifications", "Notify me here")
	p.until(named("Notifications", "button", "Notify me no more") + " !== undefined")
	p.waits(func() bool {
		list, err := browsers.List()
		return err == nil && len(list) == 1 && list[0].Lang == "en"
	})

	q := about(inquiry.Critical)
	inquiry.As[inquiry.Approval](q).Act = &consent.Act{Verb: "CLICK", Label: "Allow",
		Says: "Allow Notes to send messages?"}
	q = g.waiting("ann", q)
	sent := <-service.got
	require.JSONEq(t, fmt.Sprintf(`{"title":"A question waits for you","tag":%q,"lang":"en",`+
		`"body":"Allow Notes to send messages? The agent wants to tap “Allow”",`+
		`"url":"/ui#question=%[1]s"}`, q.ID), sent)
	// What comes before the worker is up is lost.
	p.do(js(`setInterval(async () => { const r = await navigator.serviceWorker.ready; ` +
		`window.worker = r.active.state }, 50)`))
	p.until(`window.worker === "activated"`)
	_, err = chromedp.Call(p.ctx, serviceworker.DeliverPushMessage,
		serviceworker.DeliverPushMessageParams{Origin: g.http.URL, RegistrationID: <-workers,
			Data: sent})
	require.NoError(t, err)
	const shown = `window.shown = [], setInterval(async () => { const r = await ` +
		`navigator.serviceWorker.ready; shown = (await r.getNotifications()).map((n) => ` +
		`[n.title, n.body, n.data].join("|")) }, 50)`
	p.do(js(shown))
	p.until(fmt.Sprintf(`shown.join() === "A question waits for you|Allow Notes to send `+
		`messages? The agent wants to tap “Allow”|`+
		`/ui#question=%s"`, q.ID))
	_, err = g.broker.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecline,
		Channel: "page", Authority: inquiry.AuthorityHumanToken})
	require.NoError(t, err)
	p.until("shown.length === 0")
	for _, lang := range []string{"zh", "en"} {
		p.do(js(`document.getElementById("lang").click()`))
		p.waits(func() bool {
			list, err := browsers.List()
			return err == nil && len(list) == 1 && list[0].Lang == lang
		})
	}
	p.press("Notifications", "Notify me no more")
	p.waits(func() bool {
		list, err := browsers.List()
		return err == nil && len(list) == 0
	})
}

// A page can be installed: it has a manifest with an icon, and a worker where it begins.
func TestThePageCanBeInstalled(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	p := g.login(chrometest.Chromium(t), "kitchen")
	found, err := chromedp.Call(p.ctx, page.GetInstallabilityErrors, struct{}{})
	require.NoError(t, err)
	for _, e := range found.InstallabilityErrors { // a profile of a test is an incognito one
		require.Equal(t, "in-incognito", e.ErrorID)
	}
	read, err := chromedp.Call(p.ctx, page.GetAppManifest, page.GetAppManifestParams{})
	require.NoError(t, err)
	require.Empty(t, read.Errors)
	require.Contains(t, read.Data, `"start_url": "/ui"`)
}

// Programs do not subscribe: they have webhooks and the stream.
func TestOnlyThePageSubscribesToPushes(t *testing.T) {
	browsers := push.Open(filepath.Join(t.TempDir(), "push.json"))
	g := newRig(t, func(o *web.Options) { o.Browsers = browsers })
	for _, token := range []string{g.ann, g.kim, g.boss} {
		require.Equal(t, 403, g.get("/v1/push", token).status)
		require.Equal(t, 403, g.post("/v1/push", token, `{"endpoint":"https://x/1"}`).status)
	}
	code := g.code()
	in := g.send("POST", "/ui/login", "", `{"code":"`+code+`"}`, nil).json(t)["login"].(string)
	page := func(r *http.Request) { r.Header.Set("X-Taploop-Login", in) }
	a := g.send("POST", "/v1/push", "", `{"endpoint":"http://push.example/1"}`, page)
	require.Equal(t, 400, a.status, a.text)
	require.Contains(t, a.text, "not reached by HTTPS")
	key, err := browsers.Key()
	require.NoError(t, err)
	require.Equal(t, key, g.send("GET", "/v1/push", "", "", page).json(t)["key"])
}
