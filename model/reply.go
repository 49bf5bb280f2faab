package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Response is a model's reply.
type Response struct {
	Text         string // "" when the model only reasoned or called tools
	Reasoning    string // from reasoning_content or reasoning, "" when the endpoint has neither
	FinishReason string // as the endpoint wrote it: stop, length, tool_calls, content_filter, ...
	Model        string // as the endpoint names it
	ToolCalls    []ToolCall
	Usage        Usage
	Attempts     int           // 1 when nothing had to be tried again
	Took         time.Duration // all attempts and the waits between them
}

// Truncated reports whether the token limit cut the reply off.
func (r *Response) Truncated() bool { return r.FinishReason == string(openai.FinishReasonLength) }

// ToolCall is a native tool call. Arguments is JSON as the model wrote it, not checked.
type ToolCall struct{ ID, Name, Arguments string }

// Usage is what a reply cost in tokens. Reported is false when the endpoint did not say; the numbers are 0 then.
type Usage struct {
	PromptTokens     int  `json:"prompt_tokens"`
	CompletionTokens int  `json:"completion_tokens"`
	Reported         bool `json:"reported"`
}

// reply takes the reply from go-openai's reading of it, and from the bytes what that drops.
func (k *call) reply(resp *openai.ChatCompletionResponse) (Response, error) {
	rest := readRest(k.body)
	if len(resp.Choices) == 0 {
		return Response{}, k.emptyReply(rest.Error)
	}
	choice := &resp.Choices[0]
	r := Response{
		Text:         k.scrub.text(textOf(&choice.Message)),
		Reasoning:    k.scrub.text(rest.reasoning()),
		FinishReason: string(choice.FinishReason),
		Model:        k.scrub.text(resp.Model),
		Attempts:     k.attempts,
		Usage: Usage{
			PromptTokens:     max(resp.Usage.PromptTokens, 0),
			CompletionTokens: max(resp.Usage.CompletionTokens, 0),
			Reported:         present(rest.Usage),
		},
	}
	for _, t := range choice.Message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, ToolCall{t.ID, t.Function.Name, k.scrub.text(t.Function.Arguments)})
	}
	return r, nil
}

// textOf is the content in either of its forms; a refusal is what the model said instead.
func textOf(m *openai.ChatCompletionMessage) string {
	if m.Content != "" {
		return m.Content
	}
	var b strings.Builder
	for _, p := range m.MultiContent {
		b.WriteString(p.Text)
	}
	if b.Len() == 0 {
		return m.Refusal
	}
	return b.String()
}

// rest is what go-openai does not decode.
type rest struct {
	Choices []struct {
		Message struct {
			ReasoningContent json.RawMessage `json:"reasoning_content"`
			Reasoning        json.RawMessage `json:"reasoning"`
		} `json:"message"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readRest reads as much as can be read: go-openai has already accepted the body as a whole.
func readRest(body []byte) rest {
	var r rest
	_ = json.NewDecoder(bytes.NewReader(body)).Decode(&r)
	return r
}

func (r *rest) reasoning() string {
	if len(r.Choices) == 0 {
		return ""
	}
	for _, raw := range []json.RawMessage{r.Choices[0].Message.ReasoningContent, r.Choices[0].Message.Reasoning} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
