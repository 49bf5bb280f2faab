package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyWhatIsAddressedHereAndComesFromHereIsLetIn(t *testing.T) {
	const loopbackAddr, lanAddr = "127.0.0.1:8702", "192.168.1.5:8702"
	listed := &Options{Hosts: []string{"phone.example", "exact.example:8702"},
		Origins: []string{"https://app.example"}}
	for _, c := range []struct {
		name, local, host, origin string
		opts                      *Options
		ok                        bool
	}{
		{name: "loopback name", host: "localhost:8702", ok: true},
		{name: "loopback name in capitals", host: "LOCALHOST", ok: true},
		{name: "loopback address", host: "127.0.0.1:8702", ok: true},
		{name: "another loopback address", host: "127.9.9.9", ok: true},
		{name: "loopback IPv6", host: "[::1]:8702", ok: true},
		{name: "loopback IPv6 without port", host: "[::1]", ok: true},
		{name: "mapped loopback", host: "[::ffff:127.0.0.1]", ok: true},
		{name: "rebound name", host: "evil.example:8702"},
		{name: "name that begins like ours", host: "localhost.evil.example"},
		{name: "address that begins like ours", host: "127.0.0.1.evil.example"},
		{name: "address elsewhere", host: "192.168.1.5"},
		{name: "no host", host: ""},
		{name: "unspecified address", host: "0.0.0.0:8702"},
		{name: "listed name, any port", host: "phone.example:1234", opts: listed, ok: true},
		{name: "listed name and port", host: "EXACT.example:8702", opts: listed, ok: true},
		{name: "listed name, other port", host: "exact.example:1", opts: listed},
		{name: "address on the network", local: lanAddr, host: "192.168.1.5:8702", ok: true},
		{name: "rebound name on the network", local: lanAddr, host: "evil.example:8702"},
		{name: "listed name on the network", local: lanAddr, host: "phone.example", opts: listed,
			ok: true},

		{name: "page of this machine", host: "localhost", origin: "http://localhost:3000",
			ok: true},
		{name: "page of a loopback address", host: "localhost", origin: "https://127.0.0.1",
			ok: true},
		{name: "strange page", host: "localhost", origin: "https://evil.example"},
		{name: "page without an origin", host: "localhost", origin: "null"},
		{name: "file", host: "localhost", origin: "file://"},
		{name: "extension", host: "localhost", origin: "chrome-extension://localhost"},
		{name: "name in the user part", host: "localhost",
			origin: "https://localhost@evil.example"},
		{name: "user before ours", host: "localhost", origin: "https://evil@localhost"},
		{name: "listed origin", host: "localhost", origin: "https://app.example", opts: listed,
			ok: true},
		{name: "listed origin, other scheme", host: "localhost", origin: "http://app.example",
			opts: listed},
		{name: "listed origin, other port", host: "localhost", origin: "https://app.example:8443",
			opts: listed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/any/route", nil)
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.local == "" {
				c.local = loopbackAddr
			}
			local, err := net.ResolveTCPAddr("tcp", c.local)
			require.NoError(t, err)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete,
				http.MethodOptions} {
				r.Method = method
				w := httptest.NewRecorder()
				NewHTTP(newLab().MCPServer, c.opts).ServeHTTP(w, r)
				require.Equal(t, c.ok, w.Code != http.StatusForbidden, "%s: %s", method, w.Body)
				require.Contains(t, w.Body.String(), `{"jsonrpc":"2.0","error":{"code":-32600,`)
			}
		})
	}
}

func TestASecondOriginIsCheckedToo(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Host = "localhost"
	r.Header["Origin"] = []string{"http://localhost", "https://evil.example"}
	o := settings(nil)
	require.ErrorContains(t, o.guard(r), "evil.example")
}

func TestRequestsNeedTheTokenAndHandlersLearnWhoseItIs(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, &Options{Authorize: func(r *http.Request) (
		string, error) {
		if r.Header.Get("Authorization") != "Bearer right" {
			return "", errors.New("a bearer token is needed; taploop token create makes one")
		}
		return "ann", nil
	}})
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete,
		http.MethodPut} {
		resp := e.request(t.Context(), method, "")
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
		require.Equal(t, `Bearer realm="taploop"`, resp.Header.Get("WWW-Authenticate"))
	}
	resp := e.request(t.Context(), http.MethodPost, "", "Authorization: Bearer wrong")
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	require.Equal(t, `Bearer realm="taploop", error="invalid_token"`,
		resp.Header.Get("WWW-Authenticate"))

	_, body := e.status(http.MethodPost, tool(1, "whoami", "{}"),
		e.session("2025-11-25", "{}", "Authorization: Bearer right")...)
	require.Contains(t, body, `principal \"ann\", elicits false, stateless false`)
	call, header := modern(1, "whoami", "{}")
	_, body = e.status(http.MethodPost, call, append(header, "Authorization: Bearer right")...)
	require.Contains(t, body, `principal \"ann\", elicits true, stateless true`)
}

func TestWhoAsksWhileNoneCanBeKnownIsToldToComeBack(t *testing.T) {
	e := serveHTTP(t, newLab().MCPServer, &Options{Authorize: func(*http.Request) (string, error) {
		return "", fmt.Errorf("the tokens are away: %w", ErrNotNow)
	}})
	resp := e.request(t.Context(), http.MethodPost, "", "Authorization: Bearer right")
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.NotEmpty(t, resp.Header.Get("Retry-After"))
	require.Empty(t, resp.Header.Get("WWW-Authenticate"), "nothing is wrong with the token")
}

func TestTheContextOfTheHTTPRequestReachesTheHandler(t *testing.T) {
	l := newLab()
	type key struct{}
	l.AddTool(valueTool(key{}))
	e := serveHTTP(t, l.MCPServer, &Options{Context: func(ctx context.Context,
		r *http.Request) context.Context {
		return context.WithValue(ctx, key{}, r.URL.Path)
	}})
	_, body := e.status(http.MethodPost, tool(1, "value", "{}"), e.session("2025-11-25", "{}")...)
	require.Contains(t, body, `"text":"/mcp"`)
}
