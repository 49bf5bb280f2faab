package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
)

// agent is one conversation with a model. note changes its state, also from the goroutines of its
// calls.
type agent struct {
	h     *Host
	role  Role
	depth int
	model Priced
	tools map[string]Tool

	mu    sync.Mutex
	state *State
}

// note appends an entry to the journal, and then to the agent's state.
func (a *agent) note(ctx context.Context, e Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Agent = a.state.Agent
	if err := a.h.opts.Journal.Append(ctx, e); err != nil {
		return err
	}
	a.state.add(e)
	a.h.spend(e)
	return nil
}

func (a *agent) emit(kind, call, name, words string, failed bool) {
	a.h.opts.Observe(Event{Agent: a.state.Agent, Role: a.state.Begin.Role, Kind: kind, Call: call,
		Name: name, Text: words, Failed: failed})
}

// work runs until the model makes no more calls, and returns its final answer.
func (a *agent) work(ctx context.Context) (string, error) {
	for {
		open := a.state.Open()
		if len(open) > 0 && a.h.Spent().Calls > a.h.limits.Calls {
			return "", ErrCalls // a reply with too many calls gets none of them
		}
		if err := a.carryOut(ctx, open); err != nil {
			return "", err
		}
		if answer, ok := a.state.Answer(); ok {
			a.emit("end", "", "", answer, false)
			return answer, nil
		}
		switch l := a.h.limits; {
		case l.Cost > 0 && a.h.Spent().Cost >= l.Cost:
			return "", ErrCost
		case a.state.replies() >= l.Rounds:
			return "", ErrRounds
		}
		if err := a.ask(ctx); err != nil {
			return "", err
		}
	}
}

// maxProblems is how many replies in a row may be unusable.
const maxProblems = 3

// ask makes one request to the model.
func (a *agent) ask(ctx context.Context) error {
	textual := a.h.isTextual(a.role.Model)
	resp, err := a.model.Complete(ctx, a.request(textual))
	refusal, is := errors.AsType[*model.Error](err)
	if !textual && is && refusal.NoTools() {
		a.h.setTextual(a.role.Model)
		textual = true
		resp, err = a.model.Complete(ctx, a.request(true))
	}
	if err != nil {
		return err
	}
	r := a.read(resp, textual)
	r.Prompt, r.Tokens = resp.Usage.PromptTokens, resp.Usage.CompletionTokens
	r.Cost = (float64(r.Prompt)*a.model.Prompt + float64(r.Tokens)*a.model.Reply) / 1e6
	if err := a.note(ctx, Entry{Reply: &r}); err != nil {
		return err
	}
	said := r.Text
	if len(resp.ToolCalls) == 0 { // the calls are events themselves
		said = strings.TrimSpace(fenced.ReplaceAllString(said, ""))
	}
	if said != "" && len(r.Calls) > 0 {
		a.emit("reply", "", "", said, false)
	}
	if r.Problem != "" && a.problems() >= maxProblems {
		return fmt.Errorf("%w: %s", ErrUnreadable, r.Problem)
	}
	return nil
}

// problems counts the unusable replies at the end.
func (a *agent) problems() int {
	n := 0
	for _, e := range a.state.Entries {
		if e.Reply != nil {
			if n++; e.Reply.Problem == "" {
				n = 0
			}
		}
	}
	return n
}

// maxCalls is how many calls of one reply are carried out.
const maxCalls = 16

// read converts a reply to an entry. It takes the native calls, or for a textual model the calls in
// JSON in the text. Other models only quote such text. A reply with a malformed call has a Problem.
func (a *agent) read(resp model.Response, textual bool) Reply {
	r := Reply{Text: behindThoughts(strings.TrimSpace(resp.Text))}
	calls := resp.ToolCalls
	if len(calls) == 0 {
		calls, r.Problem = inText(r.Text, a.tools, textual)
	}
	switch {
	case len(calls) > maxCalls:
		r.Problem = fmt.Sprintf("The reply has %d calls, and at most %d can be made at once. None "+
			"was carried out.", len(calls), maxCalls)
		return r
	case resp.Truncated():
		r.Problem = "The reply was cut off, as it was too long. Nothing was carried out: be brief."
		return r
	case len(calls) > 0 || r.Problem != "":
	case r.Text == "":
		r.Problem = "The reply is empty: call a tool, or give the answer."
	case strings.Contains(resp.FinishReason, "_call"): // as tool_calls
		r.Problem = fmt.Sprintf(unusable, "none stands at the end", nativeForm)
	}
	n := len(a.state.Calls())
	for _, c := range calls {
		n++
		t, _ := a.tool(c.Name)
		r.Calls = append(r.Calls, Call{ID: fmt.Sprintf("%s-%d", a.state.Agent, n), Name: c.Name,
			Args: plainArguments(c.Arguments), Server: t.Server, Of: t.Of})
	}
	return r
}

