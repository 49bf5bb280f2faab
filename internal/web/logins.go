package web

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

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
// within ten minutes. Answers given there are by name. The code is in the link's
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
	all, err := files.Value[[]login](l.path)
	switch {
	case errors.Is(err, files.ErrContent):
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

// change replaces the valid logins by the result of edit, in one process at a time.
func (l *Logins) change(edit func([]login) ([]login, error)) error {
	return files.Change(l.path, func() ([]login, error) {
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
