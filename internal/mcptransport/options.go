package mcptransport

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Options are the settings of both transports. The zero value works.
type Options struct {
	MaxBody  int64 // bytes of one message of the client; 0 means 4 MiB
	MaxCalls int   // requests under way at once in one session or on one stdio; without sessions eight times as many; 0 means 128
	Log      *slog.Logger

	// The rest is for HTTP.

	KeepAlive    time.Duration // between comments on a quiet stream; 0 means 15s
	IdleTTL      time.Duration // of a session that nobody uses; 0 means 24h
	ResumeGrace  time.Duration // how long a call waits for a lost client of a resumable stream; 0 means 10s
	WriteTimeout time.Duration // of one write to a slow reader, whose connection is then dropped; 0 means 30s
	Buffer       int           // messages kept of each stream for a client that resumes it; 0 means 256
	MaxSessions  int           // sessions at once; 0 means 4096
	Hosts        []string      // names beside loopback ones that requests may be addressed to, "name" or "name:port"
	Origins      []string      // origins of web pages beside loopback ones, like "https://example.com"

	// Authorize names the principal that sends a request, "" being the one without a name. An error refuses it with 401.
	// nil lets everybody in: then listen on loopback only.
	Authorize func(*http.Request) (principal string, err error)

	// Context adds to the context of the handlers what they need of the HTTP request. nil adds nothing.
	Context func(context.Context, *http.Request) context.Context
}

// settings is a copy of opts with the defaults filled in.
func settings(opts *Options) Options {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.MaxBody = or(o.MaxBody, 4<<20)
	o.MaxCalls = or(o.MaxCalls, 128)
	o.KeepAlive = or(o.KeepAlive, 15*time.Second)
	o.IdleTTL = or(o.IdleTTL, 24*time.Hour)
	o.ResumeGrace = or(o.ResumeGrace, 10*time.Second)
	o.WriteTimeout = or(o.WriteTimeout, 30*time.Second)
	o.Buffer = or(o.Buffer, 256)
	o.MaxSessions = or(o.MaxSessions, 4096)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func or[T int | int64 | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}

// batches reports whether a client of this version may send several messages as one array. 2025-03-26 brought it
// ("implementations MUST support receiving JSON-RPC batches") and 2025-06-18 took it away.
func batches(version string) bool { return version == mcp.ProtocolVersion20250326 }

// primes reports whether a client of this version knows events without data: "The server SHOULD immediately send an SSE
// event consisting of an event ID and an empty data field in order to prime the client to reconnect" (2025-11-25). Older
// clients take the empty text for a message and stumble over it.
func primes(version string) bool { return version >= mcp.ProtocolVersion20251125 }
