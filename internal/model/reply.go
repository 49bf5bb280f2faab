package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Response is a model's reply.
type Response struct {
	Text         string // "" when the model only reasoned or called tools
	Reasoning    string // from reasoning_content or reasoning, "" when the endpoint has neither
	FinishReason string // as the endpoint wrote it: stop, length, tool_calls, content_filter, ...
	ToolCalls    []ToolCall
	Usage        Usage
	Attempts     int    // 1 when nothing had to be tried again
	Model        string // that was asked, by its name in Options
}

// Truncated reports whether a token limit cut the reply off.
func (r *Response) Truncated() bool { return endOf(r.FinishReason) == cut }

// Usage is the number of tokens of a reply, 0 if the endpoint did not say or was not asked.
type Usage struct{ PromptTokens, CompletionTokens int }

// completion is the used part of a chat completion. Its members are decoded one by one, because
// endpoints write unused members in any type.
type completion struct {
	choices []choice
	usage   members
	fault   json.RawMessage // an error beside the choices
}

// choice is one reply of a completion.
type choice struct {
	message members
	finish  string          // "" when the endpoint wrote no text
	fault   json.RawMessage // an error in place of the rest of the reply
}

// readCompletion reads the first JSON value of a body: some routers write more after it.
func readCompletion(body []byte) (c completion, err error) {
	var all members
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&all); err != nil {
		return c, err
	}
	var list []json.RawMessage
	if raw := all["choices"]; present(raw) {
		if err := json.Unmarshal(raw, &list); err != nil {
			return c, fmt.Errorf("its choices are no list: %w", err)
		}
	}
	for _, raw := range list {
		m := membersOf(raw)
		message := membersOf(m["message"])
		if message == nil { // some servers reply as they stream
			message = membersOf(m["delta"])
		}
		c.choices = append(c.choices,
			choice{message: message, finish: textOf(m["finish_reason"]), fault: m["error"]})
	}
	c.usage, c.fault = membersOf(all["usage"]), all["error"]
	return c, nil
}

// reply returns the first choice that says something, else the first one.
func (c completion) reply() choice {
	for _, one := range c.choices {
		if textOf(one.message["content"]) != "" || len(toolCallsOf(one.message)) > 0 {
			return one
		}
	}
	return c.choices[0]
}

// broken returns the error that the endpoint reports in the reply or beside it, or how the reply
// ended if that is no end that is known. It is "" if the reply came to its end.
func (c completion) broken() string {
	one := c.reply()
	for _, raw := range []json.RawMessage{one.fault, c.fault} {
		if present(raw) {
			return "the endpoint reports: " + said(raw)
		}
	}
	if endOf(one.finish) == broken {
		return fmt.Sprintf("the endpoint broke the reply off (finish_reason %q)", one.finish)
	}
	return ""
}

// isCompletion reports whether a body is a chat completion with a reply that was not broken off.
func isCompletion(body []byte) bool {
	c, err := readCompletion(body)
	return err == nil && len(c.choices) > 0 && c.broken() == ""
}

// response reads the reply. A reply that the endpoint broke off or withheld is an error: half an
// action is none.
func (k *attempts) response() (Response, error) {
	c, err := readCompletion(k.body)
	if err != nil {
		return Response{}, k.withHint(k.unreadable(err))
	}
	if len(c.choices) == 0 {
		return Response{}, k.withHint(k.empty(c.fault))
	}
	if fault := c.broken(); fault != "" {
		return Response{}, k.withHint(k.fail(ServerFault, fault, nil))
	}
	one := c.reply()
	if endOf(one.finish) == withheld {
		return Response{}, k.withHint(k.fail(Withheld, fmt.Sprintf(
			"the endpoint's filter withheld the reply (finish_reason %q)", one.finish), nil))
	}
	m := one.message
	r := Response{
		Text:         k.scrub.text(cmp.Or(textOf(m["content"]), textOf(m["refusal"]))),
		Reasoning:    k.scrub.text(cmp.Or(textOf(m["reasoning_content"]), textOf(m["reasoning"]))),
		FinishReason: one.finish,
		Attempts:     k.attempts,
	}
	if k.header.Get(playedHeader) == "" {
		r.Usage = Usage{countOf(c.usage["prompt_tokens"]), countOf(c.usage["completion_tokens"])}
	}
	for _, t := range toolCallsOf(m) {
		t.Arguments = k.scrub.text(t.Arguments)
		r.ToolCalls = append(r.ToolCalls, t)
	}
	return r, nil
}

// members are those of a JSON object.
type members map[string]json.RawMessage

// membersOf returns the members of an object, nil for anything else.
func membersOf(raw json.RawMessage) (m members) {
	_ = json.Unmarshal(raw, &m)
	return m
}

// toolCallsOf returns the tool calls of a message: a list, or one that stands alone.
func toolCallsOf(message members) (calls []ToolCall) {
	raw := message["tool_calls"]
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		call := membersOf(one)
		f := membersOf(call["function"])
		if f == nil {
			continue
		}
		var id, arguments string
		if json.Unmarshal(call["id"], &id) != nil { // a number
			id = string(call["id"])
		}
		if json.Unmarshal(f["arguments"], &arguments) != nil { // some write the object itself
			arguments = string(f["arguments"])
		}
		calls = append(calls, ToolCall{id, textOf(f["name"]), arguments})
	}
	return calls
}

// countOf reads a number of tokens, also one with a fraction or in quotes. It returns 0 for
// anything else.
func countOf(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return int(min(n, 1e12))
}

// textOf is a JSON text, the text of a part, the texts of a list of parts, or "" for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
	}
	var b strings.Builder
	for _, p := range parts {
		var words string
		_ = json.Unmarshal(membersOf(p)["text"], &words)
		b.WriteString(words)
	}
	return b.String()
}
