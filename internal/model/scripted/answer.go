package scripted

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"
)

// completion is a completion on its way out.
type completion struct {
	id, model       string
	text, reasoning string
	calls           []toolCall
	finish          string
	prompt, tokens  int
}

func asIs(s string) string { return s }

// inJSON is s as it stands inside a JSON string.
func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func newAnswer(r *rule, reply string, groups map[string]string, req *Request) *completion {
	a := &completion{
		model:     req.Model,
		text:      reply,
		reasoning: expand(r.Reasoning, groups, asIs),
		finish:    r.FinishReason,
	}
	for _, c := range r.calls {
		a.calls = append(a.calls, toolCall{c.name, expand(c.arguments, groups, inJSON)})
		a.tokens += tokens(c.name) + tokens(c.arguments)
	}
	if a.finish == "" {
		a.finish = "stop"
		if len(a.calls) > 0 {
			a.finish = "tool_calls"
		}
	}
	a.prompt = promptTokens(req)
	a.tokens += tokens(a.text) + tokens(a.reasoning)
	sum := fnv.New64a()
	fmt.Fprint(sum, req.Asked(), "\x00", req.Rule, "\x00", a.text)
	a.id = fmt.Sprintf("chatcmpl-%016x", sum.Sum64())
	return a
}

// promptTokens counts as vision models roughly do: a token for four letters or one ideograph, one
// for 28x28 pixels.
func promptTokens(req *Request) int {
	n := 3
	for _, m := range req.Messages {
		n += 4 + tokens(m.Text)
		for _, img := range m.Images {
			b := img.Bounds()
			n += ((b.Dx() + 27) / 28) * ((b.Dy() + 27) / 28)
		}
	}
	return n
}

func tokens(s string) int {
	narrow, wide := 0, 0
	for _, r := range s {
		if r < 0x2e80 {
			narrow++
		} else {
			wide++
		}
	}
	return (narrow+3)/4 + wide
}

// whole is the reply.
func (a *completion) whole() map[string]any {
	message := map[string]any{"role": "assistant", "content": a.text}
	if a.reasoning != "" {
		message["reasoning_content"] = a.reasoning
	}
	if len(a.calls) > 0 {
		message["tool_calls"] = a.toolCalls()
		if a.text == "" {
			message["content"] = nil
		}
	}
	return map[string]any{
		"id": a.id, "object": "chat.completion", "created": time.Now().Unix(), "model": a.model,
		"choices": []any{
			map[string]any{"index": 0, "message": message, "finish_reason": a.finish},
		},
		"usage": map[string]any{"prompt_tokens": a.prompt, "completion_tokens": a.tokens,
			"total_tokens": a.prompt + a.tokens},
	}
}

func (a *completion) toolCalls() []any {
	var out []any
	for i, c := range a.calls {
		out = append(out, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d", i+1), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.arguments},
		})
	}
	return out
}
