package tools

import (
	"context"
	"strings"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
)

// Options of Tools. Those of the use cases and Sign are required.
type Options struct {
	usecase.Options
	// makes a mark of 32 bytes on a text, which nobody else can make; the same after a restart
	Sign func(purpose, text string) []byte

	Waits usecase.Waits
	// ClientWaits are for clients by the name that they give themselves, upper or lower case; a
	// zero field keeps that of Waits.
	ClientWaits map[string]usecase.Waits
	Schemas     Schemas // of a connection that does not say ("" means SchemasBrief)
	Compat      Compat  // of a connection that does not say ("" means CompatOff)
	// for the addresses of questions, for example http://127.0.0.1:8731, or "" if HTTP is off
	BaseURL string

	Principal func(context.Context) string // who calls; nil means transport.Principal
	Person    func(context.Context) bool   // whether that is a person; nil means transport.Person
}

// waitsOf are those of a client's call, with progress or without.
func waitsOf(o *Options, client string, progress bool) usecase.Waits {
	for name, w := range o.ClientWaits {
		if strings.EqualFold(name, client) {
			return w.Over(o.Waits).Of(progress)
		}
	}
	return o.Waits.Of(progress)
}

// Schemas say how much the list of tools says. Every conversation pays for it, before anything is
// called.
type Schemas string

// The lists that there are.
const (
	SchemasBrief Schemas = "brief" // for models: the usual arguments
	// for programs: every argument with its bounds, and what comes back
	SchemasFull Schemas = "full"
)

// Compat says whose MCP server a connection finds, for clients that were written for another one.
type Compat string

// The servers that there are.
const (
	CompatOff Compat = "off" // our own
	// gelab-zero's: its tools and defaults, serials for list_connected_devices, and calls that
	// return when the task ends, or when the client would give up
	CompatGelab Compat = "gelab"
)

// edge is what every handler has: the use cases, and what the server says of itself.
type edge struct {
	cases *usecase.Cases
	opts  *Options
}

func invalid(hint, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, hint, format, a...)
}
