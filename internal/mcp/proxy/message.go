package proxy

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

// object is a JSON object to be written.
type object map[string]any

// message is one JSON-RPC message: a request has a method and an id, a notification only a method,
// a response only an id.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`

	fault   error             // why there is no response
	during  json.RawMessage   // the request on whose stream it came; nil when that is not known
	headers map[string]string // that mirror arguments, over HTTP
}

func (m *message) isRequest() bool  { return m.Method != "" && len(m.ID) > 0 }
func (m *message) isResponse() bool { return m.Method == "" }

// normalize takes out what is null in place of being left out: many servers write every member.
func (m *message) normalize() {
	if string(m.Error) == "null" {
		m.Error = nil
	}
	if string(m.ID) == "null" && m.Method != "" {
		m.ID = nil
	}
}

// response is the response to m with that result.
func (m *message) response(result any) *message {
	return &message{ID: m.ID, Result: encode(result)}
}

// errorResponse is the response to m with that error.
func (m *message) errorResponse(code int, why string) *message {
	return &message{ID: m.ID, Error: encode(mcp.JSONRPCErrorDetails{Code: code, Message: why})}
}

// encode writes the message in one line.
func (m *message) encode() ([]byte, error) {
	m.Version = mcp.JSONRPC_VERSION
	return text.Marshal(m)
}

// encode is [text.Marshal] of what can be written: texts, numbers, and JSON as it was read. It is
// null for what is nested too deep.
func encode(v any) json.RawMessage {
	raw, err := text.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// canonical is raw written anew, the same for all that mean the same: members in their order, each
// once, and numbers as they are.
func canonical(raw json.RawMessage) (json.RawMessage, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return text.Marshal(v)
}

func number(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// members takes an object apart; nil when it is none.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// with is the object raw with the value at that place instead; raw itself when there is no such
// place, and for no value without it.
func with(raw json.RawMessage, value json.RawMessage, place ...string) json.RawMessage {
	o := members(raw)
	if o == nil {
		return raw
	}
	o = maps.Clone(o)
	switch {
	case len(place) > 1:
		if o[place[0]] == nil {
			return raw
		}
		o[place[0]] = with(o[place[0]], value, place[1:]...)
	case value == nil:
		delete(o, place[0])
	default:
		o[place[0]] = value
	}
	out, err := text.Marshal(o)
	if err != nil {
		return raw
	}
	return out
}

// at is the value at that place of an object; nil when there is none.
func at(raw json.RawMessage, place ...string) json.RawMessage {
	for _, name := range place {
		raw = members(raw)[name]
	}
	return raw
}

// textOf is a JSON string's text, "" for what is none.
func textOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// progressToken is the token of the progress that a request wants, nil for none.
func progressToken(params json.RawMessage) json.RawMessage {
	if !bytes.Contains(params, []byte(`"progressToken"`)) {
		return nil
	}
	token := at(params, "_meta", "progressToken")
	if string(token) == "null" {
		return nil
	}
	return token
}

// modern reports whether a request stands alone, as those of 2026-07-28 do.
func modern(params json.RawMessage) bool {
	return bytes.Contains(params, []byte(mcp.MetaKeyProtocolVersion)) &&
		mcp.IsModernProtocol(textOf(at(params, "_meta", mcp.MetaKeyProtocolVersion)))
}
