package notify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/notify"
)

// wire is the network of a bubble: it notes when each request came, and answers as the test wants.
type wire struct {
	answer func(n int, r *http.Request) (*http.Response, error)

	mu     sync.Mutex
	at     []time.Time
	ids    []string
	header []http.Header
	bodies []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.at = append(w.at, time.Now())
	w.ids = append(w.ids, r.Header.Get("webhook-id"))
	w.header = append(w.header, r.Header)
	w.bodies = append(w.bodies, string(b))
	n := len(w.at)
	w.mu.Unlock()
	if w.answer == nil {
		return says(200), nil
	}
	return w.answer(n, r)
}

func says(code int, header ...string) *http.Response {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
	for k := 0; k+1 < len(header); k += 2 {
		r.Header.Set(header[k], header[k+1])
	}
	return r
}

// pauses are the times between the requests.
func (w *wire) pauses() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var d []time.Duration
	for i := 1; i < len(w.at); i++ {
		d = append(d, w.at[i].Sub(w.at[i-1]))
	}
	return d
}

func (w *wire) count() int { w.mu.Lock(); defer w.mu.Unlock(); return len(w.at) }

var hooked = []notify.Webhook{{URL: "https://hooks.example/hush", Secret: secret}}

// bubble runs f with a notifier over the wire, in a time of its own.
func bubble(t *testing.T, o notify.Options, x *wire, f func(t *testing.T, w *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Transport = x
		w := newFixture(t, o)
		w.begin()
		defer w.end()
		f(t, w)
	})
}

// lasting is a question that stays open for long.
func lasting(text string) inquiry.Question {
	now := time.Now()
	return inquiry.Question{Text: text, AttentionUntil: now.Add(240 * time.Hour),
		ExpiresAt: now.Add(480 * time.Hour)}
}

func TestPausesGrowUntilAMessageIsGivenUp(t *testing.T) {
	x := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		return nil, errors.New("connection refused")
	}}
	var log bytes.Buffer
	bubble(t, notify.Options{Webhooks: hooked, Log: slog.New(slog.NewTextHandler(&log, nil))}, x,
		func(t *testing.T, w *fixture) {
			w.open(lasting("which?"))
			time.Sleep(100 * time.Hour)
			w.end()
			want := time.Second
			for i, d := range x.pauses() {
				require.GreaterOrEqual(t, d, time.Duration(0.74*float64(want)), "pause %d", i)
				require.LessOrEqual(t, d, time.Duration(1.26*float64(want)), "pause %d", i)
				want = min(2*want, 10*time.Minute)
			}
			require.Greater(t, x.count(), 100)
			require.Less(t, x.at[len(x.at)-1].Sub(x.at[0]), 24*time.Hour,
				"then nobody is there any more")
			require.Greater(t, x.at[len(x.at)-1].Sub(x.at[0]), 23*time.Hour)
			require.Equal(t, 1, strings.Count(log.String(), "is given up"), log.String())
			require.Equal(t, 1, strings.Count(log.String(), "did not get through"))
			require.NotContains(t, log.String(), "hush", "an address may be a secret")
		})
}

func TestJitterKeepsEndpointsThatFailedTogetherApart(t *testing.T) {
	x := &wire{answer: func(int, *http.Request) (*http.Response, error) { return says(503), nil }}
	bubble(t, notify.Options{Webhooks: append(hooked,
		notify.Webhook{URL: "https://hooks.example/y", Secret: secret})}, x,
		func(t *testing.T, w *fixture) {
			w.open(lasting("which?"))
			time.Sleep(time.Hour)
			w.end()
			together := 0
			for _, d := range x.pauses() {
				if d == 0 {
					together++
				}
			}
			require.Equal(t, 1, together, "the first time only")
		})
}

func TestAnEndpointSaysWhenItWantsToBeAskedAgain(t *testing.T) {
	for header, want := range map[string]time.Duration{"90": 90 * time.Second, "86400": time.Hour} {
		x := &wire{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return says(429, "Retry-After", header), nil
			}
			return says(204), nil
		}}
		bubble(t, notify.Options{Webhooks: hooked}, x, func(t *testing.T, w *fixture) {
			w.open(lasting("one"))
			w.open(lasting("two"))
			time.Sleep(2 * time.Hour)
			require.Equal(t, []time.Duration{want, 0}, x.pauses(), "nor with another message")
		})
	}
}

func TestAnAttemptTakesTenSecondsAtMost(t *testing.T) {
	x := &wire{}
	x.answer = func(n int, r *http.Request) (*http.Response, error) {
		if n > 1 {
			return says(200), nil
		}
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	bubble(t, notify.Options{Webhooks: hooked}, x, func(t *testing.T, w *fixture) {
		w.open(lasting("which?"))
		time.Sleep(time.Minute)
		require.Equal(t, 2, x.count())
		require.InDelta(t, 11, x.pauses()[0].Seconds(), 0.3)
	})
}

func TestAMessageThatNobodyTakesDoesNotHoldUpTheOthers(t *testing.T) {
	x := &wire{}
	x.answer = func(_ int, r *http.Request) (*http.Response, error) {
		if strings.Contains(r.Header.Get("webhook-id"), "_created") {
			return says(400), nil
		}
		return says(200), nil
	}
	bubble(t, notify.Options{Webhooks: hooked}, x, func(t *testing.T, w *fixture) {
		for i := range 3 {
			w.open(lasting(fmt.Sprint(i)))
		}
		synctest.Wait()
		require.Equal(t, 3, x.count(), "each of them was tried at once")
	})
}

func TestAQueueIsBoundedAndNoOpenQuestionIsForgotten(t *testing.T) {
	var up atomic.Bool
	x := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		if !up.Load() {
			return says(500), nil
		}
		return says(200), nil
	}}
	var log bytes.Buffer
	bubble(t, notify.Options{Webhooks: hooked, Queue: 10, LastWait: time.Minute,
		Log: slog.New(slog.NewTextHandler(&log, nil))}, x, func(t *testing.T, w *fixture) {
		want := map[string]bool{}
		for i := range 35 {
			want["msg_"+w.open(lasting(fmt.Sprint(i))).ID+"_created"] = true
			synctest.Wait()
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		failed := x.count()
		up.Store(true)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		told := map[string]bool{}
		for _, id := range x.ids[failed:] {
			require.False(t, told[id], "told twice")
			told[id] = true
		}
		require.Equal(t, want, told)
		w.end()
		require.Contains(t, log.String(), "too many notifications wait")
		require.NotContains(t, log.String(), "level=ERROR")
	})
}

