package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/model"
)

// plainServer is a server without anything in front of it.
type plainServer struct {
	*server.MCPServer
	undecided bool
}

func (f plainServer) Undecided(context.Context, string, json.RawMessage) (bool, error) {
	return f.undecided, nil
}

// served is a server with tools that answer with what answer gives.
func served(name string, answer func(tool string, args map[string]any) string,
	tools ...string) agents.Server {
	s := server.NewMCPServer(name, "1")
	for _, t := range tools {
		s.AddTool(mcp.NewTool(t, mcp.WithNumber("a"), mcp.WithNumber("b")),
			func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText(answer(t, r.GetArguments())), nil
			})
	}
	return agents.Server{Name: name, Proxy: plainServer{MCPServer: s}}
}

// script is a model that replies as a function of what it is asked.
type script func(r model.Request) model.Response

func (s script) Complete(_ context.Context, r model.Request) (model.Response, error) {
	return s(r), nil
}

// book is a journal in memory.
type book struct {
	mu    sync.Mutex
	lines []json.RawMessage
	fail  func(e agents.Entry) error
}

func (b *book) Append(_ context.Context, e agents.Entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(e); err != nil {
			return err
		}
	}
	line, err := json.Marshal(e)
	b.lines = append(b.lines, line)
	return err
}

func call(name, args string) model.ToolCall { return model.ToolCall{Name: name, Arguments: args} }

// last is the text of the last message that a model was sent.
func last(r model.Request) string {
	m := r.Messages[len(r.Messages)-1]
	return m.Parts[0].Text
}

// options are those of a host with one model.
func options(m agents.Model, b *book) *agents.Options {
	return &agents.Options{Session: "s", Journal: b,
		Model: func(string) (agents.Priced, error) { return agents.Priced{Model: m}, nil }}
}

func work(t *testing.T, o *agents.Options, b *book, servers ...agents.Server) (string, error) {
	h := agents.New(t.Context(), o, servers)
	defer h.Close()
	require.Empty(t, h.Down())
	return h.Work(t.Context(), "the goal", "", b.lines)
}

func reckon(tool string, args map[string]any) string {
	a, b := args["a"].(float64), args["b"].(float64)
	if tool == "add" {
		return fmt.Sprint(a + b)
	}
	return fmt.Sprint(a * b)
}

func TestAGoalIsReachedWithTheToolsOfTwoServers(t *testing.T) {
	b := &book{}
	m := script(func(r model.Request) model.Response {
		switch len(r.Messages) {
		case 2:
			require.Len(t, r.Tools, 3) // and read_result
			return model.Response{ToolCalls: []model.ToolCall{call("add", `{"a":10,"b":5}`)}}
		case 4:
			require.Contains(t, last(r), "15")
			require.Equal(t, r.Messages[2].ToolCalls[0].ID, r.Messages[3].CallID)
			return model.Response{ToolCalls: []model.ToolCall{call("multiply", `{"a":15,"b":2}`)}}
		}
		return model.Response{Text: "It is " + last(r)[strings.LastIndex(last(r), "\n")+1:]}
	})
	answer, err := work(t, options(m, b), b, served("sums", reckon, "add"),
		served("products", reckon, "multiply"))
	require.NoError(t, err)
	require.Equal(t, "It is 30", answer)
}

func TestAModelWithoutNativeCallsWritesThemAsJSON(t *testing.T) {
	b := &book{}
	asked := 0
	m := script(func(r model.Request) model.Response {
		require.Empty(t, r.Tools)
		require.Contains(t, r.Messages[0].Parts[0].Text, `"tool": "NAME"`)
		switch asked++; asked {
		case 1:
			return model.Response{Text: "First:\n```json\n" +
				"{\"tool\": \"add\", \"arguments\": {\"a\": 1,}}\n```"}
		case 2:
			require.Contains(t, last(r), "no JSON")
			return model.Response{Text: "```json\n" +
				"{\"tool\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}\n```"}
		}
		return model.Response{Text: "done: " + last(r)}
	})
	o := options(m, b)
	o.Textual = true
	o.Observe = func(e agents.Event) { require.NotContains(t, e.Text, "```") }
	answer, err := work(t, o, b, served("sums", reckon, "add"))
	require.NoError(t, err)
	require.Contains(t, answer, "\n3")
}

