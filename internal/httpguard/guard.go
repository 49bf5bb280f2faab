// Package httpguard keeps web pages of strangers away from a server of this machine, also those
// whose name was made to point here (DNS rebinding), and bounds what one client can take from the
// others: time ([Timely]) and whatever there are only so many of ([Shares]).
package httpguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// Guard says whom requests may be addressed to and which pages they may come from. The zero value
// knows loopback only. It is not changed by its methods, which are safe for concurrent use.
type Guard struct {
	// names apart from loopback ones that requests may be addressed to, "name" or "name:port"
	Hosts   []string
	Origins []string // origins of web pages apart from loopback ones, like "https://example.com"
}

// Check checks the Host and Origin headers of a request. A request without an Origin comes from a
// program and is allowed. The origin "null" is not.
func (g *Guard) Check(r *http.Request) error {
	if !g.knowsHost(r) {
		return hint.Add(
			fmt.Errorf(
				"host %q is not one of this server's (loopback names and the listed ones are)",
				r.Host),
			"add the name to the setting http.hosts, or use 127.0.0.1")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !g.knowsOrigin(origin) {
			return hint.Add(
				fmt.Errorf("origin %q may not use this server (loopback and listed ones may)",
					origin),
				"add the origin to the setting http.origins; a program sends no Origin")
		}
	}
	return nil
}

// knowsHost checks the Host header. A name made to point here is what DNS rebinding needs, so on
// loopback only loopback names are accepted, elsewhere also addresses, and listed names always.
func (g *Guard) knowsHost(r *http.Request) bool {
	name := hostname(r.Host)
	if listed(g.Hosts, r.Host) || listed(g.Hosts, name) || Loopback(r.Host) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil && !arrivedOnLoopback(r)
}

func (g *Guard) knowsOrigin(origin string) bool {
	if listed(g.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin) // "null" has no host
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		Loopback(u.Host)
}

func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func arrivedOnLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && Loopback(local.String())
}

// hostname is the name in "name", "name:port", "[address]" or "[address]:port".
func hostname(hostport string) string {
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

// Loopback reports whether only this machine reaches the host, which stands with a port or without
// one.
func Loopback(host string) bool {
	name := hostname(host)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}
