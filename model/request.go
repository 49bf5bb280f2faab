package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Request is what a model is asked. The zero values of MaxTokens and Temperature mean the client's own.
type Request struct {
	Messages    []Message
	Tools       []Tool
	Stop        []string // texts at which the model stops writing
	MaxTokens   int
	Temperature *float64
}

// Tool is a function that the model may call; Parameters is the JSON Schema of its arguments.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Message is one turn. Role is system, developer, user, assistant or tool.
type Message struct {
	Role      string
	Parts     []Part
	ToolCalls []ToolCall // of the assistant
	CallID    string     // the call that a tool's message answers
}

// Part is a piece of a message: a text or a picture, not both. Empty parts, and messages that have
// nothing else in them, are left out of the request.
type Part struct {
	Text string
	JPEG []byte
}

var roles = []string{
	openai.ChatMessageRoleSystem, openai.ChatMessageRoleDeveloper, openai.ChatMessageRoleUser,
	openai.ChatMessageRoleAssistant, openai.ChatMessageRoleTool,
}

// wire puts r into the protocol's form.
func (r *Request) wire() (openai.ChatCompletionRequest, error) {
	messages, err := r.messages()
	out := openai.ChatCompletionRequest{Messages: messages, Stop: r.Stop}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, openai.Tool{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name: t.Name, Description: t.Description, Parameters: t.Parameters,
			},
		})
	}
	return out, err
}

// messages puts r's messages into the protocol's form.
func (r *Request) messages() ([]openai.ChatCompletionMessage, error) {
	var out []openai.ChatCompletionMessage
	for i, m := range r.Messages {
		if !slices.Contains(roles, m.Role) {
			return nil, fmt.Errorf("message %d: role %q (want one of %s)", i+1, m.Role, strings.Join(roles, ", "))
		}
		parts, err := m.parts()
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		msg := openai.ChatCompletionMessage{Role: m.Role, ToolCallID: m.CallID}
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, openai.ToolCall{
				ID:       c.ID,
				Type:     openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments},
			})
		}
		switch {
		case len(parts) == 0 && len(m.ToolCalls) == 0 && m.CallID == "":
			continue
		case len(parts) == 1 && parts[0].ImageURL == nil: // the form that every endpoint understands
			msg.Content = parts[0].Text
		case len(parts) > 0:
			msg.MultiContent = parts
		}
		out = append(out, msg)
	}
	if len(out) == 0 {
		return nil, errors.New("there is nothing to ask: no message has a text or a picture")
	}
	return out, nil
}

func (m *Message) parts() ([]openai.ChatMessagePart, error) {
	var out []openai.ChatMessagePart
	for i, p := range m.Parts {
		switch {
		case p.Text != "" && p.JPEG != nil:
			return nil, fmt.Errorf("part %d has a text and a picture (want one of them)", i+1)
		case p.Text != "":
			out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text})
		case p.JPEG != nil:
			if !bytes.HasPrefix(p.JPEG, []byte("\xff\xd8")) {
				return nil, fmt.Errorf("part %d is no JPEG: it starts %q", i+1, p.JPEG[:min(len(p.JPEG), 8)])
			}
			out = append(out, openai.ChatMessagePart{
				Type:     openai.ChatMessagePartTypeImageURL,
				ImageURL: &openai.ChatMessageImageURL{URL: dataURL(p.JPEG)},
			})
		}
	}
	return out, nil
}

func dataURL(jpeg []byte) string {
	const head = "data:image/jpeg;base64,"
	b := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(jpeg)))
	return string(base64.StdEncoding.AppendEncode(append(b, head...), jpeg))
}

// fields are the parameters of one request, the request's own before the client's, without what the endpoint was found not to
// take. Extra comes on top of them.
func (c *Client) fields(r *Request) ([]field, error) {
	temperature, tokens := c.opts.Temperature, c.opts.MaxTokens
	if r.Temperature != nil {
		temperature = r.Temperature
	}
	if r.MaxTokens > 0 {
		tokens = r.MaxTokens
	}
	if err := inRange("temperature", temperature, 0, 2); err != nil {
		return nil, err
	}
	set := []field{{"model", encode(c.opts.Name)}}
	set = appendNumber(set, "temperature", temperature)
	set = appendNumber(set, "top_p", c.opts.TopP)
	set = appendNumber(set, "frequency_penalty", c.opts.FrequencyPenalty)
	if tokens > 0 {
		set = append(set, field{"max_tokens", encode(tokens)})
	}
	return c.unsupported.apply(set), nil
}

func appendNumber(set []field, name string, v *float64) []field {
	if v == nil {
		return set
	}
	return append(set, field{name, encode(*v)})
}

// encode is for strings and finite numbers, which always encode.
func encode(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}
