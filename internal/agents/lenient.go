package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// lenient is a client's transport that replaces what mcp-go cannot parse. mcp-go rejects a whole
// list of tools because of one tool, and the result of a finished call because of one part.
type lenient struct {
	*transport.Stdio
	tools []listedTool // listed so far
}

// maxTools is how many tools and prompts a server may list.
const maxTools = 1000

// SendRequest implements transport.Interface.
func (l *lenient) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (
	*transport.JSONRPCResponse, error) {
	resp, err := l.Stdio.SendRequest(ctx, r)
	if err != nil || resp.Error != nil {
		return resp, err
	}
	switch mcp.MCPMethod(r.Method) {
	case mcp.MethodToolsList, mcp.MethodPromptsList:
		resp.Result, err = l.listAll(ctx, r, resp.Result)
	case mcp.MethodPromptsGet:
		resp.Result, err = promptText(resp.Result)
	case mcp.MethodToolsCall:
		resp.Result, err = result(resp.Result)
	}
	return resp, err
}

// maxPages is how many pages a list of tools may have.
const maxPages = maxTools

// listAll keeps what the page lists, and all that follow it. It returns a page without entries
// that is the last one. A cursor is passed back as it came, and one that came before ends the list.
func (l *lenient) listAll(ctx context.Context, r transport.JSONRPCRequest, page json.RawMessage) (
	json.RawMessage, error) {
	read := map[string]bool{}
	first := r.ID
	for n := range maxPages {
		next, err := l.list(page)
		if err != nil {
			return nil, err
		}
		params, err := withCursor(r.Params, next)
		if err != nil {
			return nil, err
		}
		// the empty text ends the lists of older protocols
		if next == nil || read[string(next)] || string(next) == `""` && !modern(params) {
			break
		}
		read[string(next)], r.Params = true, params
		// an id of its own: mcp-go forgets the one of an answer after it has handed that out
		r.ID = mcp.NewRequestId(fmt.Sprintf("%v, page %d", first, n+2))
		resp, err := l.Stdio.SendRequest(ctx, r)
		if err != nil {
			return nil, err
		}
		if resp.Error != nil { // the tools that were read can be used
			break
		}
		page = resp.Result
	}
	return json.RawMessage(`{"tools":[],"prompts":[]}`), nil
}

// withCursor returns the params of a request for the page at the cursor.
func withCursor(params any, cursor json.RawMessage) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(params)
	all := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if all == nil { // params were null
		all = map[string]json.RawMessage{}
	}
	all["cursor"] = cursor
	return all, err
}

// modern reports whether a request with the params is one of 2026-07-28, which stands alone.
func modern(params map[string]json.RawMessage) bool {
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(params["_meta"], &meta) // absent in older protocols
	var version string
	_ = json.Unmarshal(meta[mcp.MetaKeyProtocolVersion], &version)
	return mcp.IsModernProtocol(version)
}

// list keeps the tools or prompts of a page, the first of each name, and returns the cursor of the
// next page, or nil if missing.
func (l *lenient) list(page json.RawMessage) (next json.RawMessage, err error) {
	var p struct {
		Tools   []json.RawMessage `json:"tools"`
		Prompts []json.RawMessage `json:"prompts"`
		Next    json.RawMessage   `json:"nextCursor"`
	}
	if json.Unmarshal(page, &p) != nil {
		return nil, errors.New("its tools and prompts cannot be read: they are no lists")
	}
	for i, one := range append(p.Tools, p.Prompts...) {
		t := listedTool{Schema: wire.At(one, "inputSchema"),
			Name:        wire.Text(wire.At(one, "name")),
			Description: wire.Text(wire.At(one, "description"))}
		if t.Name == "" {
			continue
		}
		if i >= len(p.Tools) {
			t.asPrompt(wire.At(one, "arguments"))
		}
		if slices.ContainsFunc(l.tools, func(k listedTool) bool { return k.Name == t.Name }) {
			continue
		}
		if len(l.tools) == maxTools {
			return nil, fmt.Errorf("it lists more than %d tools", maxTools)
		}
		l.tools = append(l.tools, t)
	}
	if string(p.Next) == "null" {
		return nil, nil
	}
	return p.Next, nil
}

// result returns the result of a call with its content joined into one text.
func result(raw json.RawMessage) (json.RawMessage, error) {
	var r struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		Failed     any               `json:"isError"`
	}
	var parts []string
	if err := json.Unmarshal(raw, &r); err != nil {
		parts = append(parts, string(raw))
	}
	for _, part := range r.Content {
		parts = append(parts, asText(part))
	}
	if len(parts) == 0 && len(r.Structured) > 0 {
		parts = append(parts, string(r.Structured))
	}
	all := strings.Join(parts, "\n")
	if strings.TrimSpace(all) == "" {
		all = "(the result is empty)"
	}
	return json.Marshal(mcp.CallToolResult{IsError: r.Failed == true,
		Content: []mcp.Content{mcp.NewTextContent(all)}})
}
