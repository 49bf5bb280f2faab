package web

import (
	"errors"
	"fmt"
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
	all  bool   // sees what belongs to anybody, and decides about actions: a person
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

// person refuses a program, and says why.
func (v viewer) person(why string) error {
	if v.page || v.all {
		return nil
	}
	return refuse("NOT_A_PERSON", errors.New(why))
}

func (v viewer) actor() Person { return Person{v.name, v.channel(), !v.all} }

// channel is the one through which the viewer answers.
func (v viewer) channel() string {
	if v.page {
		return inquiry.ChannelPage
	}
	return inquiry.ChannelHTTP
}

// authority is that with which the viewer answers questions.
func (v viewer) authority() string {
	if !v.all {
		return inquiry.AuthorityToken
	}
	return inquiry.AuthorityHumanToken
}

// loginHeader brings the secret of a browser that is logged in. The page keeps it in the storage of
// its origin, where the port counts: cookies know no ports, and would take it to every other server
// of the host.
const loginHeader = "X-Taploop-Login"

var errStrangePage = errors.New("this page may not use the login of the inbox page")

// who finds out who sends the request. A token goes before the login of a browser.
func (g gate) who(r *http.Request) (viewer, error) {
	secret := r.Header.Get(loginHeader)
	if secret != "" && r.Header.Get("Authorization") == "" {
		return g.browser(r, secret)
	}
	name, err := g.Authorize(r)
	if err != nil {
		return viewer{}, refuse("UNAUTHORIZED", err)
	}
	return viewer{name: name, all: g.Operator(name)}, nil
}

// still refuses a request that was v's when the credential of v does not hold any more, as that of
// a token which was revoked.
func (g gate) still(r *http.Request, v viewer) error {
	now, err := g.who(r)
	if err == nil && now != v {
		err = refuse("UNAUTHORIZED", errors.New("the credential is not what it was"))
	}
	return err
}

// browser checks the secret that the page sends. No other page can send it: it does not know it,
// and its header wants a preflight, which is never granted.
func (g gate) browser(r *http.Request, secret string) (viewer, error) {
	if err := samePage(r); err != nil {
		return viewer{}, err
	}
	name, err := g.Logins.check(secret)
	switch {
	case errors.Is(err, errNoLogin):
		return viewer{}, refuse("UNAUTHORIZED",
			errors.New("this browser is not logged in (any more); taploop ui makes a link"))
	case err != nil:
		return viewer{}, fmt.Errorf("checking a login: %w", err)
	}
	return viewer{name: name, all: true, page: true}, nil
}

// samePage refuses what another page sends, be it a page on another port of this machine.
func samePage(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !own(origin, r.Host) {
		return refuse("FORBIDDEN", errStrangePage)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	return refuse("FORBIDDEN", errStrangePage)
}

// own reports whether the origin is the server's. A proxy in front may add TLS, so both schemes are
// fine.
func own(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		strings.EqualFold(u.Host, host)
}
