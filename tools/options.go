package tools

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// Options of Tools. Runs, Questions, Store, Leases, Phones and Sign have to be there.
type Options struct {
	Runs      *runs.Manager
	Questions *inquiry.Broker
	Store     Store
	Leases    Leases
	Phones    runs.Phones
	// makes a mark of 32 bytes on a text, which nobody else can make; the same after a restart
	Sign func(purpose, text string) []byte

	Waits Waits
	// ClientWaits are for clients by the name that they give themselves, upper or lower case; a
	// zero field keeps that of Waits.
	ClientWaits map[string]Waits
	// of an inquiry that does not say, when a model answers then
	OnTimeout inquiry.OnTimeout
	Drafts    bool         // a model drafts answers to questions
	ReplyMode channel.Mode // of a new task that does not say; "" means pass_to_client
	MaxSteps  int          // the configured maximum, for descriptions only; 0 does not mention it
	Privacy   Privacy      // "" means PrivacyOff
	Schemas   Schemas      // of a connection that does not say; "" means SchemasBrief
	Compat    Compat       // of a connection that does not say; "" means CompatOff
	// for the addresses of questions, for example http://127.0.0.1:8731; "" when HTTP is off
	BaseURL  string
	Channels []string // where every open question is listed, for example inquiry.ChannelPage

	Goals bool // there is the tool delegate_goal

	Principal func(context.Context) string // who calls; nil means transport.Principal
	Log       *slog.Logger                 // nil discards
}

// Store is what the tools read past the Manager; *store.Store is one.
type Store interface {
	export.Source
	Steps(ctx context.Context, sessionID string, after int) ([]store.StepRecord, error)
	Find(ctx context.Context, id string, client *string) (store.Session, error)
	LatestRun(ctx context.Context, sessionID string) (store.Run, error)
}

// Leases say who holds a phone; a store.Leases is one.
type Leases interface {
	Holder(ctx context.Context, serial string) (store.Hold, bool, error)
}

// Privacy says what may leave over MCP.
type Privacy string

// The levels of privacy.
const (
	PrivacyOff      Privacy = "off"      // pictures leave when a client asks for them
	PrivacyCaptions Privacy = "captions" // no picture leaves; each screen is described in words
)

// Waits bound how long calls wait for their run. A zero field takes its default.
type Waits struct {
	// of a call that does not say; 25 s, and 45 s with a progress token
	Default time.Duration
	// of any call; 90 s. One without a progress token waits 50 s at most, or Default when that is
	// longer
	Max       time.Duration
	Heartbeat time.Duration // between progress messages while nothing happens; 10 s
}

// quietly is how long a client waits that sees no progress.
const quietly = 50 * time.Second

func (w Waits) over(base Waits) Waits {
	return Waits{cmp.Or(w.Default, base.Default), cmp.Or(w.Max, base.Max),
		cmp.Or(w.Heartbeat, base.Heartbeat)}
}

func (w Waits) withDefaults(progress bool) Waits {
	usual := 25 * time.Second
	if progress {
		usual = 45 * time.Second
	}
	w = w.over(Waits{Default: usual, Max: 90 * time.Second, Heartbeat: 10 * time.Second})
	w.Default = min(w.Default, w.Max)
	return w
}

// waitsOf are those of a client's call, with a progress token or without.
func (o *Options) waitsOf(client string, progress bool) Waits {
	for name, w := range o.ClientWaits {
		if strings.EqualFold(name, client) {
			return w.over(o.Waits).withDefaults(progress)
		}
	}
	return o.Waits.withDefaults(progress)
}

// budget is how long the call may wait. seconds is nil when it did not say.
func (c *call) budget(seconds *float64) time.Duration {
	wanted := c.waits.Default
	if seconds != nil {
		wanted = time.Duration(*seconds * float64(time.Second))
	}
	return min(wanted, c.most())
}

// most is how long the client waits.
func (c *call) most() time.Duration {
	if c.progress.token == nil {
		return min(max(quietly, c.waits.Default), c.waits.Max)
	}
	return c.waits.Max
}
