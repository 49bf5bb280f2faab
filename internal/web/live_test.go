package web_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// look opens the live picture of a phone.
func (g *rig) look(token string) (parts *multipart.Reader, end func()) {
	g.t.Helper()
	ctx, cancel := context.WithCancel(g.t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", g.http.URL+"/v1/devices/A/live", nil)
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := g.http.Client().Do(req)
	require.NoError(g.t, err)
	require.Equal(g.t, 200, res.StatusCode)
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	require.NoError(g.t, err)
	require.Equal(g.t, "multipart/x-mixed-replace", kind)
	return multipart.NewReader(res.Body, params["boundary"]),
		func() { cancel(); _ = res.Body.Close() }
}

// shot is the next part: what its screen is, and its body.
func shot(t testing.TB, parts *multipart.Reader) (kind, screen string, body []byte) {
	t.Helper()
	p, err := parts.NextRawPart()
	require.NoError(t, err)
	body, err = io.ReadAll(p)
	require.NoError(t, err)
	return p.Header.Get("Content-Type"), p.Header.Get("X-Taploop-Screen"), body
}

func TestAPhoneIsShownLive(t *testing.T) {
	g := newRig(t, func(o *web.Options) { o.Ping = 50 * time.Millisecond })
	parts, end := g.look(g.boss)
	defer end()

	kind, screen, body := shot(t, parts)

	require.Equal(t, "image/jpeg", kind)
	require.Equal(t, "shown", screen)
	img, err := jpeg.Decode(bytes.NewReader(body))
	require.NoError(t, err)
	require.Equal(t, image.Pt(108, 240), img.Bounds().Size())
	kind, screen, body = shot(t, parts)
	require.Equal(t, "application/json", kind, "a sign that both are there")
	require.Equal(t, "shown", screen)
	require.JSONEq(t, `{"screen": "shown", "by_hand": 0}`, string(body))

	g.hands.phone.Set(devicetest.Change{Secure: new(true)})
	for screen == "shown" {
		kind, screen, _ = shot(t, parts)
	}
	require.Equal(t, "application/json", kind)
	require.Equal(t, "secure", screen)
}

func TestALivePictureEndsWithTheSessionThatThePersonSees(t *testing.T) {
	fast := func(o *web.Options) { o.Ping = 50 * time.Millisecond }
	worker := newRig(t, fast, func(o *web.Options) { o.Farm = &remote{} })
	front, _ := newFront(t, worker)
	for name, g := range map[string]*rig{"here": worker, "behind a front": front} {
		worker.hands.holder.Store("ann")
		parts, end := g.look(g.kim) // who is there for ann
		kind, _, _ := shot(t, parts)
		require.Equal(t, "image/jpeg", kind, name)

		worker.hands.holder.Store("ben")
		worker.hands.phone.Set(devicetest.Change{Front: new("app.of." + name)})

		p, err := parts.NextRawPart()
		for ; err == nil; p, err = parts.NextRawPart() {
			require.Equal(t, "application/json", p.Header.Get("Content-Type"), "%s: ben's", name)
		}
		end()
	}
}

func TestALivePictureIsForPeople(t *testing.T) {
	g := newRig(t, nil)
	for path, method := range map[string]string{"live": "GET", "input": "POST"} {
		a := g.send(method, "/v1/devices/A/"+path, g.ann, `{"type":"tap","x":0.5,"y":0.5}`, nil)
		require.Equal(t, 403, a.status, a.text)
		require.Equal(t, "NOT_A_PERSON", a.json(t)["error"].(map[string]any)["code"])
	}
	a := g.get("/v1/devices/gone/live", g.boss)
	require.Equal(t, 404, a.status)
	require.Contains(t, a.text, "DEVICE_NOT_FOUND")
	require.Contains(t, a.text, `no phone \"gone\"`)
}

func TestALivePictureEndsWithTheServer(t *testing.T) {
	g := newRig(t, nil)
	parts, end := g.look(g.boss)
	defer end()
	shot(t, parts)
	require.NoError(t, g.web.Close())
	_, err := parts.NextRawPart()
	require.Error(t, err)
}

func TestAPersonTouchesAPhoneThatIsTakenOver(t *testing.T) {
	g := newRig(t, nil)
	touch := func(body string) answer { return g.post("/v1/devices/A/input", g.boss, body) }
	a := touch(`{"type":"tap","x":0.5,"y":0.5}`)
	require.Equal(t, 409, a.status)
	require.Contains(t, a.text, "NOTHING_TO_TAKE_OVER")
	g.hands.taken.Store(true)
	for body, verb := range map[string]string{
		`{"type":"tap","x":0.5,"y":0.25}`:                         "tap",
		`{"type":"tap","x":0.5,"y":0.25,"ms":800}`:                "press",
		`{"type":"swipe","x":0.5,"y":0.8,"to_x":0.5,"to_y":0.2}`:  "swipe",
		`{"type":"swipe","x":0,"y":0,"to_x":1,"to_y":1,"ms":300}`: "swipe",
	} {
		a := touch(body)
		require.Equal(t, 200, a.status, "%s: %s", body, a.text)
		all := g.hands.phone.Touches()
		require.Equal(t, verb, all[len(all)-1].Verb, body)
	}
	g.hands.phone.Set(devicetest.Change{Front: new("com.android.notes")})
	require.Equal(t, 200, touch(`{"type":"text","text":"a\"b\n你好 🙂"}`).status)
	require.Equal(t, "a\"b\n你好 🙂", g.hands.phone.Text())
	require.Equal(t, 200, touch(`{"type":"key","key":"home"}`).status)
	require.Equal(t, devicetest.HomeApp, g.hands.phone.Front())
	require.Contains(t, g.hands.kinds, "text by boss")

	before := len(g.hands.phone.Touches())
	for body, why := range map[string]string{
		``:                                 "empty",
		`{}`:                               "unknown type",
		`{"type":"tap"}`:                   `\"x\" and \"y\"`,
		`{"type":"tap","x":0.5}`:           `\"x\" and \"y\"`,
		`{"type":"tap","x":-1,"y":0.5}`:    "CLICK",
		`{"type":"tap","x":1e300,"y":0.5}`: "CLICK",
		`{"type":"tap","x":"0.5","y":0.5}`: "string",
		`{"type":"swipe","x":0.5,"y":0.5}`: `\"to_x\"`,
		`{"type":"swipe","x":0,"y":0,"to_x":1,"to_y":1,"ms":-5}`: `\"ms\" is -5`,
		`{"type":"tap","x":0.5,"y":0.5,"ms":-1}`:                 `\"ms\" is -1`,
		`{"type":"text"}`:                                        `\"text\"`,
		`{"type":"key","key":"rm -rf"}`:                          "HOT_KEY",
		`{"type":"tap","x":0.5,"y":0.5,"z":1}`:                   "z",
	} {
		a := touch(body)
		require.Equal(t, 400, a.status, "%s: %s", body, a.text)
		require.Contains(t, a.text, why, body)
	}
	require.Len(t, g.hands.phone.Touches(), before)

	g.hands.phone.Set(devicetest.Change{Gone: new(true)})
	a = touch(`{"type":"text","text":"swordfish"}`)
	require.Equal(t, 409, a.status)
	require.Contains(t, a.text, "NOT_CARRIED_OUT")
	require.NotContains(t, a.text, "swordfish")
}

func TestATakeoverBeginsAndEndsOverHTTP(t *testing.T) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Kind: inquiry.KindTakeover, Text: "Please log in."})
	a := g.post("/v1/sessions/"+q.SessionID+"/takeover", g.ann, "")
	require.Equal(t, 200, a.status, a.text)
	require.Equal(t, string(store.WaitingTakeover),
		a.json(t)["state"])
	for _, bad := range []string{`{"type":"shout"}`, `{"type":"answer"}`,
		`{"type":"done","response":{"a":1}}`} {
		require.Equal(t, 400, g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, bad).status, bad)
	}
	a = g.post("/v1/inquiries/"+q.ID+"/reply", g.ann, `{"type":"could_not","response":"no code"}`)
	require.Equal(t, 200, a.status, a.text)
	require.Contains(t, a.text, `"type":"could_not"`)
	plain := g.waiting("ann", inquiry.Question{})
	a = g.post("/v1/inquiries/"+plain.ID+"/reply", g.ann, `{"type":"done"}`)
	require.Equal(t, 400, a.status, "it is no take-over")
	now, err := g.broker.Get(t.Context(), plain.ID)
	require.NoError(t, err)
	require.True(t, now.Open())
}

func TestALivePictureEndsAtOnceWhenItsCredentialIsRevoked(t *testing.T) {
	changed := make(chan struct{})
	var revoked atomic.Bool
	g := newRig(t, func(o *web.Options) {
		authorize := o.Authorize
		o.Changed = func() <-chan struct{} { return changed }
		o.Authorize = func(r *http.Request) (string, error) {
			if revoked.Load() {
				return "", errors.New("revoked")
			}
			return authorize(r)
		}
	})
	parts, end := g.look(g.boss)
	defer end()
	shot(t, parts)
	revoked.Store(true)
	began := time.Now()
	close(changed)
	_, err := parts.NextRawPart()
	require.Error(t, err)
	require.Less(t, time.Since(began), 15*time.Second, "not with the next sign")
}
