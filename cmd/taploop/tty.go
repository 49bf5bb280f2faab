package main

import (
	"fmt"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
)

// try says what to do about what was said before, if anything can be done.
func (a *invocation) try(hint string) {
	if hint != "" {
		fmt.Fprint(a.err, "  "+story.In(a.Lang()).Try+folded(a.err, a.phrase(hint), 7,
			"       ")+"\n")
	}
}

// attended reports whether a person is at the terminal.
func (a *invocation) attended() bool { return tty.Attended(a.in, a.err) }

// asksHere reports whether a person is at the terminal, and nothing else was said of questions.
func (a *invocation) asksHere(json bool) bool {
	return a.Conf.Origin("reply.mode") == config.ByDefault && !json && a.attended()
}
