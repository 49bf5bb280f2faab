package main

import (
	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/terminal/usage"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints what completes this command line, made from its definitions.
func (c *completionCmd) Run(a *invocation, k *kong.Kong) error {
	return usage.Complete(a.out, c.Shell, k.Model.Node)
}

type manCmd struct{}

// Run prints the manual page, made from the command line's definitions.
func (manCmd) Run(a *invocation, k *kong.Kong) error {
	return usage.Manual(a.out, ownVersion(), k.Model.Node)
}
