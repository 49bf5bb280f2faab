package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
)

// remote is a farm whose phones another machine shows. Its mark stands for the one of the store.
type remote struct {
	yard
	mu sync.Mutex
	at string
}

func (f *remote) Away(ctx, string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, nil
}

func (f *remote) Sign(text string) []byte {
	sum := sha256.Sum256([]byte("the key" + text))
	return sum[:]
}

// Lend lends one that says everything twice, to the machine W.
func (f *remote) Lend(_ ctx, phone, worker string) (io.ReadWriteCloser, error) {
	if phone+" "+worker != "A/1 W" {
		return nil, runs.Refuse(runs.DeviceBusy, "wait", "phone %s is not leased to %s", phone, worker)
	}
	here, there := net.Pipe()
	go func() {
		b := make([]byte, 4)
		_, err := io.ReadFull(there, b)
		for ; err == nil; _, err = io.ReadFull(there, b) {
			_, _ = there.Write(append(b, b...))
		}
	}()
	return here, nil
}

// tasksElsewhere are those of a front: a run that goes on is another machine's.
type tasksElsewhere struct{ web.Tasks }

func (tasksElsewhere) Stop(ctx, *usecase.Call, usecase.Stop) (*usecase.Outcome, error) {
	return nil, runs.Refuse(runs.RunInProgress, "stop it there", "another process carries it out")
}

// newFront is a server without phones in front of the worker's.
func newFront(t *testing.T, worker *rig) (*rig, *remote) {
	far := &remote{at: worker.http.URL}
	front := newRig(t, func(o *web.Options) {
		o.Farm, o.Tasks = far, tasksElsewhere{o.Tasks}
		o.Phones = nil // whoever asks for one here panics
	})
	return front, far
}

func TestAFrontShowsAWorkersPhoneAndCarriesTouches(t *testing.T) {
	worker := newRig(t, func(o *web.Options) { o.Farm = &remote{} })
	front, far := newFront(t, worker)
	parts, end := front.look(front.boss)
	defer end()
	kind, screen, body := shot(t, parts)
	require.Equal(t, "image/jpeg", kind)
	require.Equal(t, "shown", screen)
	_, err := jpeg.Decode(bytes.NewReader(body))
	require.NoError(t, err)

	tap := func(token string) answer {
		return front.post("/v1/devices/A/input", token, `{"type":"tap","x":0.5,"y":0.25}`)
	}
	a := tap(front.boss)
	require.Equal(t, http.StatusConflict, a.status, "nobody has taken it over: %s", a.text)
	worker.hands.taken.Store(true)
	worker.hands.holder.Store("ann")
	for token, status := range map[string]int{front.boss: 200, front.kim: 200,
		front.ann: http.StatusForbidden, "": http.StatusUnauthorized} {
		require.Equal(t, status, tap(token).status)
	}
	require.ElementsMatch(t, []string{"tap by boss", "tap by kim"}, worker.hands.kinds)
	require.Len(t, worker.hands.phone.Touches(), 2)
	worker.hands.holder.Store("ben")
	require.Equal(t, http.StatusConflict, tap(front.kim).status, "kim is there for ann")
	require.Equal(t, 400, front.post("/v1/devices/A/input", front.boss, `{"type":"x"}`).status)

	_, err = token.In(front.store.Kept).Revoke("boss")
	require.NoError(t, err)
	for err == nil {
		_, err = parts.NextRawPart()
	}
	far.mu.Lock()
	far.at = "http://127.0.0.1:1"
	far.mu.Unlock()
	a = tap(front.kim)
	require.Equal(t, http.StatusNotFound, a.status)
	require.Contains(t, a.text, "farm.addr")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The proxies of the environment, which the default transport has, are not for what machines say to
// each other.
func TestMachinesSpeakWithoutProxies(t *testing.T) {
	worker := newRig(t, func(o *web.Options) { o.Farm = &remote{} })
	front, _ := newFront(t, worker)
	usual := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = usual })
	http.DefaultTransport = roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("a proxy")
	})
	worker.hands.taken.Store(true)
	a := front.post("/v1/devices/A/input", front.boss, `{"type":"tap","x":0.5,"y":0.25}`)
	require.Equal(t, http.StatusOK, a.status, a.text)
}