// Calls in the text are read by whatever keys, with their arguments as an object or as a text.
func TestCallsInTheTextAreReadByTheirKeys(t *testing.T) {
	for _, call := range []string{`{"tool": "add", "arguments": {"a": 1, "b": 2}}`,
		`{"type": "tool_call", "tool_name": "add", "arguments": {"a": 1, "b": 2}}`,
		`{"name": "add", "parameters": {"a": 1, "b": 2}}`,
		`{"tool_call": {"name": "add", "arguments": "{\"a\": 1, \"b\": 2}"}}`,
		`{"type": "function", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}`} {
		for _, form := range []string{"%s", "I add.\n```json\n%s\n```", "I add:\n%s",
			"[%s]", "```\n[%s]\n```", "Now: <tool_call>%s</tool_call>", "[TOOL_CALLS] [%s]"} {
			b := &book{}
			asked := 0
			m := script(func(model.Request) model.Response {
				if asked++; asked == 1 {
					return model.Response{Text: fmt.Sprintf(form, call)}
				}
				return model.Response{Text: "done"}
			})
			o := options(m, b)
			o.Textual = true
			var got map[string]any
			add := func(_ string, args map[string]any) string { got = args; return "3" }
			answer, err := work(t, o, b, served("sums", add, "add"))
			require.NoError(t, err)
			require.Equal(t, "done", answer)
			require.Equal(t, map[string]any{"a": 1.0, "b": 2.0}, got, form, call)
		}
	}
}

// What is meant as a call and cannot be read is no answer, and a call that is quoted is none.
func TestWhatCannotBeReadIsNoAnswer(t *testing.T) {
	const args = `"arguments": {"a": 1, "b": 2}`
	quoted := "The file says:\n```json\n{\"tool\": \"add\", " + args + "}\n```\nThat is all."
	for _, c := range []struct {
		textual bool
		first   model.Response
		again   bool
	}{
		{true, model.Response{Text: "```json\n[{\"tool\": \"add\", " + args + "}, 1]\n```"}, true},
		{true, model.Response{Text: "```json\n{\"tool\": \"add\", " + args + "}"}, true},
		{true, model.Response{Text: "<tool_call>{\"name\": \"add\"}</tool_call>"}, true},
		{false, model.Response{Text: "<tool_call>{\"name\": \"add\"}</tool_call>"}, true},
		{false, model.Response{Text: "{\"name\": \"add\", " + args + "}"}, true},
		{true, model.Response{Text: "I ask.\n```json {\"tool\": \"add\", \"argum"}, true},
		{true, model.Response{Text: "{bad json"}, true},
		{false, model.Response{Text: "{\"type\": \"tool_call\", \"tool_name\": \"add\", " +
			args + "}"}, true},
		{false, model.Response{Text: "I add.\n```json\n{\"tool_name\": \"add\", " + args +
			"}\n```"}, true},
		{false, model.Response{Text: "It is", FinishReason: "length"}, true},
		{true, model.Response{Text: "Sure:\n{'tool': 'add', 'arguments': {'a': 1}}"}, true},
		{true, model.Response{Text: "```\n{tool: add, arguments: {a: 1}}\n```"}, true},
		{true, model.Response{Text: "I call {\"tool\": \"add\", " + args + "}"}, true},
		{true, model.Response{Text: "Thought: t\nAction: add\nAction Input: {\"a\": 1}"}, true},
		{true, model.Response{Text: "<invoke name=\"add\"></invoke>"}, true},
		{true, model.Response{Text: "[TOOL_CALLS]add[ARGS]{\"a\": 1}"}, true},
		{true, model.Response{Text: "<｜tool▁calls▁begin｜>add"}, true},
		{true, model.Response{Text: "```python\nadd(a=1, b=2)\n```"}, true},
		{false, model.Response{Text: "add(a=1, b=2)"}, true},
		{false, model.Response{Text: "```tool_code\nadd(a=1, b=2)\n```"}, true},
		{false, model.Response{Text: "```python\nprint(add(a=1, b=2))\n```"}, true},
		{false, model.Response{Text: "I reckon.\n```python\nprint(add(a=1, b=2))\n```"}, true},
		{false, model.Response{Text: "Thought: t\nAction: add\nAction Input: {\"a\": 1}"}, true},
		{false, model.Response{Text: "Thought: t\nAction: add\nAction Input: a"}, true},
		{false, model.Response{Text: "Now I call {\"name\": \"add\", \"arguments\": {\"a\": "}, true},
		{false, model.Response{Text: "Now I call {\"name\": \"add\", \"arguments\": {\"a\": 1"}, true},
		{false, model.Response{Text: "<|channel|>commentary to=functions.add <|constrain|>json" +
			"<|message|>{\"a\": 1}<|call|>"}, true},
		{true, model.Response{Text: "<|channel|>commentary to=functions.add <|constrain|>json" +
			"<|message|>{\"a\": 1}<|call|>"}, true},
		{true, model.Response{Text: "```tool_code\nadd(a=1, b=2)\n```"}, true},
		{true, model.Response{Text: "Now I call {\"name\": \"add\", \"arguments\": {\"a\": "}, true},
		{false, model.Response{Text: "Models write <tool_call> for that."}, false},
		{false, model.Response{Text: "It said:\nAction Input: none\nand nothing came."}, false},
		{false, model.Response{Text: "I ran:\n```python\nadd(a=1, b=2)\n```\nThat is 3."}, false},
		{true, model.Response{Text: "[See](u): tool: none; f(x) has add (1+2)"}, false},
		{false, model.Response{Text: quoted}, false},
		{true, model.Response{Text: "The tool add has two arguments."}, false},
	} {
		b := &book{}
		asked := 0
		m := script(func(model.Request) model.Response {
			if asked++; asked == 1 {
				return c.first
			}
			return model.Response{Text: "done"}
		})
		o := options(m, b)
		o.Textual = c.textual
		called := false
		add := func(string, map[string]any) string { called = true; return "3" }
		answer, err := work(t, o, b, served("sums", add, "add"))
		require.NoError(t, err)
		require.False(t, called, "%+v", c.first)
		want := strings.TrimSpace(c.first.Text)
		if c.again {
			want = "done"
		}
		require.Equal(t, want, answer)
	}
}

