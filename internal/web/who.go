package web

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// viewer is who sends a request.
type viewer struct {
	Name      string // the principal, or the browser's name
	Page      bool   // the inbox page
	Forwarded bool   `json:"-"` // another machine has let the viewer in, and watches that
	usecase.Rights
}

// sees reports whether what belongs to the client is visible. What belongs to none, nil, is visible
// to those who see all.
func (v viewer) sees(client *string) bool {
	return v.All || client != nil && v.owners().Has(*client)
}

// owners are whose sessions the viewer sees.
func (v viewer) owners() store.Owners { return v.Owners(v.Name) }

// owner is whom the sessions belong to that the viewer begins: a browser's are the local
// operator's.
func (v viewer) owner() string {
	if v.Page {
		return ""
	}
	return v.Name
}

// person refuses a program, and says why.
func (v viewer) person(why string) error {
	if v.Decides {
		return nil
	}
	return refuse("NOT_A_PERSON", errors.New(why))
}

// operator refuses programs, and people who do not see everything.
func (v viewer) operator(why string) error {
	err := v.person(why)
	if err == nil && !v.All {
		err = refuse("NOT_A_PERSON", errors.New("this is for those who see everything"))
	}
	return err
}

// channel is the one through which the viewer answers.
func (v viewer) channel() string {
	if v.Page {
		return inquiry.ChannelPage
	}
	return inquiry.ChannelHTTP
}

// authority is that with which the viewer answers questions.
func (v viewer) authority() string {
	if !v.Decides {
		return inquiry.AuthorityToken
	}
	return inquiry.AuthorityHumanToken
}

// actor is the viewer in the audit, for what a request does itself.
func (v viewer) actor() runs.Actor {
	return runs.Actor{Channel: v.channel(), Authority: v.authority(), Name: v.Name}
}

// caller is the viewer in the audit, for words that a request brings. Those of a program may be a
// model's. From the page, or with a person's token, they are a person's.
func (v viewer) caller() runs.Actor {
	who := v.actor()
	if !v.Decides {
		who.Authority = inquiry.AuthorityClientModel
	}
	return who
}

// authenticator lets those in who have a credential.
type authenticator struct {
	logins    *Logins
	authorize func(*http.Request) (principal string, err error)
	rights    func(principal string) usecase.Rights
	log       *slog.Logger
	sign      func(text string) []byte // nil without other machines
}

// loginHeader brings the secret of a browser that is logged in. The page keeps it in the storage of
// its origin, where the port counts: cookies know no ports, and would take it to every other server
// of the host.
const loginHeader = "X-Taploop-Login"

var errStrangePage = errors.New("this page may not use the login of the inbox page")

// authenticate finds out who sends the request. A token goes before the login of a browser.
func (g authenticator) authenticate(r *http.Request) (viewer, error) {
	if r.Header.Get(forHeader) != "" {
		return g.forwarded(r)
	}
	secret := r.Header.Get(loginHeader)
	if secret != "" && r.Header.Get("Authorization") == "" {
		return g.browser(r, secret)
	}
	name, err := g.authorize(r)
	switch {
	case agentloop.Unwritable(err): // who it is cannot be told
		return viewer{}, err
	case err != nil:
		return viewer{}, refuse("UNAUTHORIZED", err)
	}
	return viewer{Name: name, Rights: g.rights(name)}, nil
}

// recheck refuses a request that was v's when the credential of v does not hold any more, as that
// of a token which was revoked.
func (g authenticator) recheck(r *http.Request, v viewer) error {
	if v.Forwarded {
		return nil
	}
	now, err := g.authenticate(r)
	if err == nil && !reflect.DeepEqual(now, v) {
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
	name, err := g.logins.check(secret)
	switch {
	case errors.Is(err, errNoLogin):
		return viewer{}, refuse("UNAUTHORIZED",
			errors.New("this browser is not logged in (any more); taploop ui makes a link"))
	case err != nil:
		return viewer{}, fmt.Errorf("checking a login: %w", err)
	}
	return viewer{Name: name, Page: true, Rights: usecase.Rights{All: true, Decides: true}}, nil
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

// login takes the code of a link, once, and gives the browser the secret that it logs in with from
// then on. No other page may ask: what a link is worth is for ours.
func (g authenticator) login(w http.ResponseWriter, r *http.Request) error {
	if err := samePage(r); err != nil {
		return err
	}
	var body struct {
		Code string `json:"code"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	secret, err := g.logins.redeem(body.Code)
	if errors.Is(err, errNoLogin) {
		g.log.Warn("login refused", "remote", r.RemoteAddr)
		return refuse("LINK_USED", err)
	}
	if err != nil {
		return err
	}
	g.log.Info("browser logged in", "remote", r.RemoteAddr)
	return send(w, http.StatusOK, map[string]any{"login": secret})
}

func (g authenticator) logout(w http.ResponseWriter, r *http.Request, v viewer) error {
	var err error
	if v.Page {
		err = g.logins.forget(r.Header.Get(loginHeader))
	}
	return sendUnless(w, err, map[string]any{"ok": true})
}

// forHeader says for whom another machine asks: the viewer, and a mark that only machines with the
// same store can make.
const forHeader = "X-Taploop-For"

// vouched is how long a request of another machine is good for, and how far clocks may differ.
const vouched = 15 * time.Minute

var errStrangeMachine = errors.New("this request comes from no machine of the farm, or from one " +
	"whose clock differs by more than 15 minutes")

// vouch says for whom a request is sent to another machine.
type vouch struct {
	Viewer viewer    `json:"viewer"`
	At     time.Time `json:"at"`
	Mark   []byte    `json:"mark,omitempty"`
}

// mark signs v for the request with this body.
func (v vouch) mark(r *http.Request, body []byte, sign func(string) []byte) []byte {
	v.Mark = nil
	b, _ := json.Marshal(v) // nothing in it can fail
	return sign(fmt.Sprintf("%s %s %x %s", r.Method, r.URL.RequestURI(), sha256.Sum256(body), b))
}

// forwarded returns the viewer for whom another machine sends the request.
func (g authenticator) forwarded(r *http.Request) (viewer, error) {
	var v vouch
	b, err := base64.StdEncoding.DecodeString(r.Header.Get(forHeader))
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	body, cut := bodyOf(r)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if cmp.Or(err, cut) != nil || g.sign == nil || !hmac.Equal(v.Mark, v.mark(r, body, g.sign)) ||
		time.Since(v.At).Abs() > vouched {
		return viewer{}, refuse("UNAUTHORIZED", errStrangeMachine)
	}
	v.Viewer.Forwarded = true
	return v.Viewer, nil
}
