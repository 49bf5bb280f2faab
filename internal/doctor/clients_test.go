package doctor_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/sandbox"
)

// mcpServer takes one token, and answers a HEAD as the server does.
func mcpServer(t *testing.T, token string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		case token != "" && r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// at is a client's settings of a server at an address, with a token if there is one.
func at(url, token string) string {
	headers := ""
	if token != "" {
		headers = fmt.Sprintf(`, "headers": {"authorization": "Bearer %s"}`, token)
	}
	return fmt.Sprintf(`{"mcpServers": {"taploop": {"url": %q%s}}}`, url, headers)
}

// silent is an address that takes what connects, and answers nothing.
func silent(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return "http://" + ln.Addr().String() + "/mcp"
}

// A client that uses an address is set up when a server answers there that takes its token. Where
// the token is not known here, the answer says nothing about it.
func TestAClientThatUsesAnAddressIsAskedFor(t *testing.T) {
	right := mcpServer(t, "right-token-12345")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}))
	t.Cleanup(page.Close)
	for name, c := range map[string]struct {
		settings string
		want     []string
		says     string
	}{
		"open":        {settings: at(mcpServer(t, ""), "")},
		"the token":   {settings: at(right, "right-token-12345")},
		"a variable":  {settings: at(right, "${env:TAPLOOP_TOKEN}")},
		"another one": {settings: at(right, "${OTHER_TOKEN}")},
		"asked for":   {settings: at(right, "${input:taploop-token}")},
		"a wrong one": {at(right, "wrong-token-12345"), []string{"client.refused"}, "401"},
		"none":        {at(right, ""), []string{"client.refused"}, "401"},
		"no server": {at("http://"+closedPort(t)+"/mcp", ""), []string{"client.address"},
			"connection refused"},
		"another path": {at(right+"s", ""), []string{"client.address"}, "404"},
		"a web page":   {at(page.URL, ""), []string{"client.address"}, "text/html"},
		"no port": {at("http://anna:hush@127.0.0.1:port/mcp", ""), []string{"client.address"},
			"port"},
		"no address": {at("127.0.0.1:8702/mcp", ""), []string{"client.address"}, "127.0.0.1:8702"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetUp(t, small(sandbox.Options{}))
			s.token = "right-token-12345"
			settings(c.settings)(t, s)
			r := doctor.Run(t.Context(), s.options(t))
			require.Equal(t, c.want, troubles(r), "%+v", r)
			require.True(t, r.OK)
			require.Contains(t, r.Findings[0].Says, c.says)
			require.NotRegexp(t, "hush|-token-12345", fmt.Sprint(r.Findings))
		})
	}
}

// Several clients of one server that is away are one finding, and what is in front of the token and
// the host in the address is not told.
func TestAServerThatIsAwayIsOneFindingForAllItsClients(t *testing.T) {
	s := newSetUp(t, small(sandbox.Options{}))
	away := "http://anna:hush@" + closedPort(t) + "/mcp"
	settings(at(away, ""))(t, s)
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, ".codex"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, ".codex", "config"+".toml"),
		[]byte("[mcp_servers.taploop]\nurl = \""+away+"\"\nbearer_token_env_var = \"NONE\"\n"), 0o600))
	r := doctor.Run(t.Context(), s.options(t))
	require.Equal(t, []string{"client.address"}, troubles(r), "%+v", r)
	require.Contains(t, r.Findings[0].Says, "Cursor, Codex")
	require.NotContains(t, fmt.Sprint(r.Findings), "hush")
	require.Equal(t, []string{away, away}, r.Clients, "for the page")
}

// What has the server's address answers its clients otherwise, which is not their fault.
func TestAnAddressThatIsTakenIsNoFaultOfItsClients(t *testing.T) {
	s := newSetUp(t, small(sandbox.Options{}))
	taken := talker(t)
	s.opts.HTTP = &doctor.HTTP{Addr: taken, Open: true}
	settings(at("http://"+taken+"/mcp", ""))(t, s)
	require.Equal(t, []string{"http.taken"}, troubles(doctor.Run(t.Context(), s.options(t))))
}
