package web

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/notify/push"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Questions is what the server needs of an inquiry.Broker.
type Questions interface {
	Find(ctx context.Context, id string, sees func(inquiry.Question) (bool, error)) (
		inquiry.Question, error)
	List(ctx context.Context, f inquiry.Filter) ([]inquiry.Question, error)
	Wait(ctx context.Context, id string) (inquiry.Question, error)
	Resolve(ctx context.Context, id string, r inquiry.Reply) (inquiry.Result, error)
	Subscribe() *inquiry.Subscription
}

// Sessions is what the server needs of a store.Store.
type Sessions interface {
	Find(ctx context.Context, id string, of store.Owners) (store.Session, error)
	LatestRun(ctx context.Context, sessionID string) (store.Run, error)
	Steps(ctx context.Context, sessionID string, after int) ([]store.StepRecord, error)
	Delete(ctx context.Context, sessionID string, by store.AuditEntry) error
	export.Source
}

// Tasks are the use cases that requests call. A *usecase.Cases implements it.
type Tasks interface {
	Start(context.Context, *usecase.Call, usecase.Start) (*usecase.Outcome, error)
	// Delegate is refused where no agents work on goals.
	Delegate(context.Context, *usecase.Call, usecase.Delegate) (*usecase.Outcome, error)
	Continue(context.Context, *usecase.Call, usecase.Continue) (*usecase.Outcome, error)
	Message(context.Context, *usecase.Call, usecase.Message) (*usecase.Outcome, error)
	Stop(context.Context, *usecase.Call, usecase.Stop) (*usecase.Outcome, error)
	Wait(context.Context, *usecase.Call, usecase.Wait) (*usecase.Outcome, error)
	ListPhones(context.Context, *usecase.Call, bool) ([]usecase.Phone, error)
	RunSkill(context.Context, *usecase.Call, usecase.RunSkill) (*usecase.Outcome, error)
	Skills() ([]usecase.ListedSkill, error)
	// After finds what helps after a refusal.
	After(ctx context.Context, c *usecase.Call, err error, begins, starts bool) usecase.Remedy
}

// results are the objects that requests about runs are answered with.
type results interface {
	// Show is how a run stands; name words what the client can do next.
	Show(o *usecase.Outcome, name result.Namer) (result.Result, error)
	// Refuse is why a request could not be carried out.
	Refuse(err error, r usecase.Remedy, name result.Namer) result.Result
}

// Phones are the phones that people look at, and touch while they have taken them over.
type Phones interface {
	// Watch shows the phone. The caller closes the viewer.
	Watch(serial string) *mirror.Viewer
	// Sees refuses one who may see what belongs to the owners, unless a session of theirs has the
	// phone.
	Sees(ctx context.Context, serial string, of store.Owners) error
	// Touch returns once the phone has taken the gesture. A *runs.Error says that no one has taken
	// the phone over. Any other error is the phone's.
	Touch(ctx context.Context, t Touch, g actions.Gesture) error
}

// Touch is whose a gesture is, and on which phone.
type Touch struct {
	Serial string
	Owners store.Owners // whose session has the phone
	Kind   string       // tap, swipe, text or key: it is counted
	By     runs.Actor
}

