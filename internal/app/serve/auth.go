package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// Tokens returns the tokens in the store, with those that an earlier version has left in a file of
// the data folder.
func Tokens(dir string, db *store.Store) (*token.Store, error) {
	tokens := token.In(db.Kept)
	if db.ReadOnly() {
		return tokens, nil
	}
	return tokens, tokens.Import(tokensFile(dir))
}

// Tokenless reports whether no token can have been made: there is neither a store nor such a file.
func Tokenless(set *app.Settings) bool {
	_, err := os.Stat(tokensFile(set.Conf.DataDir))
	return err != nil && !store.Exists(set.Conf.DataDir, string(set.Conf.Store.URL))
}

// openAuthenticator returns who lets clients in, and the store. The caller closes that.
func openAuthenticator(ctx context.Context, set *app.Settings) (
	*authenticator, *store.Store, error) {
	addr := set.Conf.HTTP.Addr
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, nil, app.Usage(fmt.Errorf("http.addr: %w", err),
			"write HOST:PORT, for example 127.0.0.1:8702")
	}
	db, err := app.OpenStore(ctx, set, nil)
	if err != nil {
		return nil, nil, err
	}
	g := &authenticator{open: httpguard.Loopback(addr)}
	if g.tokens, err = Tokens(set.Conf.DataDir, db); err == nil {
		err = g.check(addr)
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return g, db, nil
}

func tokensFile(dir string) string { return filepath.Join(dir, "tokens.json") }

// OpenLogins returns the browsers that may use the page of a data folder's servers.
func OpenLogins(dir string) *web.Logins { return web.OpenLogins(loginsFile(dir)) }

func loginsFile(dir string) string { return filepath.Join(dir, "logins.json") }

// authenticator lets clients in. On loopback, while there are no tokens, every client of this
// machine may come in. Otherwise every request needs a token.
type authenticator struct {
	tokens *token.Store
	open   bool          // the server listens on loopback
	files  files.Watcher // of the logins of browsers, and told of the tokens
	// when whom authorize lets in may have changed
	changes wait.Broadcast
	uses    uses
}

// watch notices what other processes change in the tokens and logins and what expires, until stop
// returns. failed is called when the uses of tokens cannot be stored.
func (g *authenticator) watch(ctx context.Context, dir string, failed func(error)) (
	stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { g.files.Run(ctx, loginsFile(dir)) })
	watching.Go(func() { g.tokens.Watch(ctx, g.files.Tell) })
	watching.Go(func() { g.relay(ctx) })
	watching.Go(func() { g.noteUses(ctx, failed) })
	return func() { cancel(); watching.Wait() }
}

// check refuses to listen where no client could be let in, or any.
func (g *authenticator) check(addr string) error {
	list, err := g.tokens.List()
	if err != nil || g.open || len(list) > 0 {
		return err
	}
	return app.Usage(
		fmt.Errorf("%s can be reached from elsewhere, and there is no token yet", addr),
		"taploop token create --name NAME, and give the token to the client; "+
			"or listen on 127.0.0.1")
}

var (
	errNoToken = errors.New("this server wants a token: " +
		"send the header Authorization: Bearer TOKEN (taploop token create)")
	errBadToken = hint.Add(errors.New("the token is not known, or was revoked"),
		"taploop token list shows which there are, taploop token create --name NAME makes another")
	errExpired = hint.Add(errors.New("the token has expired"),
		"taploop token create --name NAME makes another")
	errTokens error = agentloop.Unavailable("the tokens cannot be read; the server's log has more")
)

// authorize implements transport.Options.Authorize. The principal is the token's name.
func (g *authenticator) authorize(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		list, err := g.tokens.List()
		switch {
		case err != nil:
			return "", errTokens
		case g.open && len(list) == 0:
			return "", nil
		}
		return "", errNoToken
	}
	info, err := g.bearer(r)
	return info.Name, err
}

// bearer is the token of a request, if it has a good one.
func (g *authenticator) bearer(r *http.Request) (token.Info, error) {
	given := r.Header.Values("Authorization")
	scheme, secret, _ := strings.Cut(strings.Join(given, ","), " ")
	if len(given) != 1 || !strings.EqualFold(scheme, "Bearer") {
		return token.Info{}, errNoToken
	}
	info, err := g.tokens.Check(strings.TrimSpace(secret))
	switch {
	case errors.Is(err, token.ErrExpired):
		err = errExpired
	case errors.Is(err, token.ErrNone):
		err = errBadToken
	case err != nil:
		err = errTokens
	}
	return info, err
}

// person returns the token of that name, if it is a person's.
func person(tokens *token.Store, name string) (token.Info, bool) {
	info, err := tokens.Find(name)
	return info, err == nil && info.Name == name && info.Person
}

// rights returns the rights of principals: the operators', those of a person's token, or a
// program's.
func rights(set *app.Settings, tokens *token.Store) func(principal string) usecase.Rights {
	return func(name string) usecase.Rights {
		if isOperator(set, name) {
			return usecase.Rights{All: true, Decides: true}
		}
		if info, is := person(tokens, name); is {
			return usecase.Rights{Decides: true, Tenants: info.For}
		}
		return usecase.Rights{}
	}
}

// known is authorize, but always wants a token: an answer is a person's word.
func (g *authenticator) known(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return "", errNoToken
	}
	return g.authorize(r)
}

// isOperator reports whether a token of that name answers for all clients.
func isOperator(set *app.Settings, name string) bool {
	return name != "" && slices.Contains(set.Conf.HTTP.Operators, name)
}
