package proxy

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
)

// Options of a Proxy.
type Options struct {
	Name   string // of the other server: the rules' app
	Target upstream.Target

	Guard *guard.Policy // nil lets every call through
	// Leave uses a person's leave for a call about which the rules would ask, and reports whether
	// there was one. It is not called for critical calls. nil finds none.
	Leave     Leave
	Questions *inquiry.Broker // where a person is asked, run by its owner
	Channels  []string        // through which the questions can be answered, apart from the client
	Session   string          // the session that asks the questions, or "" if missing
	Expires   time.Duration   // how long an approval holds (0 means 10m)
	// what silence leads to: inquiry.RejectAll, or inquiry.Pause, which "" means
	OnUndecided inquiry.OnTimeout
	// of texts for people, see words.Match
	Lang      string
	Wait      func(client string) time.Duration // for a person, in a call (nil means 25s)
	Heartbeat time.Duration                     // between progress messages (0 means 10s)

	Descriptions map[string]string // of tools by name, in place of the server's
	// the silence after which the other server must show that it lives (0 means 60s)
	Quiet time.Duration
	Stdio bool // there is one client, and it takes every broadcast
	Log   *slog.Logger
}

// Leave is a person's leave to make a call of the client without asking.
type Leave func(ctx context.Context, client string, s guard.Subject, d guard.Decision) (bool, error)

// settings is a copy of opts with the defaults filled in.
func settings(opts *Options) Options {
	o := *opts
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Quiet = cmp.Or(o.Quiet, time.Minute)
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.Expires = cmp.Or(o.Expires, 10*time.Minute)
	if o.Wait == nil {
		o.Wait = func(string) time.Duration { return 25 * time.Second }
	}
	return o
}
