package agents

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/model"
)

// Role is what an agent is told to be, and what it may use.
type Role struct {
	Description string   `json:"description,omitempty"` // for the agents that may call it
	Prompt      string   `json:"prompt,omitempty"`
	Model       string   `json:"model,omitempty"` // a name for Options.Model; "" is the default one
	Tools       []string `json:"tools,omitempty"` // patterns of path.Match; nil is all, see Host
	Roles       []string `json:"roles,omitempty"` // that it may call
}

// Model is what decides. It is used by several goroutines.
type Model interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// Priced is a model with what a million tokens of it cost, 0 when that is not known.
type Priced struct {
	Model
	Prompt, Reply float64
}

// Server is an MCP server with something in front of it that decides about calls: a proxy.Proxy.
type Server struct {
	Name  string
	Proxy Proxy
}

// Proxy is the part of a proxy that a host uses.
type Proxy interface {
	transport.Server
	// Undecided reports whether a call of the tool with the arguments has not begun, because the
	// decision about it is still to be taken from the store.
	Undecided(ctx context.Context, tool string, args json.RawMessage) (bool, error)
}

// Phones carries tasks out on phones.
type Phones interface {
	// Do hands the task to a phone that is free, or to the first that becomes free, and waits for
	// its end. The same key stands for the same task: it is gone on with, not begun again. session
	// is called with the id of the task's session once there is one. answer is for the model; ok
	// says that the task was completed.
	Do(ctx context.Context, key, task string, session func(id string)) (answer string, ok bool,
		err error)
}

// People answers questions of agents.
type People interface {
	// Ask puts a question to people and waits for the answer, in words for the model. The same key
	// stands for the same question.
	Ask(ctx context.Context, key, question string, choices []string) (string, error)
}

// Journal keeps what a session has done. It is used by several goroutines.
type Journal interface {
	// Append keeps an entry; it survives a crash once Append returns. An error means that the
	// session goes on elsewhere, has ended, or cannot be stored.
	Append(ctx context.Context, e Entry) error
}

// Limits bound a session. 0 is the default.
type Limits struct {
	Rounds int           // replies of one agent's model: 30
	Calls  int           // of tools, of all agents together: 200
	Depth  int           // agents below agents: 3; none below 0
	Time   time.Duration // of one Work: 30m
	Cost   float64       // of all replies, where prices are known; 0 is no limit
	Result int           // characters of one result that a model is shown at once: 8000
}

// Options of a Host. Model and Journal have to be there.
type Options struct {
	Session string          // the id, which keys of phone tasks and questions are made of
	Main    Role            // of the agent that has the goal
	Roles   map[string]Role // by name
	Model   func(name string) (Priced, error)
	// models write their calls as JSON in their replies, as they know no native calls; otherwise
	// that is found out from what the endpoint refuses
	Textual bool
	Lang    string // "zh" or "en", of our own words to models
	Phones  Phones // nil: there are none
	People  People // nil: nobody can be asked
	Journal Journal
	Limits  Limits
	Observe func(Event) // gets every event, from several goroutines; nil is none
}

// Event is something that an agent does, for people who watch.
type Event struct {
	Agent  string // its id, "1" for the first; those below it have longer ones
	Role   string // "" for the first
	Kind   string // goal, reply, call, result, end; slow: the server Name is waited for
	Call   string // the call's id
	Name   string // of a call, as the model knows it
	Text   string // arguments of a call, words of the others: not cleaned, not cut
	Failed bool   // of a result
}

// Why a host's work ended before its goal was reached.
var (
	ErrCalls = errors.New("the limit of calls (host.max_calls) is reached")
	ErrCost  = errors.New("the limit of cost (host.max_cost) is reached")
	ErrTime  = errors.New("the limit of time (host.max_time) is reached")
	// ErrRounds is the first agent's; that of another one is a failed call of the agent above it.
	ErrRounds = errors.New("the limit of rounds (host.max_rounds) is reached")
	// ErrUnreadable says that a model replies with nothing that could be used.
	ErrUnreadable = errors.New("the model's replies cannot be used")
)
