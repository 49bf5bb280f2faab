package world_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/lab/world"
)

func TestAWorldIsAKindAndAnAddress(t *testing.T) {
	for spec, says := range map[string]string{
		"":                              "has no address",
		"androidworld":                  "has no address",
		"androidworld=127.0.0.1:5000":   "has no address",
		"mobileworld=file:///etc":       "has no address",
		"mobileworld=http://":           "has no address",
		"otherworld=http://127.0.0.1:1": `no kind of world "otherworld" (want androidworld or mobileworld)`,
	} {
		_, err := world.Open(spec, 0)
		require.ErrorContains(t, err, says, spec)
	}
}

// What a server answers that is none of these is an error, and never a score.
func TestNoAnswerIsNoScore(t *testing.T) {
	answer, status := "", http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	for _, kind := range []string{"androidworld", "mobileworld"} {
		w, err := world.Open(kind+"="+s.URL+"/", 7)
		require.NoError(t, err)
		status = http.StatusOK
		for _, answer = range []string{"", "{}", "[]", "null", "<html>", `{"score": "1"}`,
			`{"score": 2}`, `{"score": -1}`, `{"score": null}`} {
			_, _, err = w.Score(t.Context(), "T", 0)
			require.Error(t, err, "%s: %s", kind, answer)
		}
		for body, want := range map[string]float64{`{"score": 0.5}`: 0.5, `{"score": true}`: 1,
			`{"score": false, "reason": 3}`: 0} {
			answer = body
			score, _, err := w.Score(t.Context(), "T", 0)
			require.NoError(t, err)
			require.InDelta(t, want, score, 0)
		}
		answer, status = `{"detail": "Device is not healthy"}`, http.StatusInternalServerError
		_, _, err = w.Score(t.Context(), "T", 0)
		require.ErrorContains(t, err, "500 Internal Server Error")
		require.ErrorContains(t, err, "Device is not healthy")
		require.Error(t, w.End(t.Context(), "T", 0))
	}
}
