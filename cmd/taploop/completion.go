package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/inquiry/channel"
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

// describe gives commands, flags and arguments their help, which only help, completion and the
// manual page show.
func describe(root *kong.Node, lang string) error {
	needsNoClient := slices.DeleteFunc(channel.Steps(),
		func(c channel.Channel) bool { return c.Name == string(channel.Elicit) })
	return usage.Describe(root, lang, map[string]string{
		"reply_modes":    words.Phrase(lang, channel.Names(channel.Steps())),
		"terminal_modes": words.Phrase(lang, channel.Names(needsNoClient)),
		"clients":        strings.Join(clients.Names(), ", ")})
}
