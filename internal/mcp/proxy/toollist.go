package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/wait"
)

// tool is what a server says of one of its tools.
type tool struct {
	destructive bool
	schema      map[string]any // of its arguments; nil when not known
	result      bool           // it promises results of a shape
	digest      string         // another one when the schema is, or what it says of itself
	known       *mcp.Tool
}

const (
	// how many pages of a list of tools are read
	maxPages = 100
	// of how many tools it is kept that they destroy something; with more it holds for all
	maxDestructive = 10_000
)

// listAge is how long a list of tools is taken for what it is: not every server tells of changes.
const listAge = time.Minute

// toolList is what a server says of its tools, as it was last read.
type toolList struct {
	request func(context.Context, *message) (*message, error) // to the server
	reading wait.Mutex                                        // held while the list is read

	mu          sync.Mutex
	tools       map[string]tool // nil when not known
	read        time.Time       // when they were
	changes     int             // of the list
	destructive destructiveTools
}

// tool looks up the tool of a call. The list is read anew when it has changed, from time to time,
// for a tool that is not in it, and when the caller says so.
func (tl *toolList) tool(ctx context.Context, c *toolCall, refresh bool) (tool, error) {
	if t, ok := tl.known(c.name); ok && !refresh {
		return t, nil
	}
	if err := tl.reading.Lock(ctx); err != nil {
		return tool{}, err
	}
	defer tl.reading.Unlock()
	if t, ok := tl.known(c.name); ok && !refresh { // another call has read it
		return t, nil
	}
	return tl.list(ctx, c)
}

// known is a tool of the list, when that is not too old.
func (tl *toolList) known(name string) (t tool, ok bool) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	t, ok = tl.tools[name]
	return t, ok && time.Since(tl.read) <= listAge
}

// list reads the list of tools for a call's client, and gives the call's tool. Where a server does
// not say what its tools are, each may destroy something.
func (tl *toolList) list(ctx context.Context, c *toolCall) (tool, error) {
	tl.mu.Lock()
	before := tl.changes
	tl.mu.Unlock()
	var pages []json.RawMessage
	var next json.RawMessage
	for range maxPages {
		resp, err := tl.request(ctx, upstream.Request(nil, string(mcp.MethodToolsList),
			listParams(c.m.Params, next)))
		if err != nil {
			return tool{}, err
		}
		if resp.Error != nil {
			return tool{destructive: true}, nil
		}
		pages = append(pages, resp.Result)
		if next = wire.At(resp.Result, "nextCursor"); wire.Text(next) == "" {
			break
		}
	}
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tools := map[string]tool{}
	for _, page := range pages {
		tl.destructive.readTools(page, tools)
	}
	if tl.changes == before { // else it is old already
		tl.tools, tl.read = tools, time.Now()
	}
	t := tools[c.name]
	t.destructive = t.destructive || tl.destructive.has(c.name)
	return t, nil
}

// forget forgets the list: it has changed, or its server is gone.
func (tl *toolList) forget() {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.tools = nil
	tl.changes++
}

// update takes over what the client was told of tools.
func (tl *toolList) update(result json.RawMessage) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if tl.tools != nil {
		tl.destructive.readTools(result, tl.tools)
	}
}

// listParams are those of a tools/list in the name of a call's client.
func listParams(call, cursor json.RawMessage) json.RawMessage {
	params := object{}
	if upstream.Modern(call) {
		params["_meta"] = wire.With(wire.At(call, "_meta"), nil, "progressToken")
	}
	if cursor != nil {
		params["cursor"] = cursor
	}
	return wire.Encode(params)
}

// readTools reads a page of a list of tools.
func (r destructiveTools) readTools(result json.RawMessage, into map[string]tool) {
	var list []json.RawMessage
	if json.Unmarshal(wire.At(result, "tools"), &list) != nil {
		return
	}
	for _, raw := range list {
		name := wire.Text(wire.At(raw, "name"))
		t := tool{result: wire.At(raw, "outputSchema") != nil,
			digest: digest(wire.At(raw, "inputSchema"), wire.At(raw, "annotations"))}
		_ = json.Unmarshal(wire.At(raw, "inputSchema"), &t.schema) // without one nothing is edited
		hints := wire.At(raw, "annotations")
		if string(wire.At(hints, "destructiveHint")) == "true" &&
			string(wire.At(hints, "readOnlyHint")) != "true" {
			r.add(name)
		}
		t.destructive = r.has(name)
		var known mcp.Tool
		if json.Unmarshal(raw, &known) == nil {
			t.known = &known
		}
		into[name] = t
	}
}

// digest is the same for values that mean the same.
func digest(values ...json.RawMessage) string {
	sum := sha256.New()
	for _, raw := range values {
		is, err := canonical(raw)
		if err != nil { // it is not there
			is = json.RawMessage("null")
		}
		_, _ = sum.Write(append(is, 0)) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// destructiveTools are the tools of which a server has said that they destroy something: it does
// not take that back.
type destructiveTools map[string]bool

func (r destructiveTools) add(name string) {
	if len(r) < maxDestructive {
		r[name] = true
	}
}

func (r destructiveTools) has(name string) bool { return r[name] || len(r) >= maxDestructive }
