package main

import (
	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/terminal/usage"
	"github.com/taploop/taploop/internal/words"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish"`
}

// Run prints what completes this command line, made from its definitions.
func (c *completionCmd) Run(a *invocation, k *kong.Kong) error {
	if err := describe(k.Model.Node, a.Lang()); err != nil {
		return err
	}
	return usage.Complete(a.out, c.Shell, k.Model.Node)
}

type manCmd struct{}

// Run prints the manual page, made from the command line's definitions.
func (manCmd) Run(a *invocation, k *kong.Kong) error {
	if err := describe(k.Model.Node, words.Default); err != nil {
		return err
	}
	return usage.Manual(a.out, ownVersion(), k.Model.Node)
}