// A touch whose answer is lost may have been carried out: it is not said that it was not.
func TestATouchThatMayHaveReachedThePhoneIsNotSaidToHaveFailed(t *testing.T) {
	worker := newRig(t, func(o *web.Options) { o.Farm = &remote{} })
	front, _ := newFront(t, worker)
	worker.hands.taken.Store(true)
	tap := func(g *rig) answer {
		return g.post("/v1/devices/A/input", g.boss, `{"type":"tap","x":0.5,"y":0.25}`)
	}
	worker.hands.fails.Store(fmt.Errorf("typing: %w", context.DeadlineExceeded))
	for _, g := range []*rig{worker, front} {
		a := tap(g)
		require.Equal(t, http.StatusGatewayTimeout, a.status, a.text)
		require.Contains(t, a.text, "OUTCOME_UNKNOWN")
		require.Contains(t, a.text, "look")
	}
	worker.http.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	})
	a := tap(front)
	require.Equal(t, http.StatusGatewayTimeout, a.status, a.text)
	require.Contains(t, a.text, "OUTCOME_UNKNOWN")
}

func TestATakeoverReachesTheWorkerThatCarriesTheRunOut(t *testing.T) {
	worker := newRig(t, func(o *web.Options) { o.Farm = &remote{} })
	front, _ := newFront(t, worker)
	// both have one store in a farm
	path := "/v1/sessions/" + front.running("a task", 1).SessionID + "/takeover"
	var sent *http.Request
	worker.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Clone(t.Context())
		w.WriteHeader(http.StatusTeapot)
	})
	require.Equal(t, http.StatusTeapot, front.post(path, front.boss, "{}").status)
	require.Equal(t, path, sent.URL.Path)
	require.Empty(t, sent.Header.Get("Authorization"), "no token leaves the machine")

	// What one machine says is good for that request alone.
	var body io.Reader
	again := func(method, path string, edit func(h http.Header)) int {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, body)
		r.Header = sent.Header.Clone()
		edit(r.Header)
		w := httptest.NewRecorder()
		worker.web.ServeHTTP(w, r)
		_, err := io.Copy(io.Discard, w.Body)
		require.NoError(t, err)
		return w.Code
	}
	as := func(http.Header) {}
	require.Equal(t, http.StatusNotFound, again("POST", path, as), "it comes in")
	require.Equal(t, http.StatusUnauthorized, again("GET", path[:len(path)-len("/takeover")], as))
	require.Equal(t, http.StatusUnauthorized, again("POST", "/v1/farm/drain", as))
	require.Equal(t, http.StatusUnauthorized, again("POST", path+"?x=1", as))
	body = strings.NewReader("{}")
	require.Equal(t, http.StatusUnauthorized, again("POST", path, as))
	body = nil
	for _, wrong := range []string{"x", "e30=", "eyJ2aWV3ZXIiOnsiQWxsIjp0cnVlfX0="} {
		require.Equal(t, http.StatusUnauthorized,
			again("POST", path, func(h http.Header) { h.Set("X-Taploop-For", wrong) }))
	}
}

// A machine lends its ADB server to another one that has leased the phone, and to no one else.
func TestAnADBServerIsLentToMachinesAlone(t *testing.T) {
	worker := newRig(t, func(o *web.Options) { o.Farm = &remote{} })
	_, far := newFront(t, worker)
	borrow := func(id string, sign func(string) []byte) (net.Conn, error) {
		return web.Borrow(t.Context(), worker.http.URL, "A/1", id, sign)
	}
	for _, end := range []func(net.Conn){
		func(c net.Conn) { // as where a lease has lapsed
			require.NoError(t, c.(interface{ SetLinger(int) error }).SetLinger(0))
			require.NoError(t, c.Close())
		},
		func(net.Conn) { require.NoError(t, worker.web.Close()) },
	} {
		c, err := borrow("W", far.Sign)
		require.NoError(t, err)
		for range 3 {
			_, err = io.WriteString(c, "tap ")
			require.NoError(t, err)
			b := make([]byte, 8)
			_, err = io.ReadFull(c, b)
			require.NoError(t, err)
			require.Equal(t, "tap tap ", string(b))
		}
		end(c)
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
	}
	for id, sign := range map[string]func(string) []byte{"X": far.Sign,
		"W": func(string) []byte { return []byte("x") }} {
		_, err := borrow(id, sign)
		require.ErrorContains(t, err, "refuses (4", id)
	}
	for token, status := range map[string]int{worker.boss: http.StatusForbidden,
		worker.ann: http.StatusForbidden, "": http.StatusUnauthorized} {
		require.Equal(t, status, worker.get("/machines/phones/A%2F1?worker=W", token).status)
	}
	_, err := web.Borrow(t.Context(), "http://127.0.0.1:1", "A/1", "W", far.Sign)
	require.ErrorContains(t, err, "farm.addr")
	require.NotErrorAs(t, err, new(*net.OpError), "it is not the ADB server that does not listen")
}
