package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
	"github.com/taploop/taploop/tools/result"
)

// fixture is the tools as a client sees them, over a real Manager and a real store, with phones and
// a policy of our own.
type fixture struct {
	gate agentloop.Gate // of all runs

	programsDecide bool // as inquiry.Options has it

	t       *testing.T
	dir     string
	phones  *fakePhones
	policy  *scriptedPolicy
	fopts   runs.Options
	topts   tools.Options
	store   *store.Store
	manager *runs.Manager
	client  *client.Client
	also    []*client.Client
	sopts   *transport.Options
	piped   chan error // of a server at the other end of a pipe; nil when there is none
	drain   func()     // reads what it still has to say
	calls   int        // that were made without the client's own hands
	output  map[string]*jsonschema.Schema

	mu  sync.Mutex
	got []mcp.JSONRPCNotification
}

// forever is longer than any test of ours goes on. A bubble in which somebody looks at a clock from
// time to time, as the Manager does, never is at a standstill: without an end a test that waits in
// vain would let its time race on.
const forever = 30 * 24 * time.Hour

// bubble runs a test in a bubble of its own, in parallel with others: waiting costs nothing, and a
// goroutine left behind is an error.
func bubble(t *testing.T, test func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		defer time.AfterFunc(forever, func() {
			debug.SetTraceback("all")
			panic("the test waits for something that never comes")
		}).Stop()
		w := newFixture(t, dir)
		defer func() {
			w.end()
			require.Zero(t, w.phones.open, "a phone is still open")
		}()
		test(t, w)
	})
}

func newFixture(t *testing.T, dir string) *fixture {
	w := &fixture{t: t, dir: dir, phones: newFakePhones("A"), policy: &scriptedPolicy{}}
	w.gate = asking{"none"}
	w.fopts = runs.Options{Phones: w.phones, NewPolicy: w.policy.make, DetachGrace: 2 * time.Minute,
		NewGate: func(store.Session, store.Run) agentloop.Gate { return w.gate },
		Limits:  agentloop.Limits{Settle: -1, Repeats: 10_000, Steps: 1000, Time: 24 * time.Hour}}
	w.topts = tools.Options{Options: usecase.Options{Phones: w.phones},
		Schemas: tools.SchemasFull, // so that results are whole
		Principal: func(ctx context.Context) string {
			name, _ := ctx.Value(principalKey{}).(string)
			return name
		}}
	w.begin()
	return w
}

type principalKey struct{}

// as is a context of calls that somebody makes.
func (w *fixture) as(name string) context.Context {
	return context.WithValue(w.t.Context(), principalKey{}, name)
}

// begin opens the store, and a Manager and the tools over it.
func (w *fixture) begin() {
	var err error
	w.store, err = store.Open(context.Background(), w.dir, nil)
	require.NoError(w.t, err)
	w.fopts.Store = w.store
	// a day passes in few sweeps
	w.fopts.Broker = inquiry.NewBroker(w.store.Questions,
		&inquiry.Options{CheckEdit: runs.CheckEdit, Every: time.Hour / 2,
			ProgramsDecide: w.programsDecide})
	w.manager = runs.New(&w.fopts)
	require.NoError(w.t, w.manager.Recover(context.Background()))
	w.topts.Runs, w.topts.Questions = w.manager, w.fopts.Broker
	w.topts.Store, w.topts.Leases, w.topts.Sign = w.store, w.store.Leases, w.store.Sign
	w.connect()
	w.compile()
}

// connect is a client of the older protocol at a server with the tools.
func (w *fixture) connect() { w.connectAs("2025-11-25") }

// modern is one of the newer protocol.
func (w *fixture) modern() { w.connectAs("") }

func (w *fixture) connectAs(version string) {
	srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(false))
	tools.New(&w.topts).Register(srv)
	var err error
	w.client, err = client.NewInProcessClient(srv)
	require.NoError(w.t, err)
	require.NoError(w.t, w.client.Start(context.Background()))
	w.client.OnNotification(func(n mcp.JSONRPCNotification) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.got = append(w.got, n)
	})
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion, req.Params.ClientInfo = version, mcp.Implementation{Name: "tester",
		Version: "1"}
	_, err = w.client.Initialize(context.Background(), req)
	require.NoError(w.t, err)
}

// second is the same server with another client.
func (w *fixture) second() *fixture {
	other := &fixture{t: w.t, phones: w.phones, policy: w.policy, topts: w.topts,
		manager: w.manager,
		store:   w.store}
	other.connect()
	other.compile()
	w.also = append(w.also, other.client)
	return other
}

// declared are the output schemas as a client sees them. They are the same for every server, and
// reading them anew for each test costs more than the tests do.
var declared struct {
	sync.Once
	output map[string]*jsonschema.Schema
}

// compile gets the declared output schemas.
func (w *fixture) compile() {
	declared.Do(func() {
		declared.output = map[string]*jsonschema.Schema{}
		_, list := w.list("schemas=full")
		_, older := w.list("compat=gelab&schemas=full")
		for _, tool := range append(older, list...) {
			declared.output[tool.Name] = compileSchema(w.t, encode(w.t, tool.Output))
		}
	})
	w.output = maps.Clone(declared.output)
	if w.topts.SkillTools || w.topts.Goals {
		for _, tool := range w.toolsNamed("list_skills", "run_skill", "delegate_goal") {
			w.output[tool.Name] = compileSchema(w.t, encode(w.t, tool.Output))
		}
	}
}

