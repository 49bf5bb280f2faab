package httpguard_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/httpguard"
)

func TestOnlyKnownHostsAndOriginsPass(t *testing.T) {
	g := &httpguard.Guard{Hosts: []string{"phone.lan"}, Origins: []string{"https://panel.example"}}
	for _, c := range []struct {
		name, local, host, origin string
		want                      string
	}{
		{"a program", "127.0.0.1:8702", "127.0.0.1:8702", "", ""},
		{"IPv6", "[::1]:8702", "[::1]:8702", "", ""},
		{"localhost", "127.0.0.1:8702", "LOCALHOST:8702", "http://localhost:8702", ""},
		{"a listed host", "127.0.0.1:8702", "phone.lan:8702", "", ""},
		{"a listed origin", "127.0.0.1:8702", "localhost", "https://PANEL.example", ""},
		{"an address in the network", "192.168.1.2:8702", "192.168.1.2:8702", "", ""},
		{"an address on loopback", "127.0.0.1:8702", "192.168.1.2:8702", "",
			`host "192.168.1.2:8702" is not one of this server's (loopback names and the listed ` +
				`ones are)`},
		{"a rebound name", "127.0.0.1:8702", "evil.example:8702", "",
			`host "evil.example:8702" is not one of this server's (loopback names and the listed ` +
				`ones are)`},
		{"a foreign page", "127.0.0.1:8702", "localhost:8702", "https://evil.example",
			`origin "https://evil.example" may not use this server (loopback and listed ones may)`},
		{"a page without an origin", "127.0.0.1:8702", "localhost:8702", "null",
			`origin "null" may not use this server (loopback and listed ones may)`},
		{"a name that begins like ours", "127.0.0.1:8702", "localhost:8702",
			"http://localhost.evil.example",
			`origin "http://localhost.evil.example" may not use this server (loopback and listed ` +
				`ones may)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			local, err := net.ResolveTCPAddr("tcp", c.local)
			require.NoError(t, err)
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(),
				http.LocalAddrContextKey, local), "GET", "/", nil)
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if err := g.Check(r); c.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, c.want)
			}
		})
	}
}

func TestLoopbackIsWhatOnlyThisMachineReaches(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:1": true, "127.0.0.1:8702": true, "127.9.9.9": true,
		"[::1]:8702": true, "::1": true, "[::ffff:127.0.0.1]:1": true,
		"": false, ":8702": false, "0.0.0.0:8702": false, "[::]:1": false, "192.168.1.5:1": false,
		"localhost.evil.example:1": false, "[localhost:5]:1": false,
	} {
		require.Equal(t, want, httpguard.Loopback(host), "%q", host)
	}
}