// Options are the settings of a server. Questions, Sessions, Answers, Grants, Logins, Tasks,
// Results, Requests, Phones, Authorize and Rights are needed; the rest may be zero.
type Options struct {
	Questions Questions
	Sessions  Sessions
	Answers   store.Answers // remembered answers
	Grants    store.Grants  // leave to act without asking
	Logins    *Logins
	Tasks     Tasks
	Results   results
	// Requests are the schemas of what Tasks take, by their names in the OpenAPI document: Start,
	// Delegate, Continue and Message.
	Requests map[string]*schema.Schema
	Waits    usecase.Waits // how long requests wait for runs
	Goals    bool          // agents work on goals
	Phones   Phones
	// AppOf is the package that an app's name means on the phones. nil leaves names as they are.
	AppOf func(ctx context.Context, name string) (string, error)
	Farm  Farm // nil serves none
	// About tells people of the server. nil tells nothing.
	About func(context.Context) (About, error)
	// BaseURL is the address of the server, for example http://127.0.0.1:8731.
	BaseURL string

	// Channels are those through which a question can still be answered, for what the server shows.
	// nil means the channels that it was asked through.
	Channels func(inquiry.Question) []inquiry.Channel

	// Browsers have subscribed to notifications. If nil, none may.
	Browsers *push.Browsers

	// Authorize names the principal of a request that brings no login of the page; an error
	// refuses it with 401.
	Authorize func(*http.Request) (principal string, err error)
	// Changed is closed when whom Authorize lets in may have changed: what waits or streams then
	// looks at its credential again. It does so after each Ping, too.
	Changed func() <-chan struct{}
	// Rights are those of a principal. Who is logged in at the page sees all and decides.
	Rights func(principal string) usecase.Rights

	// names other than loopback ones that requests may be addressed to, "name" or "name:port"
	Hosts []string
	// origins of web pages other than loopback ones; a page there still needs a bearer token
	Origins []string

	Ping time.Duration // between pings of the event stream (0 means 15 s)
	// between looks at the runs of other processes while there is a listener (0 means 1 s)
	Elsewhere time.Duration
	// of one write to a slow listener, whose connection is then dropped (0 means 30 s)
	WriteTimeout time.Duration
	Buffer       int          // events kept for listeners that come back or are slow (0 means 1024)
	MaxListeners int          // event streams and requests that wait at once (0 means 1000)
	Log          *slog.Logger // nil discards
}

// Bounds of what a request may ask.
const (
	// the longest answer, which the broker bounds, with the escapes of JSON around it
	maxBody  = 256 << 10
	maxWait  = 60 * time.Second
	maxLimit = 1000
)

// settings is a copy of opts with the defaults filled in.
func settings(opts *Options) Options {
	o := *opts
	if o.Channels == nil {
		o.Channels = func(q inquiry.Question) []inquiry.Channel { return q.Channels }
	}
	if o.Changed == nil {
		o.Changed = func() <-chan struct{} { return nil }
	}
	o.Ping = cmp.Or(o.Ping, 15*time.Second)
	o.Elsewhere = cmp.Or(o.Elsewhere, time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.Buffer = cmp.Or(o.Buffer, 1024)
	o.MaxListeners = cmp.Or(o.MaxListeners, 1000)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// About is what people can read of the server: its state, how it is set, who may come in, and what
// was done last.
type About struct {
	Health   []Fact             `json:"health"`
	Settings []Fact             `json:"settings"`
	Tokens   []Fact             `json:"tokens"`
	Audit    []store.AuditEntry `json:"audit"` // the newest first
}

// Fact is a name with its value, which holds no secret.
type Fact struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"` // where the value comes from
}

// Farm are the machines that share the store. State is what they are at, as JSON. What is changed
// is written to the audit, with who wants it and why.
type Farm interface {
	State(ctx context.Context) (any, error)
	// Drain has a worker hand its runs over and end.
	Drain(ctx context.Context, worker string, by store.AuditEntry) error
	// Cordon has a phone get no new runs, or opens it again.
	Cordon(ctx context.Context, phone string, off bool, by store.AuditEntry) error
	// Requeue takes a session's run from whoever carries it out.
	Requeue(ctx context.Context, sessionID string, by store.AuditEntry) error
	// Away returns the URL of the machine that shows the phone, "" if it is this one or none does.
	Away(ctx context.Context, phone string) (string, error)
	// Lend connects to the ADB server here for the worker, if that has leased the phone.
	Lend(ctx context.Context, phone, worker string) (io.ReadWriteCloser, error)
	// Sign is a mark on a text that only machines with the same store can make.
	Sign(text string) []byte
}