// carryOut carries out calls concurrently and waits for them. People are asked one question about
// calls that wait for a decision.
func (a *agent) carryOut(ctx context.Context, calls []Call) error {
	errs := make([]error, len(calls))
	key := fmt.Sprintf("%s %s reply %d", a.h.opts.Session, a.state.Agent, a.state.replies())
	parts := inquiry.NewTogether(key, len(calls))
	var working sync.WaitGroup
	for i, c := range calls {
		working.Go(func() {
			defer parts[i].Leave()
			errs[i] = a.finish(parts[i].With(ctx), c)
		})
	}
	working.Wait()
	return errors.Join(errs...)
}

// finish completes a call and records its result.
func (a *agent) finish(ctx context.Context, c Call) error {
	a.emit("call", c.ID, c.Name, string(c.Args), false)
	r, err := a.call(ctx, c)
	if err != nil {
		return err
	}
	r.Call = c.ID
	r.Text = text.Cut(r.Text, maxKept)
	if err := a.note(context.WithoutCancel(ctx), Entry{Result: &r}); err != nil {
		return err
	}
	a.emit("result", c.ID, c.Name, r.Text, r.Failed)
	return nil
}

// maxKept is how many characters of a result are stored.
const maxKept = 1 << 20

// unknownOutcome is the result of an interrupted call, for the model.
const unknownOutcome = "The outcome is unknown: the work was interrupted while this call was " +
	"carried out. It may have been done, and it was not repeated. Find out before you call it " +
	"again."

// tool returns the agent's tool with the name. It also finds a tool by the name that it had while
// another server had a tool of the same name.
func (a *agent) tool(name string) (Tool, bool) {
	t, ok := a.tools[name]
	for _, other := range a.tools {
		if !ok && other.conn != nil && toolName(other.Server+"_"+other.Of) == name {
			return other, true
		}
	}
	return t, ok
}

// call carries out a call. An error ends the agent's work.
func (a *agent) call(ctx context.Context, c Call) (Result, error) {
	a.mu.Lock()
	begun := a.state.begun[c.ID]
	a.mu.Unlock()
	t, ok := a.tool(c.Name)
	if !ok && begun { // its server is no longer there
		return Result{Text: unknownOutcome, Failed: true, Unknown: true}, nil
	}
	if !ok {
		return failed("There is no tool %s.", text.Quote(c.Name, 100)), nil
	}
	var args map[string]json.RawMessage
	if json.Unmarshal(c.Args, &args) != nil {
		return failed("The arguments of %s are no JSON object. Nothing was carried out.",
			c.Name), nil
	}
	if t.conn == nil {
		inquiry.PartOf(ctx).Leave()
		return a.callBuiltin(ctx, c, t)
	}
	if t.prompt != "" {
		inquiry.PartOf(ctx).Leave()
		return t.conn.prompt(ctx, t.prompt, c.Args)
	}
	if begun {
		waits, err := t.conn.Proxy.Undecided(ctx, t.Of, c.Args)
		if err != nil {
			return Result{}, err
		}
		if !waits {
			return Result{Text: unknownOutcome, Failed: true, Unknown: true}, nil
		}
	} else if err := a.note(ctx, Entry{Intent: c.ID}); err != nil {
		return Result{}, err
	}
	words, bad, err := t.conn.call(ctx, a.behalf(), t.Of, c.Args)
	return Result{Text: words, Failed: bad}, err
}

