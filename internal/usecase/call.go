package usecase

import (
	"context"
	"encoding/json"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// Call is one call: who makes it, and how it may wait. It is for one goroutine at a time.
type Call struct {
	Client string     // whom sessions and questions belong to
	By     runs.Actor // for the audit, and whose answers are
	Rights Rights     // of Client
	// Mode replaces a reply mode that does not ask people only, unless it is "".
	Mode  channel.Mode
	Usual time.Duration // how long a call waits that does not say
	Most  time.Duration // how long any call waits
	Steps int           // of a call that does not say; 0 means as many as are configured
	// Forms shows questions to the caller's user, or nil if the caller cannot.
	Forms forms
	// Person says that what Forms bring is a person's word.
	Person bool
	// Begun is called when the call has done what it changes and begins to wait, unless it is nil.
	Begun func()
	// Report is given what happens while the call waits, unless it is nil.
	Report *Reporter

	session string // that the call is about, once it is known to be the caller's
}

// forms shows questions to the user of a caller.
type forms interface {
	// Show asks, at most until end. It returns when the question is settled, or is with its next
	// channel, or the time is over. An error ends the call, which returns it unchanged.
	Show(ctx context.Context, q inquiry.Question, end time.Time) (FormOutcome, error)
}

// FormOutcome is what came of a form.
type FormOutcome struct {
	Replayed bool   // the answer had been accepted before
	Late     string // why the answer came too late, or ""
}

// Owners are the clients whose sessions and questions the caller may know.
func (c *Call) Owners() store.Owners { return c.Rights.Owners(c.Client) }

// Budget is how long the call may wait. seconds is nil if it does not say.
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

func (c *Call) begun() {
	if c.Begun != nil {
		c.Begun()
	}
}

// Session is the session that the call is about, or "".
func (c *Call) Session() string { return c.session }

func invalid(hint, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, hint, format, a...)
}

// small refuses an object that is too large to be kept.
func small(name string, object json.RawMessage, most int) error {
	if len(object) > most {
		return invalid("pass less", "%s has %d bytes (at most %d)", name, len(object), most)
	}
	return nil
}

// canShow refuses a call that wants its questions to be asked in forms only, from a caller that
// shows none.
func (c *Call) canShow(mode channel.Mode) error {
	if c.Forms != nil || !mode.Is(channel.Elicit) {
		return nil
	}
	return invalid(`use pass_to_client, or "elicit -> pass_to_client"`,
		"reply mode %s needs a client that shows forms to its user, and this one does "+
			"not", channel.Elicit)
}