func TestMessagesAboutOneQuestionKeepTheirOrder(t *testing.T) {
	x := &wire{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			return says(404), nil
		}
		return says(200), nil
	}}
	bubble(t, notify.Options{Webhooks: hooked}, x, func(t *testing.T, w *fixture) {
		q := w.open(lasting("which?"))
		synctest.Wait()
		w.answer(q, "x")
		time.Sleep(time.Minute)
		synctest.Wait()
		created := "msg_" + q.ID + "_created"
		require.Equal(t, []string{created, created, "msg_" + q.ID + "_resolved"}, x.ids)
	})
}

func TestNtfyPushesAQuestionAndPressesWhenNobodyCame(t *testing.T) {
	x := &wire{}
	o := notify.Options{Ntfy: notify.Ntfy{URL: "https://ntfy.example/topic", Token: "tk_1"},
		BaseURL: at("https://phones.example")}
	bubble(t, o, x, func(t *testing.T, w *fixture) {
		q := w.ask("Which size?\x00\x1b[2J\xe2\x80\xae 鞋码?")
		time.Sleep(9 * time.Minute)
		require.Equal(t, 1, x.count())
		time.Sleep(2 * time.Minute)
		require.Equal(t, 2, x.count())
		w.answer(q, "42")
		time.Sleep(time.Hour)
		require.Equal(t, 2, x.count(), "the end of a question needs no push")
		var words mime.WordDecoder
		for i, want := range []struct {
			title,
			priority string
		}{{"A question waits for you", "default"},
			{"A question still waits for you", "high"}} {
			title, err := words.DecodeHeader(x.header[i].Get("Title"))
			require.NoError(t, err)
			require.Contains(t, title, want.title)
			require.Contains(t, title, "问题")
			require.Equal(t, want.priority, x.header[i].Get("Priority"))
			require.Equal(t, "https://phones.example/ui#question="+q.ID, x.header[i].Get("Click"))
			require.Equal(t, "Bearer tk_1", x.header[i].Get("Authorization"))
			require.NotEmpty(t, x.header[i].Get("Tags"))
			require.Equal(t, "Which size?[2J 鞋码?", x.bodies[i], "nothing but what can be read")
		}
	})
}

func TestNobodyIsCalledToAQuestionThatIsSettled(t *testing.T) {
	var up atomic.Bool
	x := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		if !up.Load() {
			return says(500), nil
		}
		return says(200), nil
	}}
	o := notify.Options{Ntfy: notify.Ntfy{URL: "https://ntfy.example/topic"}, HideText: true}
	bubble(t, o, x, func(t *testing.T, w *fixture) {
		settled, open := w.open(lasting("hush 1")), w.open(lasting("hush 2"))
		time.Sleep(time.Minute)
		w.answer(settled, "x")
		synctest.Wait()
		failed := x.count()
		up.Store(true)
		time.Sleep(time.Hour)
		require.Equal(t, failed+1, x.count(), "only of %s", open.ID)
		require.NotContains(t, strings.Join(x.bodies, " "), "hush")
	})
}

// Of several servers of a data folder one sends, also what the others tell.
func TestWhatAnotherServerTellsIsSent(t *testing.T) {
	x := new(wire)
	o := notify.Options{Webhooks: hooked, Events: []string{notify.PhoneLost}}
	bubble(t, o, x, func(t *testing.T, w *fixture) {
		var log bytes.Buffer
		o := w.opts
		o.Log, o.Queue = slog.New(slog.NewTextHandler(&log, nil)), 2
		other, err := notify.New(&o)
		require.NoError(t, err)
		about := notify.Notice{Event: notify.PhoneLost, At: time.Now(), Serial: "A"}
		other.Tell(about)
		time.Sleep(time.Minute)
		require.Equal(t, 1, x.count(), "within a minute, and once")
		for i := range 9 {
			about.Serial, about.At = fmt.Sprint(i), time.Now()
			other.Tell(about)
		}
		time.Sleep(time.Minute)
		require.Equal(t, 10, x.count())

		about.Serial, about.At = "B", time.Now()
		w.tell(about)
		synctest.Wait()
		require.Equal(t, 11, x.count(), "its own at once")
		time.Sleep(time.Hour)
		require.Equal(t, 11, x.count())

		// the next one takes its turn
		w.end()
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() { ended <- other.Run(ctx) }()
		other.Tell(notify.Notice{Event: notify.PhoneLost, At: time.Now(), Serial: "C"})
		synctest.Wait()
		require.Equal(t, 12, x.count())
		require.Empty(t, log.String(), "nothing waits where nobody sends")
		cancel(nil)
		<-ended
	})
}
