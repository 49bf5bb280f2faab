package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/token"
)

// tokensOf are those of a folder whose store is closed at the end of the test.
func tokensOf(t *testing.T, dir string) *token.Store {
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	tokens, err := Tokens(dir, db)
	require.NoError(t, err)
	return tokens
}

func TestWhereOthersCanReachTheServerEveryRequestNeedsAToken(t *testing.T) {
	g := &authenticator{tokens: tokensOf(t, storetest.Dir(t))}
	require.ErrorContains(t, g.check("192.168.1.5:8702"), "there is no token yet")
	secret, info, err := g.tokens.Create(token.Limits{}, "phone-room", false)
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

func TestTokensThatCannotBeReadLetNobodyIn(t *testing.T) {
	dir := storetest.Dir(t)
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer db.Close()
	g := &authenticator{tokens: token.In(db.Kept), open: true}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	_, err = g.authorize(r)
	require.NoError(t, err, "there are none")
	require.NoError(t, db.Kept.Change("tokens",
		func(json.RawMessage) (json.RawMessage, error) { return []byte("{"), nil }))
	_, err = g.authorize(r)
	require.ErrorIs(t, err, errTokens)
}
