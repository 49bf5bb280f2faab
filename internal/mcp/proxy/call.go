package proxy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/shape"
)

// toolCall is a tools/call of a client.
type toolCall struct {
	m      *message // what is passed on, and decided about
	name   string
	args   map[string]any
	tool   tool
	client string          // its principal
	token  json.RawMessage // of the progress that the client asks for, or nil if it does not
	bound  string          // equal for calls that do the same
	others map[string]tool // the server's tools
	part   *inquiry.Part   // of the calls that were made with it, or nil
	at     int             // its index among the actions of the question

	// of a call that is made again, under 2026-07-28
	form    string // the id of the question that the client has shown, or "" if missing
	round   string // the token of a [round], or "" if missing
	answers json.RawMessage
}

// Under 2026-07-28 a server sends no requests. The result of a call says what to ask, and the
// client makes the call again with the answers and the requestState that it was given. The state is
// the proxy's if it has one of these prefixes.
const (
	formState  = "taploop form "  // the id of the question that the client's form is about
	roundState = "taploop round " // the token of an approved call whose server has asked
)

// readCall reads a call of that client. The params that are passed on are written again, so that
// the other server cannot read them differently, as by the first of two equal names.
func readCall(o *Options, client string, m *message) (*toolCall, error) {
	c := &toolCall{client: client, token: progressToken(m)}
	m, err := c.readRetry(m)
	if err != nil {
		return nil, err
	}
	if c.name = wire.Text(m.Param("name")); c.name == "" {
		return nil, errors.New("the call names no tool")
	}
	args := m.Param("arguments")
	if args != nil && json.Unmarshal(args, &c.args) != nil {
		return nil, fmt.Errorf("the arguments of %s are no object", c.name)
	}
	if c.args == nil {
		c.args = map[string]any{}
	}
	if c.m, err = withArguments(m, args); err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %s", o.Name, o.Target.Command, o.Target.URL, c.name,
		c.m.Param("arguments"))
	if o.Session != "" {
		fmt.Fprintf(sum, " %q", o.Session)
	}
	c.bound = "proxy " + hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// readRetry reads the state of a call that is made again. If the state is the proxy's, the call
// that it returns is without it.
func (c *toolCall) readRetry(m *message) (*message, error) {
	state := wire.Text(m.Param("requestState"))
	c.answers = m.Param("inputResponses")
	if form, is := strings.CutPrefix(state, formState); is {
		c.form = form
	} else if round, is := strings.CutPrefix(state, roundState); is {
		c.round = round
	} else {
		return m, nil
	}
	return withoutRetry(m)
}

// withoutRetry returns m as a call that was not made before.
func withoutRetry(m *message) (*message, error) {
	return with(m, map[string]json.RawMessage{"requestState": nil, "inputResponses": nil})
}

// withArguments returns the call m with these arguments, and with its params written again.
func withArguments(m *message, args json.RawMessage) (*message, error) {
	params := map[string]json.RawMessage{}
	if len(args) > 0 {
		var err error
		if params["arguments"], err = canonical(args); err != nil {
			return nil, err
		}
	}
	return with(m, params)
}

// callParams is the schema of the params of a call, as far as their names.
var callParams = map[string]any{"properties": map[string]any{"name": nil, "arguments": nil,
	"_meta": nil, "requestState": nil, "inputResponses": nil}}

// disguised returns an error text for a call that a server which ignores the case of names could
// read differently than the rules and a person, or "".
func (c *toolCall) disguised() string {
	params := map[string]any{}
	for name := range c.m.Members() {
		params[name] = nil
	}
	if err := cmp.Or(shape.Lookalike(callParams, params),
		shape.Lookalike(c.tool.schema, c.args)); err != nil {
		return "not carried out: " + err.Error()
	}
	return ""
}

// withHeaders adds to m the headers that a server of 2026-07-28 expects over HTTP.
func (c *toolCall) withHeaders(m *message) *message {
	if c.tool.known != nil {
		m.Headers = mcp.GenerateParamHeaders(c.tool.known, m.Params)
	}
	return m
}

// approvalKey names the call together with the tool: an approval is for both.
func (c *toolCall) approvalKey() string { return c.bound + " " + c.tool.digest }

// errorResult is a result that says why a call was not carried out.
func errorResult(m *message, words string) *message { return textResult(m, words, true) }

// textResult is a result that is a text.
func textResult(m *message, words string, failed bool) *message {
	result := object{"content": []object{{"type": "text", "text": words}}}
	if failed {
		result["isError"] = true
	}
	if m.Modern() {
		result["resultType"] = "complete"
	}
	return m.Response(result)
}
