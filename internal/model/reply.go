package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	choices []*choice
	usage   members
	fault   json.RawMessage // an error beside the choices, or behind them
	wholes  int             // how many completions are no chunks
}

// choice is one reply of a completion.
type choice struct {
	parts    []members       // of its message: one, or the deltas of its chunks
	streamed bool            // in chunks, of which only the last one says that it is whole
	finish   string          // "" when the endpoint wrote no text
	fault    json.RawMessage // an error in place of the rest of the reply
}

// framing is what stands around the chunks in a stream of events.
var framing = regexp.MustCompile(`(?m)^\x{FEFF}?(?:data:(?:[ \t]*\[DONE\])?|` +
	`(?:event|id|retry|):[ \t\pL\d].*$)|^\x{FEFF}`)

// readCompletion reads a body to its end: one completion, or the chunks of one, as events, in lines
// or one after the other.
func readCompletion(body []byte) (c completion, err error) {
	d := json.NewDecoder(bytes.NewReader(framing.ReplaceAll(body, nil)))
	chunks := map[string]*choice{}
	for n := 0; ; n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); n > 0 && errors.Is(err, io.EOF) {
			return c, nil
		} else if err != nil {
			return c, err
		}
		if err := c.add(raw, chunks); err != nil {
			return c, err
		}
	}
}

// add adds a completion, or a chunk, whose choices continue those of the same number.
func (c *completion) add(value json.RawMessage, chunks map[string]*choice) error {
	var all members
	var list []json.RawMessage
	if err := json.Unmarshal(value, &all); err != nil {
		return err
	}
	if raw := all["choices"]; present(raw) {
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("its choices are no list: %w", err)
		}
	}
	alone := false
	for _, raw := range list {
		m := membersOf(raw)
		message, index := membersOf(m["message"]), string(m["index"])
		streamed := message == nil || textOf(all["object"]) == "chat.completion.chunk"
		if message == nil { // some servers reply as they stream
			message = membersOf(m["delta"])
		}
		one := chunks[index]
		if one == nil || !streamed {
			one = &choice{streamed: streamed}
			c.choices = append(c.choices, one)
		}
		if streamed {
			chunks[index] = one
		}
		one.parts = append(one.parts, message)
		if endOf(one.finish) == whole {
			one.finish = cmp.Or(textOf(m["finish_reason"]), one.finish)
		}
		one.fault = firstOf(one.fault, m["error"])
		alone = alone || !streamed
	}
	if alone {
		c.wholes++
	}
	if present(all["usage"]) {
		c.usage = membersOf(all["usage"])
	}
	c.fault = firstOf(c.fault, all["error"])
	if len(list) == 0 {
		c.fault = firstOf(c.fault, reported(value))
	}
	return nil
}

// reply returns the first choice that says something, else the first one.
func (c completion) reply() *choice {
	for _, one := range c.choices {
		if one.text("content") != "" || len(one.toolCalls()) > 0 {
			return one
		}
	}
	return c.choices[0]
}

// broken returns the error that the endpoint reports in the reply or beside it, or how the reply
// ended if that is no end that is known. It is "" if the reply came to its end.
func (c completion) broken() string {
	one := c.reply()
	if fault := firstOf(one.fault, c.fault); fault != nil {
		return "the endpoint reports: " + said(fault)
	}
	if endOf(one.finish) == broken || one.streamed && one.finish == "" {
		return fmt.Sprintf("the endpoint broke the reply off (finish_reason %q)", one.finish)
	}
	if c.wholes > 1 || c.wholes > 0 && one.streamed {
		return "the endpoint wrote more than one reply"
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
	r := Response{
		Text:         k.scrub.Text(cmp.Or(one.text("content"), one.text("refusal"))),
		Reasoning:    k.scrub.Text(cmp.Or(one.text("reasoning_content"), one.text("reasoning"))),
		FinishReason: one.finish,
		Attempts:     k.attempts,
	}
	if k.header.Get(playedHeader) == "" {
		r.Usage = Usage{countOf(c.usage["prompt_tokens"]), countOf(c.usage["completion_tokens"])}
	}
	for _, t := range one.toolCalls() {
		t.Arguments = k.scrub.Text(t.Arguments)
		r.ToolCalls = append(r.ToolCalls, t)
	}
	return r, nil
}

// text is a text of the message, whose parts are joined.
func (c *choice) text(key string) string {
	var b strings.Builder
	for _, part := range c.parts {
		b.WriteString(textOf(part[key]))
	}
	return b.String()
}

// toolCalls returns the tool calls of the message: a list, or one that stands alone. A part
// continues the call of its number that a part before it began.
func (c *choice) toolCalls() (calls []ToolCall) {
	var arguments []*strings.Builder
	numbered := map[string]int{}
	for _, part := range c.parts {
		raw, begun := part["tool_calls"], len(calls)
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			list = []json.RawMessage{raw}
		}
		for _, one := range list {
			m := membersOf(one)
			f := membersOf(m["function"])
			if f == nil {
				continue
			}
			call := ToolCall{ID: plain(m["id"]), Name: textOf(f["name"])}
			at, is := numbered[string(m["index"])]
			if !is || at >= begun || call.ID != "" && call.ID != calls[at].ID ||
				call.Name != "" && call.Name != calls[at].Name {
				at = len(calls)
				calls, arguments = append(calls, call), append(arguments, new(strings.Builder))
				numbered[string(m["index"])] = at
			}
			arguments[at].WriteString(plain(f["arguments"]))
		}
	}
	for i := range calls {
		calls[i].Arguments = arguments[i].String()
	}
	return calls
}
