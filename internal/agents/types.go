package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/model"
)

// Role describes an agent and its permissions.
type Role struct {
	Description string   `json:"description,omitempty"` // for the agents that may call it
	Prompt      string   `json:"prompt,omitempty"`
	Model       string   `json:"model,omitempty"` // for Options.Model, "" for the default
	Tools       []string `json:"tools,omitempty"` // patterns of path.Match, nil for all tools
	Roles       []string `json:"roles,omitempty"` // that it may call
}

// Model is a language model. It is safe for concurrent use.
type Model interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// Priced is a model with its prices per million tokens, 0 if unknown.
type Priced struct {
	Model
	Prompt, Reply float64
}

// Server is an MCP server behind a proxy that decides about calls.
type Server struct {
	Name  string
	Proxy Proxy
}

// Proxy is the part of a proxy.Proxy that a host uses.
type Proxy interface {
	transport.Server
	// Undecided reports whether a call has not begun because the decision about it is still to be
	// taken from the store.
	Undecided(ctx context.Context, tool string, args json.RawMessage) (bool, error)
}

// phones carries out tasks on phones.
type phones interface {
	// Do carries out the task on the next free phone and waits for its end. A task with a known key
	// is resumed. Do calls session with the id of the task's session once it exists. answer is for
	// the model. ok reports whether the task was completed.
	Do(ctx context.Context, key, task string, session func(id string)) (answer string, ok bool,
		err error)
}

// people answers questions of agents.
type people interface {
	// Ask asks people a question and returns the answer in words for the model. Calls with the same
	// key ask the same question.
	Ask(ctx context.Context, key, question string, choices []string) (string, error)
}

// Journal stores the entries of a session. It is safe for concurrent use.
type Journal interface {
	// Append stores an entry durably. It returns an error if the entry cannot be stored, the
	// session has ended, or another process carries it out.
	Append(ctx context.Context, e Entry) error
}

// Limits of a session. 0 is the default.
type Limits struct {
	Rounds int           // replies of one agent's model, 30 by default
	Calls  int           // calls by all agents, 200 by default
	Depth  int           // levels of agents below the first, 3 by default, negative for none
	Time   time.Duration // of one Work, 30 minutes by default
	Cost   float64       // of all replies with known prices, 0 for no limit
	Result int           // characters of a result in one message, 8000 by default
}

// Options configure a Host. Model and Journal must be set.
type Options struct {
	Session string          // the id, part of the keys of tasks and questions
	Main    Role            // of the agent with the goal
	Roles   map[string]Role // by name
	Model   func(name string) (Priced, error)
	// Models write their calls as JSON in their replies because they support no native calls.
	// Otherwise this is detected by the endpoint's refusal.
	Textual bool
	Lang    string // of messages to models: "zh" or "en", or "" for the goal's
	Phones  phones // nil for none
	People  people // nil for none
	Journal Journal
	Down    []Down // servers that cannot be used, and why
	Limits  Limits
	Observe func(Event) // is called for each event, from several goroutines. May be nil.
}

// Event reports an action of an agent.
type Event struct {
	Agent  string // "1" for the first agent, longer below it
	Role   string // "" for the first
	Kind   string // goal, reply, call, result, end, or slow while the server Name starts
	Call   string // id of the call
	Name   string // of the tool, as the model knows it
	Text   string // arguments of a call, or else a text, unmodified
	Failed bool   // of a result
}

// Errors that end a host's work before its goal is reached.
var (
	ErrCalls = errors.New("the limit of calls (host.max_calls) is reached")
	ErrCost  = errors.New("the limit of cost (host.max_cost) is reached")
	ErrTime  = errors.New("the limit of time (host.max_time) is reached")
	// ErrRounds is for the first agent. For another one, the call that started it fails.
	ErrRounds = errors.New("the limit of rounds (host.max_rounds) is reached")
	// ErrUnreadable means that the model's replies are unusable.
	ErrUnreadable = errors.New("the model's replies cannot be used")
)

// Down is a server that could not be reached at the start.
type Down struct {
	Server string
	Err    error
}

func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}
