package main

import (
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/terminal/tty"
)

// asksHere reports whether a person is at the terminal, and nothing else was said of questions.
func (a *invocation) asksHere(json bool) bool {
	return a.Conf.Origin("reply.mode") == config.ByDefault && !json && tty.Attended(a.in, a.err)
}
