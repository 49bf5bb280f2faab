package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

// check is how one thing that a server needs is.
type check struct {
	OK   bool   `json:"ok"`
	Says string `json:"says,omitempty"` // the fault, without names and paths
	Took int64  `json:"took_ms"`
}

// readiness is the answer to GET /readyz.
type readiness struct {
	OK     bool             `json:"ok"`
	Checks map[string]check `json:"checks"`

	at time.Time
}

// checkTime is how long each check may take, and freshness how long its result is good for:
// whoever can reach the server can ask.
const (
	checkTime = 3 * time.Second
	freshness = time.Second
)

// health answers whether a server lives, and whether it can do its work. Neither needs a token, as
// what starts and stops servers has none.
type health struct {
	store    func(context.Context) error // makes it take a write
	pictures func(context.Context) error // makes it take a picture
	bucket   bool                        // pictures are elsewhere
	adb      func(context.Context) error // makes the ADB server answer
	draining func() bool                 // no runs are begun any more

	mu   sync.Mutex
	last readiness
}

// healthy answers GET /healthz: the process serves.
func (h *health) healthy(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, http.StatusOK, map[string]bool{"ok": true})
}

// ready answers GET /readyz.
func (h *health) ready(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	now := h.now(r.Context())
	if !now.OK {
		status = http.StatusServiceUnavailable
	}
	answerJSON(w, status, now)
}

// Alive asks the server that listens on addr whether it serves, as GET /healthz does.
func Alive(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	url := "http://" + Dialable(addr) + "/healthz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return hint.Add(fmt.Errorf("no server answers: %w", err),
			"http.addr (TAPLOOP_HTTP_ADDR) has to be the address of the server")
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s answers %s", addr, resp.Status)
	}
	return nil
}

func (h *health) now(ctx context.Context) readiness {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.at.IsZero() || time.Since(h.last.at) >= freshness {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
		defer cancel()
		var checking sync.WaitGroup
		var stored, drawn, adb check
		checking.Go(func() { stored = timed(ctx, h.store, storeSays) })
		checking.Go(func() { drawn = timed(ctx, h.pictures, picturesSay) })
		checking.Go(func() { adb = timed(ctx, h.adb, adbSays) })
		checking.Wait()
		h.last = readiness{at: time.Now(),
			Checks: map[string]check{"store": stored, "adb": adb}}
		if h.bucket {
			h.last.Checks["pictures"] = drawn
		}
	}
	drains := check{OK: !h.draining()}
	if !drains.OK {
		drains.Says = "the server ends"
	}
	now := readiness{OK: drains.OK, Checks: map[string]check{"draining": drains}}
	for name, c := range h.last.Checks {
		now.Checks[name], now.OK = c, now.OK && c.OK
	}
	return now
}

// timed carries a check out. One that does not return in time is left behind.
func timed(ctx context.Context, f func(context.Context) error, says func(error) string) check {
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- f(ctx) }() // ends with f
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c := check{OK: err == nil, Took: time.Since(began).Milliseconds()}
	if err != nil {
		c.Says = says(err)
	}
	return c
}

// storeSays are the words for an error of the store. Anybody may read them.
func storeSays(err error) string {
	known, is := errors.AsType[agentloop.Unavailable](err)
	switch {
	case is:
		return known.Error()
	case errors.Is(err, store.ErrReadOnly):
		return store.ErrReadOnly.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "it does not answer"
	}
	return "it takes no write; the server's log has more"
}

func picturesSay(error) string { return store.ErrPictures.Error() }

func adbSays(error) string { return "the ADB server does not answer" }

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // who asked may be gone
}

// asksHealth reports whether the request asks how the server is. It is answered whoever asks.
func asksHealth(r *http.Request) bool {
	return slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path)
}
