package serve

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/token"
)

func TestWhereOthersCanReachTheServerEveryRequestNeedsAToken(t *testing.T) {
	g := &authenticator{tokens: token.Open(filepath.Join(t.TempDir(), "tokens.json"))}
	require.ErrorContains(t, g.check("192.168.1.5:8702"), "there is no token yet")
	secret, info, err := g.tokens.Create("phone-room", false)
	require.NoError(t, err)
	require.NoError(t, g.check("192.168.1.5:8702"))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	_, err = g.authorize(r)
	require.ErrorIs(t, err, errNoToken)
	r.Header.Set("Authorization", "Bearer "+secret)
	who, err := g.authorize(r)
	require.NoError(t, err)
	require.Equal(t, info.Name, who)
	r.Header.Add("Authorization", "Bearer other")
	_, err = g.authorize(r)
	require.ErrorIs(t, err, errNoToken, "two of them are none")

	_, err = g.tokens.Revoke("phone-room")
	require.NoError(t, err)
	_, err = g.authorize(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil))
	require.ErrorIs(t, err, errNoToken, "the last token is gone, and no client may come in")
}
