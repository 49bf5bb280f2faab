package tools

import (
	"cmp"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Compat says whose MCP server a connection finds, for clients that were written for another one.
type Compat string

// The servers that there are.
const (
	CompatOff Compat = "off" // our own
	// gelab-zero's: its tools and defaults, serials for list_connected_devices, and calls that
	// return when the task ends, or when the client would give up
	CompatGelab Compat = "gelab"
)

// phonesTool is the tool that gelab-zero's clients read a plain list from.
const phonesTool = "list_connected_devices"

// gelabTools are listed to gelab-zero's clients. It has no ask_agent_wait and no ask_agent_stop;
// here a result may name them.
var gelabTools = []string{phonesTool, olderTool, startTool, goOnTool, waitTool, stopTool}

// servesGelab reports whether the connection finds gelab-zero's server.
func (t *Tools) servesGelab(o *connectionOptions) bool {
	return cmp.Or(o.compat, t.opts.Compat) == CompatGelab
}

// forGelab are arguments whose defaults are others for gelab-zero's clients.
type forGelab interface{ forGelab() }

// forGelab describes screens in words.
func (a *showArgs) forGelab() {
	if a.Captions == nil {
		a.Captions = new(true)
	}
	if a.FinalCaption == nil {
		a.FinalCaption = new(true)
	}
}

// forGelab leaves the task out when there is an answer: these clients always have to pass one.
func (a *continueArgs) forGelab() {
	a.showArgs.forGelab()
	if a.Reply != "" {
		a.Task = ""
	}
}

func (a *eitherArgs) forGelab() {
	a.showArgs.forGelab()
	if a.Reply != "" {
		a.Task = ""
	}
}

// serialsSchema is the one that gelab-zero's clients take the plain list out of.
func serialsSchema() *schema.Schema {
	s := result.Schema[result.Serials]().CloneSchemas()
	s.Extra = map[string]any{"x-fastmcp-wrap-result": true}
	return s
}

// serials lists the phones that can be used, as gelab-zero does.
func serials(found []runs.PhoneInfo) *reply {
	list := []string{}
	for _, p := range found {
		if p.Usable {
			list = append(list, p.Serial)
		}
	}
	return &reply{body: result.Serials{Result: list}, plain: list}
}
