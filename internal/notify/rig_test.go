package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/patient"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func at(base string) func() string { return func() string { return base } }

// fixture is a broker whose questions are told of.
type fixture struct {
	t      testing.TB
	store  *inquirytest.Memory
	broker *inquiry.Broker
	opts   notify.Options
	end    func() // of the notifier and of the broker's sweeps
	tell   func(notify.Notice)
}

func newFixture(t testing.TB, opts notify.Options) *fixture {
	w := &fixture{t: t, store: new(inquirytest.Memory), opts: opts}
	w.opts.Ledger = new(memory)
	return w
}

// begin starts a broker and a notifier, as a process does.
func (w *fixture) begin() {
	w.t.Helper()
	w.broker = inquiry.NewBroker(w.store, nil)
	w.opts.Questions = w.broker
	n, err := notify.New(&w.opts)
	require.NoError(w.t, err)
	w.tell = n.Tell
	ended := errors.New("the test ends")
	ctx, cancel := context.WithCancelCause(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.broker.Run(ctx, nil) })
	wg.Go(func() { require.ErrorIs(w.t, n.Run(ctx), ended) })
	w.end = sync.OnceFunc(func() { cancel(ended); wg.Wait() })
	w.t.Cleanup(w.end)
}

func (w *fixture) ask(text string) inquiry.Question {
	w.t.Helper()
	return w.open(inquiry.Question{Text: text})
}

func (w *fixture) open(q inquiry.Question) inquiry.Question {
	w.t.Helper()
	q, err := w.broker.Open(w.t.Context(), q)
	require.NoError(w.t, err)
	return q
}

func (w *fixture) answer(q inquiry.Question, text string) {
	w.t.Helper()
	_, err := w.broker.Resolve(w.t.Context(), q.ID,
		inquiry.Reply{Response: text, Channel: "page", Authority: "human_token", By: "laptop"})
	require.NoError(w.t, err)
}

// note is a delivery as a receiver has it.
type note struct {
	id, at string
	body   string
	header http.Header
	Type   string
	Data   struct {
		QuestionID string `json:"question_id"`
		Text       string
		Status     string
		URL        string
		Resolution map[string]any
	}
}

// receiver is an HTTP server that takes what is signed rightly.
type receiver struct {
	t    testing.TB
	url  string
	got  chan note // what it has taken
	seen chan note // every attempt
	// what it does to the nth request, from 1; false: it answers nothing more
	mood func(w http.ResponseWriter, n int) bool

	mu sync.Mutex
	n  int
}

func newReceiver(t testing.TB, mood func(http.ResponseWriter, int) bool) *receiver {
	r := &receiver{t: t, got: make(chan note, 1000), seen: make(chan note, 1000), mood: mood}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.url = s.URL + "/hush-path"
	return r
}

func (r *receiver) hook() notify.Webhook { return notify.Webhook{URL: r.url, Secret: secret} }

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	x := note{id: req.Header.Get("webhook-id"), at: req.Header.Get("webhook-timestamp"),
		body: string(b), header: req.Header}
	if req.Method != http.MethodPost || !signed(req.Header.Get("webhook-signature"), x) ||
		json.Unmarshal(b, &x) != nil {
		r.t.Errorf("a request that is not signed, or no JSON: %s %s", req.Method, b)
		return
	}
	r.mu.Lock()
	r.n++
	n := r.n
	r.mu.Unlock()
	r.seen <- x
	if r.mood != nil && !r.mood(w, n) {
		return
	}
	r.got <- x
}

// signed verifies as the specification says, from its words alone.
func signed(signature string, x note) bool {
	at, err := strconv.ParseInt(x.at, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, x.id+"."+x.at+"."+x.body)
	given, ok := strings.CutPrefix(signature, "v1,")
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return ok && hmac.Equal([]byte(given), []byte(want))
}

// next waits for what comes out of the channel.
func next(t testing.TB, ch <-chan note) note {
	t.Helper()
	select {
	case x := <-ch:
		return x
	case <-time.After(patient.Lid):
		require.FailNow(t, "nothing is told")
		return note{}
	}
}

// status is a mood: the first n requests get this status.
func status(code, n int, header ...string) func(http.ResponseWriter, int) bool {
	return func(w http.ResponseWriter, i int) bool {
		if i > n {
			return true
		}
		for k := 0; k+1 < len(header); k += 2 {
			w.Header().Set(header[k], header[k+1])
		}
		w.WriteHeader(code)
		return false
	}
}
