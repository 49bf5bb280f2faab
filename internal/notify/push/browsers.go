package push

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// life is how long a subscription holds unless the browser renews it.
const life = 30 * 24 * time.Hour

// maxBrowsers is how many subscriptions are kept; the oldest makes room.
const maxBrowsers = 100

// Subscription is a browser that wants to be told.
type Subscription struct {
	Endpoint string `json:"endpoint"` // of its push service; who knows it can be a nuisance
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
	Lang  string    `json:"lang,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// kept is what the file holds.
type kept struct {
	Key      []byte         `json:"key"` // PKCS #8
	Browsers []Subscription `json:"browsers,omitempty"`
}

// Browsers are the subscriptions in a file, and the key of who sends. The methods are safe for
// concurrent use, by several processes too.
type Browsers struct{ path string }

// Open gives the subscriptions that are kept in the file. It need not exist.
func Open(path string) *Browsers { return &Browsers{path} }

// Path is the name of the file.
func (b *Browsers) Path() string { return b.path }

// Key returns the public key that browsers subscribe with, in base64. The first call makes it.
func (b *Browsers) Key() (string, error) {
	key, err := b.key()
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey.Bytes()
	return encode(public), err
}

func (b *Browsers) key() (*ecdsa.PrivateKey, error) {
	k, err := b.read()
	if err == nil && k.Key == nil {
		err = b.change(func(now *kept) { k = *now })
	}
	if err != nil {
		return nil, err
	}
	read, err := x509.ParsePKCS8PrivateKey(k.Key)
	key, is := read.(*ecdsa.PrivateKey)
	if err != nil || !is {
		return nil, hint.Add(fmt.Errorf("the key in %s cannot be read", b.path),
			"move the file away; browsers then have to subscribe again on the page")
	}
	return key, nil
}

// Add keeps a subscription, in the place of an earlier one of the same browser. It gives a
// *MisfitError for one that cannot be used.
func (b *Browsers) Add(s Subscription) error {
	if _, err := s.read(); err != nil {
		return err
	}
	s.Since = time.Now().UTC().Truncate(time.Millisecond) // as times of questions are kept
	s.Until = s.Since.Add(life)
	return b.change(func(k *kept) {
		i := slices.IndexFunc(k.Browsers, s.same)
		if i >= 0 {
			s.Since = k.Browsers[i].Since
			k.Browsers = slices.Delete(k.Browsers, i, i+1)
		}
		k.Browsers = append(k.Browsers, s)
		k.Browsers = k.Browsers[max(0, len(k.Browsers)-maxBrowsers):]
	})
}

// Remove forgets the subscription with the endpoint, if there is one.
func (b *Browsers) Remove(endpoint string) error {
	return b.change(func(k *kept) {
		k.Browsers = slices.DeleteFunc(k.Browsers, Subscription{Endpoint: endpoint}.same)
	})
}

// List returns the subscriptions that hold.
func (b *Browsers) List() ([]Subscription, error) {
	k, err := b.read()
	return k.Browsers, err
}

func (s Subscription) same(o Subscription) bool { return s.Endpoint == o.Endpoint }

func (b *Browsers) read() (kept, error) {
	k, err := files.Value[kept](b.path)
	if err != nil {
		return kept{}, hint.Add(fmt.Errorf("reading the subscriptions of browsers: %w", err),
			"move "+b.path+" away; browsers then have to subscribe again on the page")
	}
	if k == nil {
		return kept{}, nil
	}
	now := time.Now()
	k.Browsers = slices.DeleteFunc(k.Browsers,
		func(s Subscription) bool { return !now.Before(s.Until) })
	return *k, nil
}

// change replaces the kept list by what edit makes of it, in one process at a time.
func (b *Browsers) change(edit func(*kept)) error {
	return files.Change(b.path, func() (kept, error) {
		k, err := b.read()
		if err == nil && k.Key == nil {
			k.Key, err = newKey()
		}
		edit(&k)
		return k, err
	})
}

func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// opened is a subscription, read.
type opened struct {
	endpoint *url.URL
	public   *ecdh.PublicKey
	auth     []byte
}

// MisfitError says what is wrong with a subscription.
type MisfitError struct{ Problem string }

func (e *MisfitError) Error() string { return e.Problem }

func misfit(format string, args ...any) error { return &MisfitError{fmt.Sprintf(format, args...)} }

// read checks a subscription, which comes from outside. The error is a MisfitError.
func (s Subscription) read() (o opened, err error) {
	o.endpoint, err = url.Parse(s.Endpoint)
	switch {
	case err != nil || o.endpoint.Host == "" || len(s.Endpoint) > 2000:
		return o, misfit("the endpoint is no address of a push service")
	case o.endpoint.Scheme == "https":
	case o.endpoint.Scheme == "http" && local(o.endpoint.Hostname()):
	default:
		return o, misfit("the push service at %s is not reached by HTTPS",
			text.Quote(o.endpoint.Host, 100))
	}
	raw, err := decode(s.Keys.P256dh)
	if err == nil {
		o.public, err = ecdh.P256().NewPublicKey(raw)
	}
	if err != nil {
		return o, misfit("keys.p256dh is no point of the curve P-256, in base64")
	}
	if o.auth, err = decode(s.Keys.Auth); err != nil || len(o.auth) != 16 {
		return o, misfit("keys.auth is not 16 bytes in base64")
	}
	return o, nil
}

func local(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func decode(s string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(s) }
