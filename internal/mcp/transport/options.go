package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/httpguard"
)

// Options are the settings of both transports. The zero value works.
type Options struct {
	MaxBody int64 // bytes of one message of the client (0 means 4 MiB)
	// requests under way at once in one session or on stdio, and an eighth of those of all clients
	// (0 means 128)
	MaxCalls int
	// InOrder handles the tool calls of a client one after the other, in the order in which it
	// wrote them, until each says that it has [Begun] or ends. Calls that stand alone have no
	// order.
	InOrder bool
	Log     *slog.Logger
	// Subscribe returns why a client may not subscribe to a resource. nil allows all.
	Subscribe func(ctx context.Context, uri string) error

	// The rest is for HTTP.

	KeepAlive time.Duration // between comments on a quiet stream (0 means 15s)
	IdleTTL   time.Duration // of an unused session (0 means 24h)
	// how long a call waits for a lost client of a resumable stream (0 means 10s)
	ResumeGrace time.Duration
	// of one write to a slow reader, whose connection is then dropped (0 means 30s)
	WriteTimeout time.Duration
	// messages kept of each stream for a client that resumes it (0 means 256)
	Buffer      int
	MaxSessions int // sessions at once, and listening connections (0 means 4096)
	// Operator reports whether a part of the sessions, calls and connections is kept for a
	// principal. nil keeps none.
	Operator func(principal string) bool
	// Person reports whether the principal is a person, see [Person]. nil: no one is.
	Person func(principal string) bool
	// names that requests may be addressed to apart from loopback ones, "name" or "name:port"
	Hosts []string
	// origins of web pages apart from loopback ones, like "https://example.com"
	Origins []string

	// Authorize returns the principal that sends a request, which may be "". An error refuses the
	// request with 401, and with 503 if ErrNotNow is among its causes. nil allows everybody, so
	// listen on loopback only.
	Authorize func(*http.Request) (principal string, err error)

	// Changed returns a channel that is closed when Authorize may decide differently. Long
	// connections then check their credential again. With nil they do so before each write.
	Changed func() <-chan struct{}

	// Context adds values of the HTTP request to the context of the handlers. nil adds none.
	Context func(context.Context, *http.Request) context.Context
}

// settings is a copy of opts with the defaults filled in.
func settings(opts *Options) Options {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Operator == nil {
		o.Operator = func(string) bool { return false }
	}
	if o.Person == nil {
		o.Person = func(string) bool { return false }
	}
	if o.Changed == nil {
		o.Changed = func() <-chan struct{} { return nil }
	}
	o.MaxBody = cmp.Or(o.MaxBody, 4<<20)
	o.MaxCalls = cmp.Or(o.MaxCalls, 128)
	o.KeepAlive = cmp.Or(o.KeepAlive, 15*time.Second)
	o.IdleTTL = cmp.Or(o.IdleTTL, 24*time.Hour)
	o.ResumeGrace = cmp.Or(o.ResumeGrace, 10*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.Buffer = cmp.Or(o.Buffer, 256)
	o.MaxSessions = cmp.Or(o.MaxSessions, 4096)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// guard checks where the request claims to be addressed and to come from: "Servers MUST validate
// the Origin header on all incoming connections to prevent DNS rebinding attacks". No header that
// would let other origins in is ever sent.
func (o *Options) guard(r *http.Request) error {
	return (&httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins}).Check(r)
}

// batches reports whether a client of this version may send several messages as one array.
// 2025-03-26 brought it ("implementations MUST support receiving JSON-RPC batches") and 2025-06-18
// took it away.
func batches(version string) bool { return version == mcp.ProtocolVersion20250326 }

const noBatches = "this version of the protocol has no batches: send each message by itself"

// primes reports whether a client of this version knows events without data: "The server SHOULD
// immediately send an SSE event consisting of an event ID and an empty data field in order to prime
// the client to reconnect" (2025-11-25). Older clients take the empty text for a message and
// stumble over it.
func primes(version string) bool { return version >= mcp.ProtocolVersion20251125 }
