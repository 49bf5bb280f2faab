package tools

import (
	"context"
	"strings"

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
	Schemas     Schemas // of a connection that does not say; "" means SchemasBrief
	Compat      Compat  // of a connection that does not say; "" means CompatOff
	// for the addresses of questions, for example http://127.0.0.1:8731; "" when HTTP is off
	BaseURL string

	Principal func(context.Context) string // who calls; nil means transport.Principal
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
