package proxy

import (
	"encoding/json"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/text"
)

// object is a JSON object to be written.
type object map[string]any

// message is a message to or from the other server.
type message = upstream.Message

// with returns a copy of m in which params have these values. nil removes a param.
func with(m *message, params map[string]json.RawMessage) (*message, error) {
	changed := *m
	err := changed.SetParams(params)
	return &changed, err
}

// canonical rewrites raw so that equal values are written the same: the members of objects are
// sorted and unique, numbers keep their digits.
func canonical(raw json.RawMessage) (json.RawMessage, error) {
	v, err := text.FromJSON(raw)
	if err != nil {
		return nil, err
	}
	return text.Marshal(v)
}

// progressToken returns the token of the progress that a request asks for, or nil if it asks for
// none.
func progressToken(m *message) json.RawMessage {
	token := m.Param("_meta", "progressToken")
	if string(token) == "null" {
		return nil
	}
	return token
}
