package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/internal/token"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, for the only time."`
	List   tokenListCmd   `cmd:"" help:"List the tokens by name; what they are is not kept."`
	Revoke tokenRevokeCmd `cmd:"" help:"Make a token worthless, at once."`
}

// tokens are those of the data folder.
func tokens(c *config.Loaded) *token.Store {
	return token.Open(tokensFile(c.DataDir))
}

func tokensFile(dir string) string { return filepath.Join(dir, "tokens.json") }

type tokenCreateCmd struct {
	Name    string `help:"Name of who bears it, for logs and lists; the default is made up." placeholder:"NAME"`
	DataDir string `key:"data_dir" help:"Where tokens are kept." placeholder:"DIR"`
}

// Run prints a new token and nothing else on stdout.
func (c *tokenCreateCmd) Run(a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	secret, info, err := tokens(a.conf).Create(c.Name)
	if err != nil {
		return err
	}
	a.notef("token %s; it is shown this once, and from now on every request over HTTP needs one",
		info.Name)
	_, err = fmt.Fprintln(a.out, secret)
	return err
}

type tokenListCmd struct {
	JSON    bool   `help:"Print JSON."`
	DataDir string `key:"data_dir" help:"Where tokens are kept." placeholder:"DIR"`
}

// Run lists the tokens without telling any.
func (c *tokenListCmd) Run(a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	list, err := tokens(a.conf).List()
	if err != nil {
		return err
	}
	return printList(a, c.JSON, list, "no tokens; `taploop token create --name NAME` makes one",
		"NAME ID CREATED", func(t token.Info) []any {
			return []any{t.Name, t.ID, t.Created.Local().Format(time.DateTime)}
		})
}

type tokenRevokeCmd struct {
	Token   string `arg:"" name:"name" help:"Its name or id."`
	DataDir string `key:"data_dir" help:"Where tokens are kept." placeholder:"DIR"`
}

// Run revokes a token. A server that runs knows of it at its next request.
func (c *tokenRevokeCmd) Run(a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	info, err := tokens(a.conf).Revoke(c.Token)
	if err != nil {
		return err
	}
	a.notef("token %s is worthless now", info.Name)
	return nil
}
