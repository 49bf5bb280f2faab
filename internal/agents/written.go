package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
)

// fenced is a call as a model without native calls is asked to write it.
var fenced = regexp.MustCompile("(?s)```[a-zA-Z_]*\\s*\\n?(\\{.*?\\})\\s*```")

// What a model is told of a call that it wrote: why it cannot be carried out, and which form is
// wanted.
const (
	unusable = "A call could not be read, as %s. Nothing was carried out: %s, or give the answer " +
		"without anything that looks like a call."
	textForm   = "write it again as\n```json\n{\"tool\": \"NAME\", \"arguments\": {}}\n```\n"
	nativeForm = "call the tool itself"
)

// parseCalls reads the calls in a text that are JSON. Any other notation of a call is a problem.
// alone says that the text begins or ends with a call, or that marks are around one.
func parseCalls(reply string, tools map[string]Tool) (calls []model.ToolCall, alone bool,
	problem string) {
	n := notation{reply, []byte(reply), tools, fence().FindAllStringSubmatchIndex(reply, -1)}
	for at, unread := 0, 0; unread < maxUnread; {
		m := opens().FindStringSubmatchIndex(reply[at:])
		if m == nil {
			break
		}
		opened, begin := at+m[0], at+m[2]
		at = begin + 1
		if foreign, _, _ := n.block(begin); foreign || n.inline(opened) {
			continue
		}
		var value json.RawMessage
		d := json.NewDecoder(strings.NewReader(reply[begin:]))
		if err := d.Decode(&value); err != nil {
			block, _, _ := strings.Cut(reply[begin:min(begin+maxKeys, len(reply))], "```")
			if callKeys().MatchString(block) || begin == 0 && block[0] == '{' {
				return nil, false, "it is no JSON: " + text.Cut(text.Line(err.Error()), 200)
			}
			unread++
			continue
		}
		at = begin + int(d.InputOffset())
		found, whole := callsIn(value, tools)
		cut := strings.Contains(reply[opened:begin], "```") && !strings.Contains(reply[at:], "```")
		if !whole || len(found) > 0 && cut { // a block without its end
			return nil, false, "it is in another form"
		}
		end := at
		if calls = append(calls, found...); len(found) > 0 {
			around := wrapped().FindString(reply[max(0, begin-maxNear):begin])
			begin, end = begin-len(around), at+len(unwrapped().FindString(reply[at:]))
			alone = alone || begin == 0 || end == len(reply) || callMark().MatchString(around)
		}
		n.blank(begin, end, len(found) > 0)
	}
	if n.calls() {
		return nil, false, "it is in another form"
	}
	return calls, alone, ""
}

// callsIn returns the calls of a JSON value: an object that names a tool of the agent's, or one
// with arguments, or a list of such objects. What describes a tool or tells of a call is none.
// whole is false if only a part of the value is a call.
func callsIn(value json.RawMessage, tools map[string]Tool) (calls []model.ToolCall, whole bool) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, one := range list {
			found, ok := callsIn(one, tools)
			if !ok {
				return nil, false
			}
			calls = append(calls, found...)
		}
		return calls, len(calls) == 0 || len(calls) >= len(list)
	}
	m := map[string]json.RawMessage{}
	for k, v := range wire.Members(value) {
		t, known := tools[k]
		for first := range wire.Members(v) {
			if known && t.has(first) {
				return nil, false // {"NAME": {arguments}}
			}
		}
		if plain := strings.ReplaceAll(strings.ToLower(k), "_", ""); plain == k || m[plain] == nil {
			m[plain] = v
		}
	}
	for _, key := range members["wrappers"] {
		if inner := bytes.TrimSpace(m[key]); len(inner) > 0 && inner[0] != '"' {
			if calls, whole := callsIn(inner, tools); len(calls) > 0 || !whole {
				return calls, whole
			}
		}
	}
	given := func(list string) []string {
		return slices.DeleteFunc(slices.Clone(members[list]),
			func(k string) bool { return m[k] == nil })
	}
	by, args := append(given("names"), ""), append(given("arguments"), "")
	name, raw := strings.TrimPrefix(wire.Text(m[by[0]]), "functions."), m[args[0]]
	t, known := tools[name]
	// nothing but a call
	pure := len(given("names"))+len(given("arguments"))+len(given("beside")) == len(m)
	object := raw == nil || strings.ContainsAny(string(raw[:1]), `{"n`)
	switch {
	case name == "" || len(given("tells")) > 0 || !pure && (!known || raw == nil || !object),
		!known && (raw == nil || by[0] == "action"),
		wire.At(raw, "properties") != nil && !t.has("properties"): // a schema
		return nil, true
	case !object, len(args) > 2, raw == nil && (by[0] == "name" || by[0] == "action"):
		return nil, false
	}
	return []model.ToolCall{{Name: name, Arguments: string(raw)}}, true
}

// inText reads the calls in a text. A model that makes native calls is asked for its call again if
// that is all that it wrote, or an end of it, or in marks. Elsewhere it only quotes one.
func inText(reply string, tools map[string]Tool, textual bool) ([]model.ToolCall, string) {
	calls, alone, problem := parseCalls(reply[:min(len(reply), maxWritten)], tools)
	form := textForm
	if !textual {
		calls, form = nil, nativeForm
		if problem == "" && alone {
			problem = "it stands in the text"
		}
	}
	if problem != "" {
		return nil, fmt.Sprintf(unusable, problem, form)
	}
	return calls, ""
}

// behindThoughts is a reply without what its model thought first, which may be cut off.
func behindThoughts(reply string) string {
	begin, end := strings.Index(reply, "<think>"), strings.LastIndex(reply, "</think>")
	switch {
	case begin > 0: // it speaks of thoughts
		return reply
	case end >= 0:
		return strings.TrimSpace(reply[end+len("</think>"):])
	case begin == 0:
		return ""
	}
	return reply
}

// plainArguments are the arguments of a call as JSON, which models also write as a JSON text.
func plainArguments(written string) json.RawMessage {
	args := json.RawMessage(written)
	var inner string
	if json.Unmarshal(args, &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") &&
		json.Valid([]byte(inner)) {
		args = json.RawMessage(inner)
	}
	switch {
	case strings.TrimSpace(string(args)) == "":
		return json.RawMessage("{}")
	case !json.Valid(args): // shown unchanged, but the call is refused
		args, _ = json.Marshal(written)
	}
	return args
}