// callBuiltin calls one of the host's own tools. All of them can be repeated safely.
func (a *agent) callBuiltin(ctx context.Context, c Call, t Tool) (Result, error) {
	var args struct {
		ID       string   `json:"id"`
		Offset   int      `json:"offset"`
		Task     string   `json:"task"`
		Goal     string   `json:"goal"`
		Question string   `json:"question"`
		Choices  []string `json:"choices"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return failed("The arguments do not fit: %s", text.Line(err.Error())), nil
	}
	if unknown, takes := t.unknownArgument(c.Args); unknown != "" {
		return failed("There is no argument %s; the arguments are: %s. Nothing was carried out.",
			text.Quote(unknown, 60), takes), nil
	}
	key := a.h.opts.Session + " " + c.ID
	switch {
	case t.Name == readResult:
		part, err := a.h.read(args.ID, args.Offset)
		if err != nil {
			return failed("%s", err), nil
		}
		return Result{Text: part}, nil
	case t.Name == usePhone:
		return a.phone(ctx, c, key, args.Task)
	case t.Name == askPerson:
		if strings.TrimSpace(args.Question) == "" {
			return failed("The question is empty."), nil
		}
		words, err := a.h.opts.People.Ask(ctx, key, args.Question, args.Choices)
		return Result{Text: words}, err
	}
	return a.delegate(ctx, c, t.Of, args.Goal)
}

// phone carries out a task on a phone.
func (a *agent) phone(ctx context.Context, c Call, key, task string) (Result, error) {
	if strings.TrimSpace(task) == "" {
		return failed("The task is empty."), nil
	}
	var noted error
	answer, ok, err := a.h.opts.Phones.Do(ctx, key, task, func(id string) {
		a.mu.Lock()
		known := a.state.Sessions[c.ID] == id
		a.mu.Unlock()
		if !known {
			noted = a.note(ctx, Entry{Session: &Session{Call: c.ID, ID: id}})
		}
	})
	if noted != nil {
		return Result{}, noted
	}
	return Result{Text: answer, Failed: !ok}, err
}

// delegate gives a part of the goal to another agent, or continues that agent's work.
func (a *agent) delegate(ctx context.Context, c Call, role, goal string) (Result, error) {
	if strings.TrimSpace(goal) == "" {
		return failed("The goal is empty."), nil
	}
	sub, err := a.h.agent(ctx, c.ID, Begin{Role: role, Goal: goal}, a.h.opts.Roles[role],
		a.depth+1)
	if err != nil {
		return Result{}, err
	}
	answer, err := sub.work(ctx)
	if errors.Is(err, ErrRounds) || errors.Is(err, ErrUnreadable) {
		return failed("The agent ended without an answer: %s.", err), nil
	}
	return Result{Text: answer}, err
}

// mostGoal bounds, in characters, the part of its goal that an agent is known by.
const mostGoal = 200

// behalf says which agent this is, and what for.
func (a *agent) behalf() transport.Behalf {
	return transport.Behalf{Role: a.state.Begin.Role, Goal: text.Cut(a.state.Begin.Goal, mostGoal)}
}

// madeKey is the key in the _meta of a call on its way to the proxy that stands for a made. It goes
// no further: a server learns of an agent's goal only what the agent tells it.
const madeKey = "taploop/made"

// made is on whose behalf a call is made, and which calls are made with it.
type made struct {
	behalf transport.Behalf
	part   *inquiry.Part
}

// told is a proxy that learns how each call is made.
type told struct {
	Proxy
	calls *sync.Map // of made, by number
}

// HandleMessage implements transport.Server.
func (p told) HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage {
	var n int64
	if json.Unmarshal(wire.At(raw, "params", "_meta", madeKey), &n) != nil {
		return p.Proxy.HandleMessage(ctx, raw)
	}
	place := []string{"params", "_meta", madeKey}
	if len(wire.Members(wire.At(raw, place[:2]...))) == 1 { // and nothing else
		place = place[:2]
	}
	if of, ok := p.calls.Load(n); ok {
		of := of.(made)
		ctx = of.part.With(transport.OnBehalf(ctx, of.behalf))
	}
	return p.Proxy.HandleMessage(ctx, wire.With(raw, nil, place...))
}
