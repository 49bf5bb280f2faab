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

// Request is what a model is asked. The zero values of MaxTokens and Temperature mean the client's
// own.
type Request struct {
	Messages    []Message
	Tools       []Tool
	Parallel    bool     // several of the tools may be called in one reply
	Stop        []string // texts at which the model stops writing
	MaxTokens   int
	Temperature *float64

	// Sight returns what the request is decided from, for a cassette. It is called only if there is
	// one. It may be nil.
	Sight func() (Sight, error)
}

// Sight is the screen and app at the time of a request. A Recorder keeps it with the exchange, and
// a Replayer compares it with the present one.
type Sight struct {
	Step int    `json:"step"`           // 0 behind the last one
	App  string `json:"app,omitempty"`  // in front
	PNG  []byte `json:"png"`            // the screen in small
	Task string `json:"task,omitempty"` // a hash of what the request is about
}

// Tool is a function that the model may call. Parameters is the JSON Schema of its arguments.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Message is one of the conversation. Role is system, developer, user, assistant or tool.
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

// wireMessage has the fields of openai.ChatCompletionMessage. That type has a MarshalJSON, after
// which encoding/json would read its pictures a second time.
type wireMessage struct {
	Role       string            `json:"role"`
	Content    any               `json:"content,omitempty"` // a string or []openai.ChatMessagePart
	ToolCalls  []openai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
}

// messages puts r's messages into the protocol's form.
func (r *Request) messages() ([]wireMessage, error) {
	var out []wireMessage
	for i, m := range r.Messages {
		if !slices.Contains(roles, m.Role) {
			return nil, fmt.Errorf("message %d: role %q (want one of %s)", i+1, m.Role,
				strings.Join(roles, ", "))
		}
		parts, err := m.parts()
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		msg := wireMessage{Role: m.Role, ToolCallID: m.CallID}
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
		case len(parts) == 1 && parts[0].ImageURL == nil: // what all endpoints read
			msg.Content = parts[0].Text
		case len(parts) > 0:
			msg.Content = parts
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
			out = append(out,
				openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text})
		case p.JPEG != nil:
			if !bytes.HasPrefix(p.JPEG, []byte("\xff\xd8")) {
				return nil, fmt.Errorf("part %d is no JPEG: it starts %q", i+1,
					p.JPEG[:min(len(p.JPEG), 8)])
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

func (r *Request) tools() []openai.Tool {
	var out []openai.Tool
	for _, t := range r.Tools {
		f := openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}
		out = append(out, openai.Tool{Type: openai.ToolTypeFunction, Function: &f})
	}
	return out
}

// ToolCall is a native tool call. Arguments is JSON as the model wrote it, not checked.
type ToolCall struct{ ID, Name, Arguments string }
