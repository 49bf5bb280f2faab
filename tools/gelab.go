package tools

import (
	"strings"
	"time"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// gelabTools are listed to gelab-zero's clients. That server has no ask_agent_wait and
// no ask_agent_stop, but results may name them here.
var gelabTools = []string{phonesTool, olderTool, startTool, continueTool, waitTool, stopTool}

// eitherArgs are those of the older tool that starts and continues.
type eitherArgs struct {
	Task      string `json:"task,omitempty" max:"20000"`
	SessionID string `json:"session_id,omitempty" max:"200"`
	ReplyMode string `json:"reply_mode,omitempty" max:"200" listed:"gelab"`
	Reset     *bool  `json:"reset_environment,omitempty" listed:"gelab"`
	Key       string `json:"idempotency_key,omitempty" max:"200" listed:"gelab"`
	Supersede bool   `json:"supersede,omitempty" listed:"gelab"`
	usecase.Reply
	usecase.Running
}

// forGelab changes arguments whose defaults are others for gelab-zero's clients: screens are
// described in words, a new task takes the place of the client's own, and the task, which these
// clients always have to pass, is left out when there is an answer.
func forGelab(args any) {
	var show *usecase.Showing
	switch a := args.(type) {
	case *usecase.Start:
		show, a.Supersede = &a.Showing, true
	case *usecase.Continue:
		show = &a.Showing
		if a.Words != "" {
			a.Task = ""
		}
	case *eitherArgs:
		show, a.Supersede = &a.Showing, true
		if a.Words != "" {
			a.Task = ""
		}
	default:
		return
	}
	if show.Captions == nil {
		show.Captions = new(true)
	}
	if show.FinalCaption == nil {
		show.FinalCaption = new(true)
	}
}

// untilLeft is how long a call of a client of gelab-zero's server waits: until its task has ended
// or the client has left, unless the address or the settings of that client say otherwise.
func untilLeft(opts *Options, o *connectionOptions, client string,
	most time.Duration) time.Duration {
	for name := range opts.ClientWaits {
		if strings.EqualFold(name, client) {
			return most
		}
	}
	return min(o.wait, 365*24*time.Hour)
}

// serialsSchema is the one that gelab-zero's clients take the plain list out of.
func serialsSchema() *schema.Schema {
	s := result.Schema[result.Serials]().CloneSchemas()
	s.Extra = map[string]any{"x-fastmcp-wrap-result": true}
	return s
}

// serials lists the phones that can be used, as gelab-zero does.
func serials(found []usecase.Phone) *toolResult {
	list := []string{}
	for _, p := range found {
		if p.Usable {
			list = append(list, p.Serial)
		}
	}
	return &toolResult{body: result.Serials{Result: list}, plain: list}
}
