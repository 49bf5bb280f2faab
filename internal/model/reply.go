package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"
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

// Truncated reports whether the token limit cut the reply off.
func (r *Response) Truncated() bool { return r.FinishReason == string(openai.FinishReasonLength) }

// Usage is what a reply cost in tokens; 0 when the endpoint did not say.
type Usage struct{ PromptTokens, CompletionTokens int }

// completion is a reply as endpoints write it. go-openai's own type knows only one of the two keys
// of a reasoning.
type completion struct {
	Choices []struct {
		Message struct {
			Content          json.RawMessage `json:"content"`
			Refusal          string          `json:"refusal"`
			ReasoningContent json.RawMessage `json:"reasoning_content"`
			Reasoning        json.RawMessage `json:"reasoning"`
			ToolCalls        []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage openai.Usage    `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readCompletion reads the first JSON value of a body: some routers write more after it.
func readCompletion(body []byte) (c completion, err error) {
	return c, json.NewDecoder(bytes.NewReader(body)).Decode(&c)
}

func isCompletion(body []byte) bool {
	c, err := readCompletion(body)
	return err == nil && len(c.Choices) > 0
}

// response reads the reply.
func (k *attempts) response() (Response, error) {
	c, err := readCompletion(k.body)
	if err != nil {
		return Response{}, k.withHint(k.unreadable(err))
	}
	if len(c.Choices) == 0 {
		return Response{}, k.withHint(k.empty(c.Error))
	}
	said := &c.Choices[0].Message
	r := Response{
		Text:         k.scrub.text(cmp.Or(textOf(said.Content), said.Refusal)),
		Reasoning:    k.scrub.text(cmp.Or(textOf(said.ReasoningContent), textOf(said.Reasoning))),
		FinishReason: c.Choices[0].FinishReason,
		Usage:        Usage{max(c.Usage.PromptTokens, 0), max(c.Usage.CompletionTokens, 0)},
		Attempts:     k.attempts,
	}
	for _, t := range said.ToolCalls {
		var arguments string
		if json.Unmarshal(t.Function.Arguments, &arguments) != nil { // some write the object itself
			arguments = string(t.Function.Arguments)
		}
		r.ToolCalls = append(r.ToolCalls,
			ToolCall{t.ID, t.Function.Name, k.scrub.text(arguments)})
	}
	return r, nil
}

// textOf is a JSON text, the texts of a list of parts, or "" for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