// refusing is a model whose endpoint takes no native calls.
type refusing struct{ script }

func (m refusing) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if len(r.Tools) > 0 {
		return model.Response{}, &model.Error{Kind: model.Rejected, Status: 400,
			Message: "this model does not support tools"}
	}
	return m.script.Complete(ctx, r)
}

// muddled is a model whose endpoint finds fault with one request.
type muddled struct{ asked *[]model.Request }

func (m muddled) Complete(_ context.Context, r model.Request) (model.Response, error) {
	*m.asked = append(*m.asked, r)
	return model.Response{}, &model.Error{Kind: model.Rejected, Status: 400,
		Message: "messages with role 'tool' must follow 'tool_calls'"}
}

func TestAComplaintAboutARequestIsNoRefusalOfNativeCalls(t *testing.T) {
	b := &book{}
	var asked []model.Request
	_, err := work(t, options(muddled{&asked}, b), b, served("sums", reckon, "add"))
	require.ErrorContains(t, err, "must follow")
	require.Len(t, asked, 1)
}

func TestThatAnEndpointTakesNoNativeCallsIsFoundOut(t *testing.T) {
	b := &book{}
	m := refusing{func(r model.Request) model.Response {
		if len(r.Messages) == 2 {
			return model.Response{Text: "```json\n" +
				"{\"tool\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}\n```"}
		}
		return model.Response{Text: "three"}
	}}
	answer, err := work(t, options(m, b), b, served("sums", reckon, "add"))
	require.NoError(t, err)
	require.Equal(t, "three", answer)
}

func TestACallWhoseOutcomeIsUnknownIsNotRepeated(t *testing.T) {
	for _, undecided := range []bool{false, true} {
		b := &book{}
		called := 0
		pay := func(string, map[string]any) string { called++; return "paid" }
		s := served("bank", pay, "pay")
		s.Proxy = plainServer{s.Proxy.(plainServer).MCPServer, undecided}
		m := script(func(r model.Request) model.Response {
			if len(r.Messages) == 2 {
				return model.Response{ToolCalls: []model.ToolCall{call("pay", `{}`)}}
			}
			return model.Response{Text: last(r)}
		})
		killed := errors.New("killed")
		b.fail = func(e agents.Entry) error {
			if e.Result != nil {
				return killed
			}
			return nil
		}
		_, err := work(t, options(m, b), b, s)
		require.ErrorIs(t, err, killed)
		require.Equal(t, 1, called)

		b.fail = nil
		answer, err := work(t, options(m, b), b, s)
		require.NoError(t, err)
		if undecided { // the store says that it had not begun
			require.Equal(t, 2, called)
			require.Contains(t, answer, "paid")
		} else {
			require.Equal(t, 1, called)
			require.Contains(t, answer, "outcome is unknown")
		}
	}
}

