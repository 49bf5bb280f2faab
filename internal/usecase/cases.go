package usecase

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// Options of Cases. Runs, Questions, Store, Leases and Phones are required.
type Options struct {
	Runs      *runs.Manager
	Questions *inquiry.Broker
	Store     Store
	Leases    Leases
	Phones    runs.Phones
	Goals     bool // goals are taken

	// of an inquiry that does not say, when a model answers then
	OnTimeout inquiry.OnTimeout
	Drafts    bool         // a model drafts answers to questions
	ReplyMode channel.Mode // of a new task that does not say; "" means pass_to_client
	MaxSteps  int          // the configured maximum; 0 is not mentioned
	Privacy   Privacy      // "" means PrivacyOff
	Channels  []string     // where every open question is listed, for example inquiry.ChannelPage
	Log       *slog.Logger // nil discards
}

// Store is what the use cases read past the Manager; *store.Store is one.
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

// Privacy says what may leave the server.
type Privacy string

// The levels of privacy.
const (
	PrivacyOff      Privacy = "off"      // pictures leave when a client asks for them
	PrivacyCaptions Privacy = "captions" // no picture leaves; each screen is described in words
)

// Cases are the use cases. They are safe for concurrent use.
type Cases struct {
	Options

	mu     sync.Mutex
	closed map[string]bool // inquiries whose form was closed without an answer
}

// New makes the use cases.
func New(opts *Options) *Cases {
	u := &Cases{Options: *opts, closed: map[string]bool{}}
	if u.ReplyMode == "" {
		u.ReplyMode = channel.PassToClient
	}
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	return u
}

// Call is one call: who makes it, and how it may wait. It is for one goroutine at a time.
type Call struct {
	Client string     // whom sessions and questions belong to
	By     runs.Actor // for the audit, and whose answers are
	// Mode replaces a reply mode that does not ask people only; "" replaces none.
	Mode  channel.Mode
	Usual time.Duration // how long a call waits that does not say
	Most  time.Duration // how long any call waits
	// Forms shows questions to the caller's user; nil when the caller cannot.
	Forms Forms
	// Report is given what happens while the call waits; nil reports nothing.
	Report *Reporter

	session string // that the call is about, once it is known to be the caller's
}

// Forms shows questions to the user of a caller.
type Forms interface {
	// Show asks, at most until end. It returns when the question is settled, or is with its next
	// channel, or the time is over. An error ends the call, which returns it unchanged.
	Show(ctx context.Context, q inquiry.Question, end time.Time) (FormOutcome, error)
}

// FormOutcome is what came of a form.
type FormOutcome struct {
	Replayed bool   // the answer had been accepted before
	Late     string // why the answer came too late, or ""
}

// Budget is how long the call may wait; seconds is nil if it does not say.
func (c *Call) Budget(seconds *float64) time.Duration {
	wanted := c.Usual
	if seconds != nil {
		wanted = time.Duration(*seconds * float64(time.Second))
	}
	return min(wanted, c.Most)
}

// mode is the reply mode of the call that wants m, where usual is the server's own.
func (c *Call) mode(m, usual channel.Mode) channel.Mode {
	if c.Mode == "" || m.Personal() && m != usual {
		return m
	}
	return c.Mode
}

// Session is the session that the call is about, or "".
func (c *Call) Session() string { return c.session }

func invalid(hint, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, hint, format, a...)
}
