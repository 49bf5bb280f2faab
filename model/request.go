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
	MaxTokens   int
	Temperature *float64
}

// Message is one turn. Role is system, developer, user or assistant.
type Message struct {
	Role  string
	Parts []Part
}

// Part is a piece of a message: a text or a picture, not both. Empty parts, and messages that have no others, are left out
// of the request.
type Part struct {
	Text string
	JPEG []byte
}

var roles = []string{openai.ChatMessageRoleSystem, openai.ChatMessageRoleDeveloper, openai.ChatMessageRoleUser, openai.ChatMessageRoleAssistant}

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
		switch {
		case len(parts) == 0:
		case len(parts) == 1 && parts[0].ImageURL == nil: // the plain form is understood by every endpoint
			out = append(out, openai.ChatCompletionMessage{Role: m.Role, Content: parts[0].Text})
		default:
			out = append(out, openai.ChatCompletionMessage{Role: m.Role, MultiContent: parts})
		}
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
	return c.granted.apply(set), nil
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
