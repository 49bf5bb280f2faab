package main

import (
	"os/user"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
)

// userName is this user's name on this machine, "" when the system does not tell.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return text.Line(u.Username)
}

// operator is this user, for the audit.
func operator() runs.Actor {
	return runs.Actor{Channel: inquiry.ChannelCommandLine,
		Authority: inquiry.AuthorityLocalOperator,
		Name:      userName()}
}
