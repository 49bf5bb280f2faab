package agents

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/text"
)

// Calls that stand in the text of a reply.
var (
	fenced = regexp.MustCompile("(?s)```[a-zA-Z_]*\\s*\\n?(\\{.*?\\})\\s*```")
	// opens is where an object or a list begins: behind a fence, a tag or the label of an action,
	// or a line.
	opens = regexp.MustCompile("(?m)(?:^[ \\t]*|```[a-zA-Z_]*[ \\t]*\\n?[ \\t]*|>[ \\t]*)([\\[{])")
	// callKeys are in what was meant as a call.
	callKeys = regexp.MustCompile(`(?:["'“]|[{,]\s*)(?:tool|tool_name|tool_call|tool_calls|` +
		`function|arguments)["'”]?\s*:`)
	// ownCall is models' own markup of calls.
	ownCall = regexp.MustCompile(`(?i)<[|｜]?(?:tool[_▁]call|function_call|function=|invoke\s)|` +
		`\[TOOL_CALLS\]|<\|call\|>|\bto=functions\.|(?m:^)[*# ]*action[ _]input[* ]*:`)
	// namedCall is a call within a line, or a line that is one in a language.
	namedCall = regexp.MustCompile(
		"\\{\\s*[\"'](?:tool|tool_name|name)[\"']\\s*:\\s*[\"']([\\w.-]+)|" +
			"(?m)^[ \\t`]*(?:print\\()?(?:\\w+\\.)?(\\w+)\\(.*\\)[)`]*[ \\t]*$")
)

const (
	unreadCall = "A call could not be read. Nothing was carried out; write it again, in the form " +
		"that was asked for."
	writtenCall = "A call stands in the text, and not as a call. Nothing was carried out: call " +
		"the tool itself."
)

// A text is read for calls up to maxWritten bytes, and to where so many brackets are no JSON: each
// costs a look at what follows it, for the keys of a call within maxKeys bytes.
const maxWritten, maxUnread, maxKeys = 256 << 10, 100, 8 << 10

// parseCalls returns the calls that are written in a text as JSON objects. What was meant as a call
// and cannot be read is a problem. last says that nothing but markup follows the last call.
func parseCalls(reply string, tools map[string]Tool) (calls []model.ToolCall, last bool,
	problem string) {
	reply = reply[:min(len(reply), maxWritten)]
	for at, unread := 0, 0; unread < maxUnread; {
		m := opens.FindStringSubmatchIndex(reply[at:])
		if m == nil {
			break
		}
		opened, begin := at+m[0], at+m[2]
		var value json.RawMessage
		d := json.NewDecoder(strings.NewReader(reply[begin:]))
		if err := d.Decode(&value); err != nil {
			block, _, _ := strings.Cut(reply[begin:min(begin+maxKeys, len(reply))], "```")
			if callKeys.MatchString(block) || begin == 0 && block[0] == '{' {
				return nil, false, "A call could not be read, as it is no JSON: " +
					text.Cut(text.Line(err.Error()), 200) +
					". Nothing was carried out; write it again."
			}
			at = begin + 1
			unread++
			continue
		}
		at = begin + int(d.InputOffset())
		found := callsIn(value, tools)
		cut := strings.Contains(reply[opened:begin], "```") && !strings.Contains(reply[at:], "```")
		if len(found) > 0 && (value[0] == '[' || cut) { // of a list, or of a block without its end
			return nil, false, unreadCall
		}
		calls = append(calls, found...)
		last = len(found) > 0 && strings.Trim(reply[at:], "` \t\n") == ""
	}
	if ownAt(reply, tools, len(calls) > 0) >= 0 {
		return calls, last, unreadCall
	}
	return calls, last, ""
}

// ownAt is where a call begins in another form than was asked for, or -1. The names of tools are
// looked for unless calls were read.
func ownAt(reply string, tools map[string]Tool, read bool) int {
	if at := ownCall.FindStringIndex(reply); at != nil {
		return at[0]
	}
	for _, m := range namedCall.FindAllStringSubmatchIndex(reply, -1) {
		if _, known := tools[reply[max(m[2], m[4]):max(m[3], m[5])]]; known && !read {
			return m[0]
		}
	}
	return -1
}

// callsIn returns the calls of a JSON value: an object that names a tool of the agent's, or one
// with arguments, or a list of such objects.
func callsIn(value json.RawMessage, tools map[string]Tool) (calls []model.ToolCall) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, one := range list {
			calls = append(calls, callsIn(one, tools)...)
		}
		return calls
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(value, &m) != nil {
		return nil
	}
	for _, key := range []string{"tool_calls", "tool_call", "function_call", "function"} {
		if inner := bytes.TrimSpace(m[key]); len(inner) > 0 && inner[0] != '"' {
			if calls := callsIn(inner, tools); len(calls) > 0 {
				return calls
			}
		}
	}
	var name string
	for _, key := range []string{"tool", "tool_name", "name", "function"} {
		if name == "" {
			_ = json.Unmarshal(m[key], &name) // another key may have it
		}
	}
	arguments, given := json.RawMessage(nil), false
	for _, key := range []string{"arguments", "args", "parameters", "params", "input"} {
		if raw, is := m[key]; is && !given {
			arguments, given = raw, true
		}
	}
	if _, known := tools[name]; name == "" || !known && !given {
		return nil
	}
	return []model.ToolCall{{Name: name, Arguments: string(arguments)}}
}

// proseEnd is how a text ends in words.
var proseEnd = regexp.MustCompile(`[\pL\pN.!?。！？]["'”)*]*$`)

// spoken reports whether the call at a place in a reply is closed and stands among words, which are
// the end of the reply.
func spoken(reply string, at int) bool {
	before := reply[strings.LastIndex(reply[:at], "\n")+1 : at]
	_, behind, _ := strings.Cut(reply[at:], "\n")
	return proseEnd.MatchString(reply) && strings.TrimLeft(before+behind, "`*# \t\n") != "" &&
		strings.Count(reply[at:], "{") == strings.Count(reply[at:], "}")
}

// inText reads the calls in a text. A model that makes native calls is asked for its call again if
// that is all that it wrote, or the end of it. Elsewhere it only quotes one.
func inText(reply string, tools map[string]Tool, textual bool) ([]model.ToolCall, string) {
	calls, last, problem := parseCalls(reply, tools)
	switch own := ownAt(reply, tools, len(calls) > 0); {
	case problem == unreadCall && !textual && own > 0 && spoken(reply, own):
		return nil, "" // it speaks of one
	case problem != "":
		return nil, problem
	case textual:
		return calls, ""
	case len(calls) > 0 && (last || strings.HasPrefix(strings.TrimLeft(reply, "`json \t\n"), "{")):
		return nil, writtenCall
	}
	return nil, ""
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
