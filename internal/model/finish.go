package model

import "strings"

// ending is how a reply ended.
type ending int

const (
	broken   ending = iota // it was broken off, or the word is not known
	whole                  // it came to its end
	cut                    // a token limit cut it off
	withheld               // a filter withheld it, or the rest of it
)

// finishes are the known finish reasons, in lower case. An unknown one is treated as a bad sign,
// because acting on half an action is worse than asking again.
var finishes = map[string]ending{
	"":     whole,                                              // not said
	"stop": whole, "tool_calls": whole, "function_call": whole, // OpenAI and most others
	"end_turn": whole, "stop_sequence": whole, "tool_use": whole, // Anthropic
	"complete": whole, "tool_call": whole, // Cohere
	"eos": whole, "eos_token": whole, // Together, Text Generation Inference

	"length":     cut,                                       // OpenAI and most others
	"max_tokens": cut, "model_context_window_exceeded": cut, // Anthropic, Gemini, Cohere
	"model_length": cut, // Mistral
	"max_length":   cut,

	"content_filter": withheld,                         // OpenAI and most others
	"refusal":        withheld,                         // Anthropic
	"sensitive":      withheld,                         // GLM
	"safety":         withheld, "recitation": withheld, // Gemini
	"blocklist": withheld, "prohibited_content": withheld, "spii": withheld,
	"image_safety":         withheld,
	"error_toxic":          withheld,                               // Cohere
	"guardrail_intervened": withheld, "content_filtered": withheld, // Bedrock
}

// endOf returns how a reply with the finish reason ended.
func endOf(finishReason string) ending { return finishes[strings.ToLower(finishReason)] }
