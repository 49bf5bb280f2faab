package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// answer is a completion on its way out.
type answer struct {
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

func newAnswer(r *rule, groups map[string]string, req *Request) *answer {
	a := &answer{
		model:     req.Model,
		text:      expand(r.text(), groups, asIs),
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

func (a *answer) usage() map[string]any {
	return map[string]any{
		"prompt_tokens":     a.prompt,
		"completion_tokens": a.tokens,
		"total_tokens":      a.prompt + a.tokens,
	}
}

func (a *answer) frame(object string) map[string]any {
	return map[string]any{
		"id":      a.id,
		"object":  object,
		"created": time.Now().Unix(),
		"model":   a.model,
	}
}

// whole is the reply that is not streamed.
func (a *answer) whole() map[string]any {
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
	out := a.frame("chat.completion")
	out["choices"] = []any{
		map[string]any{"index": 0, "message": message, "finish_reason": a.finish},
	}
	out["usage"] = a.usage()
	return out
}

func (a *answer) toolCalls() []any {
	var out []any
	for i, c := range a.calls {
		out = append(out, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d", i+1), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.arguments},
		})
	}
	return out
}

// stream sends the reply as server-sent events, in pieces.
func (a *answer) stream(ctx context.Context, w http.ResponseWriter, withUsage bool) error {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	for _, delta := range a.deltas() {
		if ctx.Err() != nil {
			return nil
		}
		a.event(w, []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
	}
	a.event(w,
		[]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": a.finish}},
		nil)
	if withUsage {
		a.event(w, []any{}, a.usage())
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	return nil
}

func (a *answer) deltas() []map[string]any {
	out := []map[string]any{{"role": "assistant", "content": ""}}
	for _, piece := range pieces(a.reasoning) {
		out = append(out, map[string]any{"reasoning_content": piece})
	}
	for _, piece := range pieces(a.text) {
		out = append(out, map[string]any{"content": piece})
	}
	if len(a.calls) > 0 {
		out = append(out, map[string]any{"tool_calls": a.toolCalls()})
	}
	return out
}

// pieces cuts s into tokens' size, between runes.
func pieces(s string) []string {
	const size = 8
	var out []string
	for s != "" {
		end := 0
		for n := 0; n < size && end < len(s); n++ {
			_, w := utf8.DecodeRuneInString(s[end:])
			end += w
		}
		out = append(out, strings.ToValidUTF8(s[:end], "\uFFFD"))
		s = s[end:]
	}
	return out
}

func (a *answer) event(w http.ResponseWriter, choices []any, usage map[string]any) {
	chunk := a.frame("chat.completion.chunk")
	chunk["choices"] = choices
	if usage != nil {
		chunk["usage"] = usage
	}
	b, _ := json.Marshal(chunk)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
	_ = http.NewResponseController(w).Flush()
}
