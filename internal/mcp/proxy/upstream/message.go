package upstream

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Message is a message to or from a server, with what its connection knows of it.
type Message struct {
	wire.Message

	Fault   error             // why there is no response
	During  json.RawMessage   // the request on whose stream it came; nil if that is not known
	Headers map[string]string // that mirror arguments, over HTTP
}

// Request is a request or, without an id, a notification.
func Request(id json.RawMessage, method string, params json.RawMessage) *Message {
	return &Message{Message: wire.Message{ID: id, Method: method, Params: params}}
}

// Response is the response to m with that result.
func (m *Message) Response(result any) *Message {
	return &Message{Message: *m.Message.Response(result)}
}

// Refusal is the response to m with that error.
func (m *Message) Refusal(code int, words string) *Message {
	return &Message{Message: *m.Message.Refusal(code, words)}
}

// Modern reports whether a request stands alone, as those of 2026-07-28 do.
func Modern(params json.RawMessage) bool {
	return bytes.Contains(params, []byte(mcp.MetaKeyProtocolVersion)) &&
		mcp.IsModernProtocol(wire.Text(wire.At(params, "_meta", mcp.MetaKeyProtocolVersion)))
}

// Read reads what a server sent: one message, or several as 2025-03-26 has them. Servers are read
// generously: many write every member, with null where they should leave it out.
func Read(line []byte) ([]*Message, error) {
	in, err := wire.Parse(line)
	if err != nil {
		return nil, err
	}
	var all []*Message
	for _, m := range in.Messages {
		if string(m.Error) == "null" {
			m.Error = nil
		}
		if string(m.ID) == "null" && m.Method != "" {
			m.ID = nil
		}
		if m.Method == "" && len(m.ID) == 0 {
			return nil, errors.New("it is no message")
		}
		m.Raw = nil // it may be large
		all = append(all, &Message{Message: *m})
	}
	return all, nil
}
