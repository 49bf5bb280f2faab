package serve

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
)

// asking is a request with the token.
func asking(t *testing.T, secret string) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	return r
}

func TestATokenMaySendAsManyRequestsAsItsRateSays(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		g := &authenticator{tokens: tokensOf(t, dir)}
		slow, info, err := g.tokens.Create(token.Limits{Rate: "3/m"}, "slow", false)
		require.NoError(t, err)
		free, _, err := g.tokens.Create(token.Limits{}, "free", false)
		require.NoError(t, err)
		served := g.limited(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}))
		scrape := asking(t, slow)
		scrape.URL.Path = "/metrics"
		for range 5 { // counts as a use, and not against the rate
			served.ServeHTTP(httptest.NewRecorder(), scrape)
		}
		require.Equal(t, map[string]time.Time{info.ID: time.Now()}, g.uses.unstored())
		get := func(secret string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			served.ServeHTTP(w, asking(t, secret))
			return w
		}
		for range 3 {
			require.Equal(t, http.StatusNoContent, get(slow).Code)
		}
		w := get(slow)
		require.Equal(t, http.StatusTooManyRequests, w.Code)
		require.Equal(t, "20", w.Header().Get("Retry-After"))
		require.Contains(t, w.Header().Get("Content-Type"), "application/json")
		require.Contains(t, w.Body.String(),
			`{"error":{"code":"RATE_LIMIT","mend":"wait as long as Retry-After says`)
		require.Contains(t, w.Body.String(), "the token slow may send 3/m requests")
		probe, alive := asking(t, slow), httptest.NewRecorder()
		probe.URL.Path = "/healthz"
		served.ServeHTTP(alive, probe)
		require.Equal(t, http.StatusNoContent, alive.Code, "health is told whoever asks")
		chat := asking(t, slow)
		chat.URL.Path = "/v1/chat/completions"
		spoken := httptest.NewRecorder()
		served.ServeHTTP(spoken, chat)
		require.Equal(t, http.StatusTooManyRequests, spoken.Code)
		require.Contains(t, spoken.Body.String(),
			`"code":"RATE_LIMIT","message":"the token slow may send 3/m requests (wait`)
		require.Contains(t, spoken.Body.String(), `"param":null,"type":"rate_limit_error"}}`)
		require.NotContains(t, w.Body.String(), slow)
		require.Equal(t, http.StatusNoContent, get(free).Code, "another token's rate is its own")
		require.Equal(t, http.StatusNoContent, get("unknown").Code, "whoever serves it refuses it")
		time.Sleep(20 * time.Second)
		require.Equal(t, http.StatusNoContent, get(slow).Code)
		require.Equal(t, http.StatusTooManyRequests, get(slow).Code)
		time.Sleep(time.Hour)
		for range 3 {
			require.Equal(t, http.StatusNoContent, get(slow).Code)
		}
		require.Equal(t, http.StatusTooManyRequests, get(slow).Code, "an hour saves no more up")

		require.NoError(t, g.tokens.NoteUsed(g.uses.unstored()))
		require.Equal(t, time.Now().UTC(), g.tokens.LastUsed()[info.ID])
		require.Empty(t, g.uses.unstored())
	})
}

// What a token's rate refuses is counted under the route that it was for.
func TestARequestOverTheRateCountsUnderItsRoute(t *testing.T) {
	g := &authenticator{tokens: tokensOf(t, storetest.Dir(t))}
	slow, _, err := g.tokens.Create(token.Limits{Rate: "1/h"}, "slow", false)
	require.NoError(t, err)
	inner, mux := http.NewServeMux(), http.NewServeMux()
	inner.HandleFunc("POST /v1/sessions/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/v1/", visited{inner, &calls{}})
	mux.HandleFunc("/mcp", func(http.ResponseWriter, *http.Request) {})
	var log strings.Builder
	h := counted(g.limited(mux), NewCounters(), logs.New(&log, "", slog.LevelInfo))
	for _, path := range []string{"/mcp", "/mcp", "/v1/sessions/one", "/nowhere"} {
		r := asking(t, slow)
		r.URL.Path = path
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	require.Contains(t, log.String(), "route=/mcp code=429")
	require.Contains(t, log.String(), "route=/v1/sessions/{id} code=429")
}

func TestWhoListensLearnsThatATokenExpires(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		g := &authenticator{tokens: tokensOf(t, dir)}
		secret, _, err := g.tokens.Create(
			token.Limits{Expires: time.Now().Add(time.Hour)}, "short", false)
		require.NoError(t, err)
		stop := g.watch(t.Context(), dir, func(err error) { t.Error(err) })
		defer stop()
		time.Sleep(time.Second)
		changed := g.changes.Next()
		who, err := g.authorize(asking(t, secret))
		require.NoError(t, err)
		require.Equal(t, "short", who)
		time.Sleep(time.Hour - time.Second - time.Millisecond)
		select {
		case <-changed:
			t.Fatal("it is good still")
		default:
		}
		time.Sleep(2 * time.Millisecond)
		<-changed
		_, err = g.authorize(asking(t, secret))
		require.ErrorIs(t, err, errExpired)
	})
}

func TestLimitsThatCannotBeAreRefused(t *testing.T) {
	s := tokensOf(t, storetest.Dir(t))
	for _, rate := range []token.Rate{"60", "60/d", "0/m", "-1/s", "x/m", "1e9/s", "9999999/s"} {
		_, _, err := s.Create(token.Limits{Rate: rate}, "a", false)
		require.ErrorContains(t, err, "is no rate", rate)
	}
	_, _, err := s.Create(token.Limits{Expires: time.Now()}, "a", false)
	require.ErrorContains(t, err, "expired already")
}
