package upstream

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

// A redirect within the origin is followed with its method, body and headers. One that leads
// elsewhere is named and not followed: the headers may be secret.
func TestARedirectIsFollowedWithinTheOriginOnly(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it was asked")
	}))
	defer elsewhere.Close()
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/mcp/")
			w.WriteHeader(status)
		})
		mux.HandleFunc("POST /mcp/", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, r.Body)
			_, _ = io.WriteString(w, r.Header.Get("Authorization"))
		})
		mux.HandleFunc("POST /away", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL+"/mcp")
			w.WriteHeader(status)
		})
		s := httptest.NewServer(mux)
		to := func(path string) *remote {
			c := open(t.Context(), &Target{URL: s.URL + path,
				Headers: map[string]string{"Authorization": "Bearer t"}}, Limits{Line: 1 << 20},
				text.Mask{}, nil).(*remote)
			t.Cleanup(c.Close)
			return c
		}
		m := Request([]byte(`"1"`), "tools/call", []byte(`{"name":"x"}`))
		resp, err := to("/mcp").post(t.Context(), m)
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.Contains(t, string(got), `{"name":"x"}`)
		require.Contains(t, string(got), "Bearer t")
		err = to("/away").exchange(t.Context(), m)
		require.ErrorContains(t, err, "it redirects to \""+elsewhere.URL+"/mcp\"")
		s.Close()
	}
}
