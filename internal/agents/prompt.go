package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// prompts are the texts for models in one language.
type prompts struct {
	System, Down, Calls, Result, Failed, Said string
}

var promptsIn = words.Of[prompts]("agents")

// request returns the agent's conversation so far.
func (a *agent) request(textual bool) model.Request {
	w := promptsIn(words.For(cmp.Or(a.h.opts.Lang, words.Auto), a.state.Begin.Goal))
	system := w.System
	if a.role.Prompt != "" {
		system += "\n\n" + a.role.Prompt
	}
	down := text.Each(a.h.down, func(d Down) string { return text.Quote(d.Server, 100) })
	if down != nil {
		system += "\n\n" + w.Down + strings.Join(down, ", ")
	}
	r := model.Request{}
	if textual {
		system += "\n\n" + w.Calls + describeTools(a.tools)
	} else {
		r.Tools, r.Parallel = modelTools(a.tools), true
	}
	r.Messages = []model.Message{message("system", system), message("user", a.state.Begin.Goal)}
	r.Messages = append(r.Messages, a.dialogue(w, textual)...)
	return r
}

func message(role, words string) model.Message {
	return model.Message{Role: role, Parts: []model.Part{{Text: words}}}
}

// dialogue returns the messages after the goal. A person's message that came during calls follows
// their results, because endpoints allow nothing between a call and its result.
func (a *agent) dialogue(w *prompts, textual bool) []model.Message {
	var list, said []model.Message
	calls := map[string]Call{}
	for _, e := range a.state.Entries {
		switch {
		case e.Said != "":
			said = append(said, message("user", fmt.Sprintf(w.Said, e.Said)))
		case e.Reply != nil:
			for _, c := range e.Reply.Calls {
				calls[c.ID] = c
			}
			list = append(list, replyMessages(e.Reply, textual)...)
		case e.Result != nil:
			c := calls[e.Result.Call]
			delete(calls, c.ID)
			list = append(list, a.resultMessage(w, *e.Result, c, textual))
		}
		if len(calls) == 0 {
			list, said = append(list, said...), nil
		}
	}
	return list
}

// replyMessages returns a reply in the form for its model.
func replyMessages(r *Reply, textual bool) []model.Message {
	m := model.Message{Role: "assistant"}
	words := r.Text
	if textual && words == "" {
		words = formatCalls(r.Calls)
	}
	if words != "" {
		m.Parts = []model.Part{{Text: words}}
	}
	if !textual {
		for _, c := range r.Calls {
			m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Name,
				Arguments: string(c.Args)})
		}
	}
	list := []model.Message{m}
	if r.Problem != "" {
		list = append(list, message("user", r.Problem))
	}
	return list
}

// resultMessage returns a result in the form for the model.
func (a *agent) resultMessage(w *prompts, r Result, c Call, textual bool) model.Message {
	shown, err := a.h.read(r.Call, 0)
	if err != nil {
		shown = err.Error()
	}
	form := w.Result
	if r.Failed {
		form = w.Failed
	}
	m := message("user", fmt.Sprintf(form, r.Call, c.Name, shown))
	if !textual {
		m.Role, m.CallID = "tool", r.Call
	}
	return m
}

// describeTools describes tools in text.
func describeTools(tools map[string]Tool) string {
	var b strings.Builder
	for _, t := range modelTools(tools) {
		fmt.Fprintf(&b, "- %s: %s\n  %s\n", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

// formatCalls writes calls in the form of models without native calls.
func formatCalls(calls []Call) string {
	var b strings.Builder
	for _, c := range calls {
		line, err := json.Marshal(map[string]any{"tool": c.Name, "arguments": c.Args})
		if err == nil {
			fmt.Fprintf(&b, "```json\n%s\n```\n", line)
		}
	}
	return b.String()
}

func (h *Host) isTextual(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opts.Textual || h.textual[name]
}

func (h *Host) setTextual(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.textual[name] = true
}