func TestAgentsCallAgentsDownToADepth(t *testing.T) {
	b := &book{}
	depth := 0
	m := script(func(r model.Request) model.Response {
		if len(r.Messages) > 2 {
			return model.Response{Text: "up: " + last(r)}
		}
		depth++
		for _, tool := range r.Tools {
			if tool.Name == "ask_digger" {
				return model.Response{ToolCalls: []model.ToolCall{
					call("ask_digger", `{"goal":"dig"}`)}}
			}
		}
		return model.Response{Text: "the ground"}
	})
	o := options(m, b)
	o.Roles = map[string]agents.Role{"digger": {Description: "digs", Roles: []string{"digger"}}}
	o.Main = agents.Role{Roles: []string{"digger"}}
	o.Limits.Depth = 2
	answer, err := work(t, o, b)
	require.NoError(t, err)
	require.Contains(t, answer, "the ground")
	require.Equal(t, 3, depth)
	states, _, err := agents.Read(b.lines)
	require.NoError(t, err)
	require.Len(t, states, 3)
	require.Equal(t, "digger", states["1-1-1"].Begin.Role)
}

func TestARoleWithoutToolsAndDepthHasNone(t *testing.T) {
	b := &book{}
	m := script(func(r model.Request) model.Response {
		require.Len(t, r.Tools, 1) // read_result
		return model.Response{Text: "nothing to call"}
	})
	o := options(m, b)
	o.Roles = map[string]agents.Role{"helper": {Description: "helps"}}
	o.Main = agents.Role{Roles: []string{"helper"}, Tools: []string{}}
	o.Limits.Depth = -1
	_, err := work(t, o, b, served("sums", reckon, "add"))
	require.NoError(t, err)
}

func TestARoleHasOnlyItsTools(t *testing.T) {
	b := &book{}
	m := script(func(r model.Request) model.Response {
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		require.Equal(t, []string{"add", "read_result"}, names)
		if len(r.Messages) == 2 {
			return model.Response{ToolCalls: []model.ToolCall{call("multiply", `{"a":1,"b":2}`)}}
		}
		return model.Response{Text: last(r)}
	})
	o := options(m, b)
	o.Main.Tools = []string{"sums/*"}
	o.Roles = map[string]agents.Role{"other": {Tools: []string{"multiply", "sums/multiply",
		"add*"}}}
	servers := []agents.Server{served("sums", reckon, "add"),
		served("products", reckon, "multiply")}
	answer, err := work(t, o, b, servers...)
	require.NoError(t, err)
	require.Contains(t, answer, "There is no tool")
	h := agents.New(t.Context(), o, servers)
	defer h.Close()
	require.Equal(t, []string{"other: sums/multiply"}, h.Unmatched())
}

func TestToolsOfOneNameAreToldApart(t *testing.T) {
	h := agents.New(t.Context(), options(nil, &book{}), []agents.Server{
		served("here", reckon, "add", "read_result"), served("there", reckon, "add", "only")})
	defer h.Close()
	var names []string
	for _, tool := range h.Tools() {
		names = append(names, tool.Name)
	}
	require.ElementsMatch(t, []string{"here_add", "there_add", "only", "here_read_result"}, names)
}

func TestALongResultIsReadOn(t *testing.T) {
	b := &book{}
	long := strings.Repeat("é", 25) + "END"
	tell := func(string, map[string]any) string { return long }
	var seen []string
	m := script(func(r model.Request) model.Response {
		switch len(r.Messages) {
		case 2:
			return model.Response{ToolCalls: []model.ToolCall{call("tell", `{}`)}}
		case 4:
			require.Contains(t, last(r), `id "1-1" and offset 20`)
			return model.Response{ToolCalls: []model.ToolCall{
				call("read_result", `{"id":"1-1","offset":20}`)}}
		}
		seen = append(seen, last(r))
		return model.Response{Text: "read"}
	})
	o := options(m, b)
	o.Limits.Result = 20
	_, err := work(t, o, b, served("teller", tell, "tell"))
	require.NoError(t, err)
	require.Contains(t, seen[0], "éEND")
}

func TestLimitsEndTheWork(t *testing.T) {
	for _, c := range []struct {
		limits agents.Limits
		want   error
	}{{agents.Limits{Rounds: 3}, agents.ErrRounds}, {agents.Limits{Calls: 3}, agents.ErrCalls},
		{agents.Limits{Cost: 2}, agents.ErrCost}} {
		b := &book{}
		m := script(func(model.Request) model.Response {
			return model.Response{ToolCalls: []model.ToolCall{call("add", `{"a":1,"b":1}`)},
				Usage: model.Usage{PromptTokens: 1e6}}
		})
		o := options(m, b)
		o.Model = func(string) (agents.Priced, error) {
			return agents.Priced{Model: m, Prompt: 1}, nil
		}
		o.Limits = c.limits
		_, err := work(t, o, b, served("sums", reckon, "add"))
		require.ErrorIs(t, err, c.want)
	}
}
