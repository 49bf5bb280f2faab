package tools

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// Manager carries runs out; *runs.Manager is one.
type Manager interface {
	Runs
	Audience
}

// Runs are the use cases.
type Runs interface {
	Start(context.Context, runs.StartRequest) (runs.Status, error)
	Continue(context.Context, runs.ContinueRequest) (runs.Status, error)
	Wait(context.Context, runs.WaitRequest) (runs.Status, error)
	Stop(context.Context, runs.StopRequest) (runs.Status, error)
	PickUp(ctx context.Context, sessionID string) (runs.Status, error)
	Status(ctx context.Context, sessionID string) (runs.Status, error)
}

// Audience is for those who follow a run that goes on by itself.
type Audience interface {
	// Session gives a session of the client; one of somebody else is like one that is not there.
	Session(ctx context.Context, id, client string) (session.Session, error)
	// Attach notes that somebody waits for the session's runs, until detach is called.
	Attach(sessionID string) (detach func())
	Watch(sessionID string) *runs.Watch
	// PassOn says that the door has no answer to the question, and why.
	PassOn(q inquiry.Question, door runs.ReplyMode, why string)
	// Doors are those through which the question can still be answered.
	Doors(q inquiry.Question) []inquiry.Door
	Broker() *inquiry.Broker
}

// Store is what the tools read past the Manager; *session.Store is one.
type Store interface {
	Sessions(context.Context, session.Filter) ([]session.Overview, error)
	Session(ctx context.Context, id string) (session.Session, error)
	Frame(ctx context.Context, id string) ([]byte, error) // JPEG
	Holder(ctx context.Context, serial string) (session.Hold, bool, error)
	// Sign is a mark of 32 bytes on a text, which nobody else can make; the same after a restart.
	Sign(purpose, text string) []byte
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
	Default     time.Duration // of a call that does not say; 45 s
	Max         time.Duration // of a call without a progress token; 50 s, or Default when that is longer
	MaxProgress time.Duration // of a call with one; 90 s. It bounds the other two as well
	Heartbeat   time.Duration // between progress messages while nothing happens; 10 s
}

func (w Waits) over(base Waits) Waits {
	return Waits{cmp.Or(w.Default, base.Default), cmp.Or(w.Max, base.Max), cmp.Or(w.MaxProgress, base.MaxProgress), cmp.Or(w.Heartbeat, base.Heartbeat)}
}

func (w Waits) withDefaults() Waits {
	w = w.over(Waits{Default: 45 * time.Second, MaxProgress: 90 * time.Second, Heartbeat: 10 * time.Second})
	w.Default = min(w.Default, w.MaxProgress)
	if w.Max == 0 {
		w.Max = max(50*time.Second, w.Default)
	}
	w.Max = min(w.Max, w.MaxProgress)
	return w
}

// budget is how long a call may wait. asked is nil when it did not say.
func (w Waits) budget(asked *time.Duration, progress bool) time.Duration {
	most := w.Max
	if progress {
		most = w.MaxProgress
	}
	if asked == nil {
		return min(w.Default, most)
	}
	return min(*asked, most)
}

// Options of Tools. Manager, Store and Phones have to be there.
type Options struct {
	Runs   Manager
	Store  Store
	Phones runs.Phones

	Waits       Waits
	ClientWaits map[string]Waits // for clients by the name that they give themselves, upper or lower case; a zero field keeps that of Waits
	ReplyMode   runs.ReplyMode   // of a new task that does not say; "" means pass_to_client
	MaxSteps    int              // the configured maximum, for the words only; 0 does not mention it
	Privacy     Privacy          // "" means PrivacyOff
	BaseURL     string           // of the HTTP face, for example http://127.0.0.1:8731, for the addresses of questions; "" when there is none
	Doors       []string         // where every open question is listed, for example inquiry.ChannelPage; for the doors of an inquiry

	Principal func(context.Context) string // who calls; nil means mcptransport.Principal
	Log       *slog.Logger                 // nil discards
}

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	opts   Options
	all    []tool
	byName map[string]tool

	mu     sync.Mutex
	closed map[string]bool // inquiries whose form was closed without an answer
	waits  Waits
	log    *slog.Logger
}

// New makes the tools.
func New(opts *Options) *Tools {
	t := &Tools{closed: map[string]bool{}, opts: *opts, waits: opts.Waits.withDefaults(), log: opts.Log}
	if t.opts.Principal == nil {
		t.opts.Principal = mcptransport.Principal
	}
	if t.opts.ReplyMode == "" {
		t.opts.ReplyMode = runs.PassToClient
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.all, t.byName = t.catalog(), map[string]tool{}
	for _, d := range t.all {
		t.byName[d.name] = d
	}
	return t
}

// Register adds the tools to a server.
func (t *Tools) Register(s *server.MCPServer) {
	server.WithToolFilter(t.redescribe)(s)
	for _, d := range t.all {
		s.AddTool(d.declaration(), t.handler(d))
	}
}

// waitsOf are those of the client that sends the request.
func (t *Tools) waitsOf(ctx context.Context) Waits {
	name := mcptransport.ClientName(ctx)
	for n, w := range t.opts.ClientWaits {
		if strings.EqualFold(n, name) {
			return w.over(t.opts.Waits).withDefaults()
		}
	}
	return t.waits
}