// toolsNamed are those of the list with these names.
func (w *fixture) toolsNamed(names ...string) (some []listed) {
	_, list := w.list("schemas=full")
	for _, tool := range list {
		if slices.Contains(names, tool.Name) {
			some = append(some, tool)
		}
	}
	return some
}

func compileSchema(t *testing.T, b []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("s.json", doc))
	out, err := c.Compile("s.json")
	require.NoError(t, err)
	return out
}

func (w *fixture) end() {
	w.disconnect()
	for _, c := range w.also {
		require.NoError(w.t, c.Close())
	}
	w.also = nil
	require.NoError(w.t, w.manager.Close())
	require.NoError(w.t, w.store.Close())
}

func (w *fixture) disconnect() {
	require.NoError(w.t, w.client.Close())
	if w.piped != nil {
		go w.drain()
		require.NoError(w.t, <-w.piped)
		w.piped = nil
	}
}

// restart is the server gone and back.
func (w *fixture) restart() {
	w.end()
	w.begin()
}

// answer is what a call returned.
type answer struct {
	result.Result
	structured map[string]any
	text       string // what a model reads
	last       string // its last line
	raw        *mcp.CallToolResult
	wire       string // all of it
}

// code is what a call that was not carried out says, else state and reason.
func (a answer) code() string {
	if a.raw.IsError {
		return a.Error.Code
	}
	return string(a.State) + " " + string(a.Reason)
}

type in = map[string]any

func (w *fixture) call(tool string, arguments any) answer {
	w.t.Helper()
	a, err := w.try(w.t.Context(), tool, arguments, nil)
	require.NoError(w.t, err)
	return a
}

// try calls a tool, and holds what comes back against what was declared.
func (w *fixture) try(ctx context.Context, tool string, arguments any, token any) (answer, error) {
	w.t.Helper()
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, arguments
	if token != nil {
		req.Params.Meta = &mcp.Meta{ProgressToken: token}
	}
	raw, err := w.client.CallTool(ctx, req)
	if err != nil {
		return answer{}, err
	}
	return w.read(tool, raw), nil
}

// read holds a result against what was declared.
func (w *fixture) read(tool string, raw *mcp.CallToolResult) answer {
	w.t.Helper()
	a := answer{raw: raw}
	structured, err := json.Marshal(raw.StructuredContent)
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(structured, &a.structured))
	if strings.HasPrefix(tool, "ask_agent") || tool == "run_skill" ||
		strings.HasPrefix(tool, "skill_") {
		require.NoError(w.t, json.Unmarshal(structured, &a.Result))
	}
	a.text = w.said(raw)
	a.last = a.text[strings.LastIndex(a.text, "\n")+1:]
	if raw.IsError {
		var f struct{ Error *result.Failure }
		require.NoError(w.t, json.Unmarshal(structured, &f))
		require.NotNil(w.t, f.Error)
		a.Error = f.Error
		require.NotEmpty(w.t, f.Error.Code)
		require.NotEmpty(w.t, f.Error.Message)
		require.NotEmpty(w.t, f.Error.Hint, "%s: %s", f.Error.Code, f.Error.Message)
		w.agrees(a)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
	require.NoError(w.t, err)
	require.NoError(w.t, w.output[tool].Validate(value),
		"the declared schema of %s is not true of %s", tool, structured)
	wire, err := json.Marshal(raw)
	require.NoError(w.t, err)
	a.wire = string(wire)
	return a
}

// said is the text of a result: one block, which the same as JSON stands beside for clients that
// know nothing else, and which pictures may follow.
func (w *fixture) said(raw *mcp.CallToolResult) (text string) {
	w.t.Helper()
	for _, c := range raw.Content {
		block, ok := c.(mcp.TextContent)
		if !ok {
			require.IsType(w.t, mcp.ImageContent{}, c)
			continue
		}
		if json.Valid([]byte(block.Text)) {
			continue
		}
		require.Empty(w.t, text)
		text = block.Text
		first, _, _ := strings.Cut(text, "\n")
		require.Regexp(w.t, `^[^{}]`, first, "a sentence for a person")
	}
	return text
}

func (w *fixture) start(task string, more ...in) answer {
	w.t.Helper()
	a := w.call("ask_agent_start_new_task", with(in{"task": task, "max_steps": 1000}, more...))
	require.False(w.t, a.raw.IsError, "%s", a.text)
	return a
}

// wait waits until the run needs something or has ended.
func (w *fixture) wait(id string) answer {
	w.t.Helper()
	for range 1000 {
		a := w.call("ask_agent_wait", in{"session_id": id})
		if a.code() != "RUNNING STILL_RUNNING" && a.code() != "QUEUED STILL_RUNNING" {
			return a
		}
	}
	w.t.Fatal("the run does not end")
	return answer{}
}

func with(arguments in, more ...in) in {
	for _, m := range more {
		for k, v := range m {
			arguments[k] = v
		}
	}
	return arguments
}

// notifications are those that came since the last time.
func (w *fixture) notifications() []mcp.JSONRPCNotification {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	got := w.got
	w.got = nil
	return got
}
