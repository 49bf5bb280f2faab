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
		fmt.Fprintf(a.err, "  %s%s\n", story.In(a.Lang()).Try,
			indented(a.phrase(hint), "       "))
	}
}

// asksHere reports whether a person is at the terminal, and nothing else was said of questions.
func (a *invocation) asksHere(json bool) bool {
	return a.Conf.Origin("reply.mode") == config.ByDefault && !json && tty.Attended(a.in, a.err)
}
