package notify_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/patient"
)

// The example's keys of RFC 8291, section 5.
const (
	p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	auth   = "BTBZMqHH6r4Tts7J_aSIgg"
)

// A browser that subscribes while the server runs hears of what is asked from then on, and one
// that its push service does not know any more is forgotten.
func TestABrowserIsToldUntilItsServiceForgetsIt(t *testing.T) {
	status, sent := make(chan int, 9), make(chan string, 9)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent <- r.URL.Path
		w.WriteHeader(<-status)
	}))
	t.Cleanup(s.Close)
	browsers := push.Open(filepath.Join(t.TempDir(), "push.json"))
	w := newFixture(t, notify.Options{Browsers: browsers})
	w.begin()
	w.ask("before anybody listened")
	for at := time.Now().UnixMilli(); time.Now().UnixMilli() == at; { // until a later time is kept
		runtime.Gosched()
	}
	var one push.Subscription
	one.Endpoint, one.Keys.P256dh, one.Keys.Auth = s.URL+"/one", p256dh, auth
	require.NoError(t, browsers.Add(one))
	status <- http.StatusCreated
	w.ask("one")
	require.Equal(t, "/one", <-sent)
	status <- http.StatusNotFound
	w.ask("two")
	require.Equal(t, "/one", <-sent)
	patient.Until(t, func() bool {
		list, err := browsers.List()
		return err == nil && len(list) == 0
	})
	w.end()
	require.Empty(t, sent)
}
