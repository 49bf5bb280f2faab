package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// Options of Tools. Those of the use cases and Sign are required.
type Options struct {
	usecase.Options
	// makes a mark of 32 bytes on a text, which no one else can make; the same after a restart
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
	// Rights are those of a principal. nil means that each sees its own sessions only.
	Rights func(principal string) usecase.Rights
}

// owners are the clients whose sessions the caller sees.
func (o *Options) owners(ctx context.Context) store.Owners {
	principal := o.Principal(ctx)
	return o.Rights(principal).Owners(principal)
}

// waitsOf are those of a client's call.
func waitsOf(o *Options, client string) usecase.Waits {
	for name, own := range o.ClientWaits {
		if strings.EqualFold(name, client) {
			return own.Over(o.Waits).Of(usecase.Patient(client))
		}
	}
	return o.Waits.Of(usecase.Patient(client))
}

// Schemas say how much the list of tools says, and how much the structure of a result. Every
// conversation pays for it, before anything is called. It is SchemasBrief, SchemasFull, or groups
// of arguments with commas between them, see [parseSchemas].
type Schemas string

// The lists that there are.
const (
	SchemasBrief Schemas = "brief" // for models: the usual arguments
	// for programs: every argument with its bounds, and what comes back
	SchemasFull Schemas = "full"
)

// groups are of arguments that the brief list leaves out, by the tag listed of their fields.
var groups = []string{"inquiry", "captions", "gelab"}

// parseSchemas checks how much is to be listed: brief, full, or the brief list with groups of
// arguments, such as "inquiry,captions".
func parseSchemas(s string) (Schemas, error) {
	known := append([]string{string(SchemasBrief), string(SchemasFull)}, groups...)
	for part := range strings.SplitSeq(s, ",") {
		if !slices.Contains(known, part) {
			return "", invalid("use full, brief, inquiry, captions or gelab, or several of the "+
				"last three with commas between them", "%s is none that is known",
				text.Quote(s, 60))
		}
	}
	return Schemas(s), nil
}

// Has reports whether the list has a group of arguments.
func (s Schemas) Has(group string) bool {
	return slices.Contains(strings.Split(string(s), ","), group)
}

// Compat says whose MCP server a connection finds, for clients that were written for another one.
type Compat string

// The servers that there are.
const (
	CompatOff Compat = "off" // our own
	// gelab-zero's: its tools and defaults, serials for list_connected_devices, and calls that
	// return when the task ends, or when the client leaves
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
