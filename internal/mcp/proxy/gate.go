package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// gate decides about each tools/call by the rules, and asks.
type gate struct {
	opts   *Options
	claims claims
	rounds rounds
}

// toolCall is a tools/call of a client.
type toolCall struct {
	m      *message // as it is passed on: what was decided about, and nothing else
	name   string
	args   map[string]any
	tool   tool
	client string          // its principal
	token  json.RawMessage // of the progress that the client wants, nil for none
	bound  string          // the same for calls that do the same

	// of a call that is made again, under 2026-07-28
	form    string // the question that the client has shown; "" for none
	round   string // the token of a [round]; "" for none
	answers json.RawMessage
}

// call passes a call on, when the rules or a person allow it.
func (g *gate) call(ctx context.Context, l *link, m *message) (*message, error) {
	if g.opts.Guard == nil && g.opts.Target.URL == "" { // else it may want headers
		return l.request(ctx, m)
	}
	c, err := g.read(ctx, m)
	if err != nil {
		return nil, err
	}
	if c.tool, err = l.tools.tool(ctx, c, false); err != nil {
		return nil, err
	}
	if words := c.disguised(); words != "" && g.opts.Guard != nil {
		return errorResult(m, words), nil
	}
	d := g.judge(c)
	switch d.Verdict {
	case guard.Allow:
		return l.request(ctx, c.withHeaders(c.m))
	case guard.Ask, guard.HandOver:
		if r, ok := g.rounds.take(c); ok {
			return g.continueRound(ctx, l, c, r)
		}
		c.m.Params = withoutRetry(c.m.Params) // nothing is let through that is not decided about
		return g.review(ctx, l, c, d)
	}
	why := cmp.Or(d.Reason, "a rule of this place forbids it")
	return errorResult(m, "not allowed here: "+why), nil
}

// judge is what the rules say of a call.
func (g *gate) judge(c *toolCall) guard.Decision {
	if g.opts.Guard == nil {
		return guard.Decision{Verdict: guard.Allow}
	}
	return g.opts.Guard.Decide(guard.Subject{Action: c.name, App: g.opts.Name, Args: c.args,
		Destructive: c.tool.destructive})
}

// callMembers are those of the params of a call.
var callMembers = map[string]any{"name": nil, "arguments": nil, "_meta": nil, "requestState": nil,
	"inputResponses": nil}

// disguised is what is wrong with a call of which a server that reads JSON without regard to case
// could read something else than the rules and a person see; "" for nothing.
func (c *toolCall) disguised() string {
	params := map[string]any{}
	for name := range wire.Members(c.m.Params) {
		params[name] = nil
	}
	known, _ := c.tool.schema["properties"].(map[string]any)
	key, name := lookalike(params, callMembers)
	if key == "" {
		key, name = lookalike(c.args, known)
	}
	if key == "" {
		return ""
	}
	return fmt.Sprintf("not carried out: %s could be read as %s, write it so",
		text.Quote(key, 100), text.Quote(name, 100))
}

// lookalike is a name in o that differs from a known one in case alone, and that one.
func lookalike(o, known map[string]any) (key, name string) {
	for key, value := range o {
		of, is := known[key]
		for name := range known {
			if !is && strings.EqualFold(key, name) {
				return key, name
			}
		}
		inner, _ := value.(map[string]any)
		schema, _ := of.(map[string]any)
		names, _ := schema["properties"].(map[string]any)
		if key, name := lookalike(inner, names); key != "" {
			return key, name
		}
	}
	return "", ""
}

// withHeaders is m with the headers that a server of the newer era wants over HTTP.
func (c *toolCall) withHeaders(m *message) *message {
	if c.tool.known != nil {
		m.Headers = mcp.GenerateParamHeaders(c.tool.known, m.Params)
	}
	return m
}

// approvalKey names the call and the tool as they are now: what is approved is both.
func (c *toolCall) approvalKey() string { return c.bound + " " + c.tool.digest }

// read reads a call. What is passed on is written anew, so that the other server cannot read
// something else in it, such as the first of two names.
func (g *gate) read(ctx context.Context, m *message) (*toolCall, error) {
	c := &toolCall{client: transport.Principal(ctx), token: progressToken(m.Params)}
	m = c.readRetry(m)
	params := wire.Members(m.Params)
	c.name = wire.Text(params["name"])
	if c.name == "" {
		return nil, fmt.Errorf("the call names no tool")
	}
	if raw := params["arguments"]; raw != nil && json.Unmarshal(raw, &c.args) != nil {
		return nil, fmt.Errorf("the arguments of %s are no object", c.name)
	}
	if c.args == nil {
		c.args = map[string]any{}
	}
	var err error
	if c.m, err = c.withArguments(m, params["arguments"]); err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %s", g.opts.Name, g.opts.Target.Command, g.opts.Target.URL,
		c.name, wire.At(c.m.Params, "arguments"))
	if g.opts.Session != "" {
		fmt.Fprintf(sum, " %q", g.opts.Session)
	}
	c.bound = "proxy " + hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// withArguments is the call m with these arguments, written anew.
func (c *toolCall) withArguments(m *message, args json.RawMessage) (*message, error) {
	params := wire.Members(m.Params)
	if len(args) > 0 {
		var err error
		if params["arguments"], err = canonical(args); err != nil {
			return nil, err
		}
	}
	raw, err := text.Marshal(params)
	return upstream.Request(m.ID, m.Method, raw), err
}

// errorResult is a result that says in words why a call was not carried out.
func errorResult(m *message, words string) *message { return textResult(m, words, true) }

// textResult is a result of words.
func textResult(m *message, words string, failed bool) *message {
	result := object{"content": []object{{"type": "text", "text": words}}}
	if failed {
		result["isError"] = true
	}
	if upstream.Modern(m.Params) {
		result["resultType"] = "complete"
	}
	return m.Response(result)
}
