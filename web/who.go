package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/taploop/taploop/inquiry"
)

// gate lets those in who have a credential.
type gate struct{ *Options }

// viewer is who sends a request.
type viewer struct {
	name string // the principal, or the browser's name
	all  bool   // sees what belongs to anybody
	page bool   // the inbox page
}

// sees reports whether what belongs to the client is visible. What belongs to none, nil, is visible
// to those who see all.
func (v viewer) sees(client *string) bool {
	return v.all || client != nil && v.name == *client
}

// client is whose sessions the viewer sees; nil means everybody's.
func (v viewer) client() *string {
	if v.all {
		return nil
	}
	return &v.name
}

// channel is the one through which the viewer answers.
func (v viewer) channel() string {
	if v.page {
		return inquiry.ChannelPage
	}
	return inquiry.ChannelHTTP
}

var (
	errStrangePage = errors.New("this page may not use the login of the inbox page")
	errNoMark      = errors.New(
		"a request with the page's cookie that changes something needs the headers Origin and " +
			"X-Taploop: page")
)

// who finds out who sends the request. A token in the header goes before the cookie: only a program
// can set it.
func (g gate) who(r *http.Request) (viewer, error) {
	if r.Header.Get("Authorization") == "" {
		if err := samePage(r); err != nil {
			return viewer{}, refuse("FORBIDDEN", err)
		}
		if c, err := r.Cookie(cookieName(r)); err == nil {
			return g.browser(r, c.Value)
		}
	}
	name, err := g.Authorize(r)
	if err != nil {
		return viewer{}, refuse("UNAUTHORIZED", err)
	}
	return viewer{name: name, all: g.Operator(name)}, nil
}

// browser checks the page's cookie, and the marks that only our own page can put on a request.
func (g gate) browser(r *http.Request, secret string) (viewer, error) {
	name, err := g.Logins.check(secret)
	switch {
	case errors.Is(err, errNoLogin):
		return viewer{}, refuse("UNAUTHORIZED",
			errors.New("this browser is not logged in (any more); taploop ui makes a link"))
	case err != nil:
		return viewer{}, fmt.Errorf("checking a login: %w", err)
	case !marked(r):
		return viewer{}, refuse("FORBIDDEN", errNoMark)
	}
	return viewer{name: name, all: true, page: true}, nil
}

// marked reports whether a request that changes something is our page's: the header cannot be sent
// from another origin without a preflight, which is never granted.
func marked(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead ||
		r.Header.Get("Origin") != "" && r.Header.Get("X-Taploop") == "page"
}

// samePage refuses what another page sends with the rights of the person at the browser, be it a
// page on another port of this machine: cookies know no ports.
func samePage(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !own(origin, r.Host) {
		return errStrangePage
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	return errStrangePage
}

// own reports whether the origin is the server's. A proxy in front may add TLS, so both schemes are
// fine.
func own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		strings.EqualFold(u.Host, host)
}

// cookieName is the page's cookie of this port, so that two servers on one machine do not log each
// other out.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil || strings.Trim(port, "0123456789") != "" {
		return "taploop_ui"
	}
	return "taploop_ui_" + port
}

func cookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil}
}
