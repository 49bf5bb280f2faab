package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// prompts are texts for the models of agents, in a language.
type prompts struct {
	System, Down, Calls, Result, Failed, Said string
}

var promptsIn = words.Of[prompts]("agents")

// request is the agent's conversation so far.
func (a *agent) request(textual bool) model.Request {
	w := promptsIn(a.h.opts.Lang)
	system := w.System
	if a.role.Prompt != "" {
		system += "\n\n" + a.role.Prompt
	}
	var down []string
	for _, d := range a.h.down {
		down = append(down, text.Quote(d.Server, 100))
	}
	if down != nil {
		system += "\n\n" + w.Down + strings.Join(down, ", ")
	}
	r := model.Request{}
	if textual {
		system += "\n\n" + w.Calls + describeTools(a.tools)
	} else {
		r.Tools = modelTools(a.tools)
	}
	r.Messages = []model.Message{message("system", system), message("user", a.state.Begin.Goal)}
	r.Messages = append(r.Messages, a.dialogue(w, textual)...)
	return r
}

func message(role, words string) model.Message {
	return model.Message{Role: role, Parts: []model.Part{{Text: words}}}
}

// dialogue is what was said and done after the goal. What a person said while calls were carried
// out stands behind their results: endpoints take nothing between a call and its result.
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

// replyMessages is a reply as its model is shown it again.
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

// resultMessage is a call's result as the model is shown it.
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

// describeTools are tools as a text.
func describeTools(tools map[string]Tool) string {
	var b strings.Builder
	for _, t := range modelTools(tools) {
		fmt.Fprintf(&b, "- %s: %s\n  %s\n", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

// formatCalls are calls as models without native ones write them.
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

var fenced = regexp.MustCompile("(?s)```[a-zA-Z_]*\\s*\\n?(\\{.*?\\})\\s*```")

// parseCalls are the calls that a text has in fenced blocks of JSON. What looks like one and cannot
// be read is a problem; so is one bare object that is the whole text.
func parseCalls(reply string, tools map[string]Tool) (calls []model.ToolCall, problem string) {
	blocks := fenced.FindAllStringSubmatch(reply, -1)
	if len(blocks) == 0 && strings.HasPrefix(reply, "{") && strings.HasSuffix(reply, "}") {
		blocks = [][]string{{"", reply}}
	}
	for _, b := range blocks {
		var c struct {
			Tool      string          `json:"tool"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		err := json.Unmarshal([]byte(b[1]), &c)
		if c.Tool == "" {
			c.Tool = c.Name
		}
		_, known := tools[c.Tool]
		switch {
		case err != nil && strings.Contains(b[1], `"tool"`):
			return nil, "A call could not be read, as it is no JSON: " +
				text.Cut(text.Line(err.Error()), 200) + ". Nothing was carried out; write it again."
		case err != nil || !known && c.Arguments == nil: // a block of something else
		default:
			calls = append(calls, model.ToolCall{Name: c.Tool, Arguments: string(c.Arguments)})
		}
	}
	return calls, ""
}

// Forms of calls that are not read: a model's own words for them, and JSON in another form.
var (
	ownCall  = regexp.MustCompile(`(?i)<\|?(?:tool_call|function_call|function=)`)
	jsonCall = regexp.MustCompile(
		`"(?:tool|name|function)"\s*:[\s\S]*"(?:arguments|parameters)"\s*:`)
)

// looksLikeCall reports whether a text without calls that can be read was meant as one: begins as
// one or, of a model that writes its calls in the text, has one in it.
func looksLikeCall(reply string, textual bool) bool {
	if textual {
		return ownCall.MatchString(reply) || jsonCall.MatchString(reply)
	}
	own := ownCall.FindStringIndex(reply)
	bare := strings.TrimLeft(reply, "`jsonJSON \t\r\n[")
	return own != nil && own[0] == 0 || strings.HasPrefix(bare, "{") && jsonCall.MatchString(bare)
}

var aboutTools = regexp.MustCompile(`(?i)\btools?\b|function.?call`)

// refusesTools reports whether an endpoint takes no native calls.
func refusesTools(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && (e.Kind == model.Rejected || e.Kind == model.NoSuchPath ||
		e.Kind == model.ServerFault) && aboutTools.MatchString(e.Message)
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
