package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/token"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:""`
	List   tokenListCmd   `cmd:""`
	Adopt  tokenAdoptCmd  `cmd:""`
	Revoke tokenRevokeCmd `cmd:""`
}

type tokenCreateCmd struct {
	Name    string `placeholder:"NAME"`
	Person  bool
	For     []string `placeholder:"NAME" sep:"none"`
	Expires string   `placeholder:"AGE"`
	Rate    string   `placeholder:"RATE"`
	Adopt   bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run prints a new token and nothing else on stdout.
func (c *tokenCreateCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	var tenants []string
	for _, list := range c.For {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return app.Usage(fmt.Errorf("--for %q has no name", list), "write --for NAME,NAME")
			}
			tenants = append(tenants, name)
		}
	}
	limits, err := c.limits()
	if err != nil {
		return err
	}
	var secret string
	var info token.Info
	err = a.tokens(ctx, func(tokens *token.Store) (err error) {
		secret, info, err = tokens.Create(limits, c.Name, c.Person, tenants...)
		return err
	})
	if err != nil {
		return err
	}
	a.notef("token %s; it is shown this once, and from now on every request over HTTP needs one",
		info.Name)
	_, err = fmt.Fprintln(a.out, secret)
	if c.Adopt {
		return errors.Join(err, adopt(ctx, a, info.Name))
	}
	return errors.Join(err, noteOrphans(ctx, a, info.Name))
}

// limits are what the token is good for.
func (c *tokenCreateCmd) limits() (l token.Limits, err error) {
	if l.Rate, err = token.ParseRate(c.Rate); err != nil {
		return l, app.Usage(err, "")
	}
	if c.Expires != "" {
		age, err := config.ParseAge(c.Expires)
		if err != nil {
			return l, app.Usage(fmt.Errorf("--expires is %q", c.Expires),
				"write an age such as 30d, 12w or 36h")
		}
		l.Expires = time.Now().Add(age).UTC().Truncate(time.Second)
	}
	return l, nil
}

type tokenAdoptCmd struct {
	Token   string `arg:"" name:"name"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run gives a token that there is what was begun without one.
func (c *tokenAdoptCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	return a.tokens(ctx, func(tokens *token.Store) error {
		info, err := tokens.Find(c.Token)
		if err != nil {
			return err
		}
		return adopt(ctx, a, info.Name)
	})
}

// adopt gives open sessions and questions that were begun without a token to the named one.
func adopt(ctx context.Context, a *invocation, name string) error {
	o := store.Orphans{}
	if store.Exists(a.Conf.DataDir, string(a.Conf.Store.URL)) { // else nothing was begun yet
		if err := a.lend(ctx, nil, func(db *store.Store) (err error) {
			o, err = db.Adopt(ctx, name, byCommandLine())
			return err
		}); err != nil {
			return err
		}
	}
	a.notef("token %s took over what was begun without a token: %s", name, o)
	return nil
}

// noteOrphans says what was begun without a token and cannot be reached over HTTP any more.
func noteOrphans(ctx context.Context, a *invocation, name string) error {
	if !store.Exists(a.Conf.DataDir, string(a.Conf.Store.URL)) {
		return nil
	}
	return a.lend(ctx, nil, func(db *store.Store) error {
		o, err := db.Orphans(ctx)
		if err == nil && len(o.Sessions)+len(o.Questions) > 0 {
			a.notef("%s, begun without a token, cannot be reached over HTTP any more:%s\n"+
				"  to let this token take over: taploop token adopt %s",
				o, o.List(10), name)
		}
		return err
	})
}

type tokenListCmd struct {
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run lists the tokens without telling any.
func (c *tokenListCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	list, err := a.listTokens(ctx)
	if err != nil {
		return err
	}
	return printList(a, c.JSON, list, "no tokens; `taploop token create --name NAME` makes one",
		"NAME ID CREATED EXPIRES RATE USED FOR", func(t listedToken) []any {
			bearer := a.term("programs")
			if t.Person {
				bearer = a.term("a person")
			}
			if len(t.For) > 0 {
				bearer += a.term(", for ") + strings.Join(t.For, ", ")
			}
			until := whenOrDash(t.Expires)
			if !t.Expires.IsZero() && t.Expires.Before(time.Now()) {
				until = a.term("expired ") + until
			}
			return []any{t.Name, t.ID, t.Created.Local().Format(time.DateTime),
				until, cmp.Or(string(t.Rate), "-"), whenOrDash(t.Used), bearer}
		})
}

// listedToken is a token as it is listed.
type listedToken struct {
	token.Info
	Used time.Time `json:"last_used_at,omitzero"`
}

// whenOrDash is a time to the minute, or "-" for none.
func whenOrDash(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format(toMinute)
}

type tokenRevokeCmd struct {
	Token   string `arg:"" name:"name"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run revokes a token. A server that runs knows of it at its next request.
func (c *tokenRevokeCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	return a.tokens(ctx, func(tokens *token.Store) error {
		info, err := tokens.Revoke(c.Token)
		if err != nil {
			return err
		}
		a.notef("token %s is worthless now", info.Name)
		list, err := tokens.List()
		if err == nil && len(list) == 0 {
			a.notef("it was the last one: a server takes every program of this machine without " +
				"a token now")
		}
		return err
	})
}

// tokens calls use with the tokens of the store.
func (a *invocation) tokens(ctx context.Context, use func(*token.Store) error) error {
	return a.lend(ctx, &store.Options{Reading: true}, func(db *store.Store) error {
		tokens, err := serve.Tokens(a.Conf.DataDir, db)
		if err != nil {
			return err
		}
		return use(tokens)
	})
}

// listTokens returns the tokens, and makes no store for that.
func (a *invocation) listTokens(ctx context.Context) (list []listedToken, err error) {
	if serve.Tokenless(&a.Settings) {
		return nil, nil
	}
	err = a.tokens(ctx, func(tokens *token.Store) error {
		all, err := tokens.List()
		used := tokens.LastUsed()
		for _, t := range all {
			list = append(list, listedToken{t, used[t.ID]})
		}
		return err
	})
	return list, err
}
