package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/jsonfile"
)

// authenticator lets those in who have a credential.
type authenticator struct{ *Options }

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

// authenticate finds out who sends the request. A token goes before the login of a browser.
func (g authenticator) authenticate(r *http.Request) (viewer, error) {
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

// recheck refuses a request that was v's when the credential of v does not hold any more, as that
// of a token which was revoked.
func (g authenticator) recheck(r *http.Request, v viewer) error {
	now, err := g.authenticate(r)
	if err == nil && now != v {
		err = refuse("UNAUTHORIZED", errors.New("the credential is not what it was"))
	}
	return err
}

// browser checks the secret that the page sends. No other page can send it: it does not know it,
// and its header wants a preflight, which is never granted.
func (g authenticator) browser(r *http.Request, secret string) (viewer, error) {
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
	if origin := r.Header.Get("Origin"); origin != "" && !ownOrigin(origin, r.Host) {
		return refuse("FORBIDDEN", errStrangePage)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	return refuse("FORBIDDEN", errStrangePage)
}

// ownOrigin reports whether the origin is the server's. A proxy in front may add TLS, so both
// schemes are fine.
func ownOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		strings.EqualFold(u.Host, host)
}

// How long things hold.
const (
	linkLife    = 10 * time.Minute    // of an unused link
	browserLife = 30 * 24 * time.Hour // of a browser that used one
)

// Logins keeps the one-time codes of login links and the browsers that came by one, as hashes, in a
// file: a link that another process makes is good at once, and a browser stays logged in over a
// restart of the server. Its methods are safe for concurrent use, by several processes too.
type Logins struct{ path string }

// OpenLogins gives the logins that are kept in the file. It need not exist: then there are none.
func OpenLogins(path string) *Logins { return &Logins{path} }

// What a login is.
const (
	kindCode    = "code"
	kindBrowser = "origin" // "browser" were those of cookies, which other servers may have seen
)

type login struct {
	Kind    string    `json:"kind"`
	Name    string    `json:"name"` // who answers, for people
	Hash    string    `json:"sha256"`
	Expires time.Time `json:"expires_at"`
}

// errNoLogin says that there is no such code or browser, or that its time is over.
var errNoLogin = errors.New(
	"the link was used before or is too old")

// Link makes a link to the page at base ("http://127.0.0.1:8702") that logs one browser in, once,
// within ten minutes. What is answered there is answered by name. The code is in the link's
// fragment, which browsers do not send.
func (l *Logins) Link(base, name string) (string, error) {
	code := newSecret()
	err := l.change(func(all []login) ([]login, error) {
		return append(all, login{kindCode, cmp.Or(name, "operator"), hash(code),
			time.Now().Add(linkLife)}), nil
	})
	if err != nil {
		return "", err
	}
	return strings.TrimRight(base, "/") + "/ui#login=" + code, nil
}

// redeem takes a code, once, and returns the secret of the browser that brought it.
func (l *Logins) redeem(code string) (secret string, err error) {
	secret = newSecret()
	err = l.change(func(all []login) ([]login, error) {
		i := find(all, kindCode, code)
		if i < 0 {
			return nil, errNoLogin
		}
		name := all[i].Name
		return append(slices.Delete(all, i, i+1),
			login{kindBrowser, name, hash(secret), time.Now().Add(browserLife)}), nil
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// check names the browser with the secret, or gives errNoLogin.
func (l *Logins) check(secret string) (name string, err error) {
	all, err := l.read()
	if err != nil {
		return "", err
	}
	i := find(all, kindBrowser, secret)
	if i < 0 {
		return "", errNoLogin
	}
	return all[i].Name, nil
}

// forget logs a browser out.
func (l *Logins) forget(secret string) error {
	return l.change(func(all []login) ([]login, error) {
		if i := find(all, kindBrowser, secret); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
		return all, nil
	})
}

// find compares hashes of 256 random bits, so how long it takes gives none away.
func find(all []login, kind, secret string) int {
	want := hash(secret)
	return slices.IndexFunc(all, func(x login) bool { return x.Kind == kind && x.Hash == want })
}

// read gives the logins that still hold.
func (l *Logins) read() ([]login, error) {
	all, err := jsonfile.Read[[]login](l.path)
	switch {
	case errors.Is(err, jsonfile.ErrContent):
		return nil, hint.Add(fmt.Errorf("reading the logins: %w", err),
			"move it away; every browser then has to log in anew: taploop ui")
	case err != nil:
		return nil, fmt.Errorf("reading the logins: %w", err)
	case all == nil:
		return nil, nil
	}
	now := time.Now()
	return slices.DeleteFunc(*all, func(x login) bool { return !now.Before(x.Expires) }), nil
}

// change replaces the logins by what edit makes of those that still hold. One process at a time
// does.
func (l *Logins) change(edit func([]login) ([]login, error)) error {
	return jsonfile.Change(l.path, func() ([]login, error) {
		all, err := l.read()
		if err != nil {
			return nil, err
		}
		return edit(all)
	})
}

// newSecret is 256 random bits.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
