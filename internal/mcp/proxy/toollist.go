package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/wait"
)

// tool is a tool as its server describes it.
type tool struct {
	destructive bool
	schema      map[string]any // of its arguments, or nil if not known
	result      bool           // whether its results have a schema
	digest      string         // of the schema and the annotations
	known       *mcp.Tool
}

const (
	maxPages = 100 // of a list of tools
	// how many names of destructive tools are kept. With more, all tools count as destructive
	maxDestructive = 10_000
)

// listAge is how long a list of tools is used: not every server reports changes.
const listAge = time.Minute

// toolList is the server's list of tools as it was last read.
type toolList struct {
	reading wait.Mutex // held while the list is read

	mu          sync.Mutex
	tools       map[string]tool // nil when not known
	read        time.Time       // when they were
	changes     int             // of the list
	destructive destructiveTools
}

// known returns a tool of the list, unless the list is too old.
func (tl *toolList) known(name string) (t tool, ok bool) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	t, ok = tl.tools[name]
	return t, ok && time.Since(tl.read) <= listAge
}

// maxOthers is how many names of tools a question has.
const maxOthers = 100

// all returns the tools by name, or nil when they are not known.
func (tl *toolList) all() map[string]tool {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return maps.Clone(tl.tools)
}

// version is another one after each change of the list.
func (tl *toolList) version() int {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return tl.changes
}

// set replaces the list by one that was read, in pages, at that version, and returns its tool with
// that name.
func (tl *toolList) set(pages []json.RawMessage, version int, name string) tool {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tools := map[string]tool{}
	for _, page := range pages {
		tl.destructive.readTools(page, tools)
	}
	if tl.changes == version { // otherwise it is outdated already
		tl.tools, tl.read = tools, time.Now()
	}
	t, listed := tools[name]
	t.destructive = t.destructive || !listed || tl.destructive.has(name)
	return t
}

// forget drops the list, which has changed or whose server is gone.
func (tl *toolList) forget() {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.tools = nil
	tl.changes++
}

// update adds the tools of a page that was sent to the client. Of a list that was not read whole
// it keeps which ones are destructive.
func (tl *toolList) update(result json.RawMessage) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	into := tl.tools
	if into == nil {
		into = map[string]tool{}
	}
	tl.destructive.readTools(result, into)
}

// listParams returns the params of a tools/list for the client that has sent the call.
func listParams(call *message, cursor json.RawMessage) json.RawMessage {
	params := object{}
	if call.Modern() {
		params["_meta"] = wire.With(call.Param("_meta"), nil, "progressToken")
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
		described := wire.Members(raw)
		name := wire.Text(described["name"])
		t := tool{result: described["outputSchema"] != nil,
			digest: digest(described["inputSchema"], described["annotations"])}
		_ = json.Unmarshal(described["inputSchema"], &t.schema) // without one nothing is edited
		hints := wire.Members(described["annotations"])
		if string(hints["destructiveHint"]) == "true" && string(hints["readOnlyHint"]) != "true" {
			if len(r) < maxDestructive {
				r[name] = true
			}
		}
		t.destructive = r.has(name)
		var known mcp.Tool
		if json.Unmarshal(raw, &known) == nil {
			t.known = &known
		}
		into[name] = t
	}
}

// digest is equal for equal values, however they are written.
func digest(values ...json.RawMessage) string {
	sum := sha256.New()
	for _, raw := range values {
		is, err := canonical(raw)
		if err != nil { // the value is missing
			is = json.RawMessage("null")
		}
		_, _ = sum.Write(append(is, 0)) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// destructiveTools are the names of the tools that a server has ever called destructive: it cannot
// take that back.
type destructiveTools map[string]bool

func (r destructiveTools) has(name string) bool { return r[name] || len(r) >= maxDestructive }
