package app

import (
	"math"
	"os/user"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// UserName is the name of this user, or "" if the system does not tell.
func UserName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return text.Line(u.Username)
}

// Operator is this user, for the audit.
func Operator() runs.Actor {
	return runs.Actor{Channel: inquiry.ChannelCommandLine,
		Authority: inquiry.AuthorityLocalOperator, Name: UserName()}
}

// Call is a call of this user for a client's sessions, "" for those of the command line. It waits
// as long as it says.
func Call(client string) *usecase.Call {
	return &usecase.Call{Client: client, By: Operator(), Most: math.MaxInt64}
}
