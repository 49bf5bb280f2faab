package mcptransport

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Guard lets through to next only what a program or a page of this machine may have sent, see [Options]: it keeps web
// pages of strangers away, also those whose name was made to point here (DNS rebinding). Routes beside /mcp need it too.
func Guard(next http.Handler, opts *Options) http.Handler {
	o := settings(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := o.guard(r); err != nil {
			refuse(w, http.StatusForbidden, invalid(err.Error()))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guard checks where the request claims to be addressed and to come from: "Servers MUST validate the Origin header on all
// incoming connections to prevent DNS rebinding attacks". No header that would let other origins in is ever sent.
func (o *Options) guard(r *http.Request) error {
	if !o.knowsHost(r) {
		return fmt.Errorf("host %q is not one of this server (loopback names are, and those in its list of hosts)", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		if !o.knowsOrigin(origin) {
			return fmt.Errorf("origin %q may not use this server (loopback ones may, and those in its list of origins)", origin)
		}
	}
	return nil
}

// knowsHost checks the Host header. A name made to point here is what DNS rebinding needs, so on loopback only loopback
// names are taken, elsewhere also addresses, and both ways what is listed.
func (o *Options) knowsHost(r *http.Request) bool {
	name := hostname(r.Host)
	for _, host := range o.Hosts {
		if strings.EqualFold(host, r.Host) || strings.EqualFold(host, name) {
			return true
		}
	}
	if loopback(name) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil && !arrivedOnLoopback(r)
}

func (o *Options) knowsOrigin(origin string) bool {
	if slices.ContainsFunc(o.Origins, func(known string) bool { return strings.EqualFold(known, origin) }) {
		return true
	}
	u, err := url.Parse(origin) // "null" has no host
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && loopback(hostname(u.Host))
}

func arrivedOnLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && loopback(hostname(local.String()))
}

// hostname is the name in "name", "name:port", "[address]" or "[address]:port".
func hostname(hostport string) string {
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

func loopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}
