package upstream

import (
	"encoding/json"
	"errors"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Message is a message to or from a server.
type Message struct {
	wire.Message

	Fault   error             // why there is no response
	During  json.RawMessage   // the id of the request on whose stream it came, or nil if not known
	Headers map[string]string // that repeat arguments, over HTTP
}

// Request is a request with that id.
func Request(id json.RawMessage, method string, params json.RawMessage) *Message {
	return &Message{Message: wire.Message{ID: id, Method: method, Params: params}}
}

// Notification is a notification.
func Notification(method string, params json.RawMessage) *Message {
	return Request(nil, method, params)
}

// Response is the response to m with that result.
func (m *Message) Response(result any) *Message {
	return &Message{Message: *m.Message.Response(result)}
}

// Refusal is the response to m with that error.
func (m *Message) Refusal(code int, words string) *Message {
	return &Message{Message: *m.Message.Refusal(code, words)}
}

// Read reads a message of a server, or a batch of 2025-03-26. It is lenient: many servers write
// null for members that they should leave out, or the ids of our requests as texts. Of a message
// that is nested too deep the id counts: it is the response that there is none.
func Read(line []byte) ([]*Message, error) {
	in, err := wire.Parse(line)
	if refused, is := errors.AsType[*wire.Error](err); is &&
		len(refused.ID) > 0 && string(refused.ID) != "null" {
		return []*Message{{Message: wire.Message{ID: wire.Number(refused.ID)}, Fault: refused}}, nil
	}
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
		switch {
		case m.Method != "":
		case len(m.ID) == 0:
			return nil, errors.New("it is no message")
		default:
			m.ID = wire.Number(m.ID)
		}
		m.Raw = nil // it may be large
		all = append(all, &Message{Message: *m})
	}
	return all, nil
}
