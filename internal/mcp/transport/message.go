package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

// message is one JSON-RPC message of the client: a request has a method and an id, a notification
// only a method, a response only an id.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	raw json.RawMessage
}

func (m *message) request() bool      { return m.Method != "" && len(m.ID) > 0 }
func (m *message) notification() bool { return m.Method != "" && len(m.ID) == 0 }
func (m *message) response() bool     { return m.Method == "" }

// protocol is the version that the request declares for itself, as those of 2026-07-28 do; "" for
// older ones.
func (m *message) protocol() string {
	var params struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return ""
	}
	return params.Meta.ProtocolVersion()
}

// subject is the id of the request that a notifications/cancelled is about, and the reason it
// gives.
func (m *message) subject() (id json.RawMessage, reason string) {
	var params struct {
		ID     json.RawMessage `json:"requestId"`
		Reason string          `json:"reason"`
	}
	_ = json.Unmarshal(m.Params, &params) // "invalid cancellation notifications SHOULD be ignored"
	return params.ID, params.Reason
}

// incoming is what came as one line or one body: a message, or under 2025-03-26 a batch of them.
type incoming struct {
	messages []*message
	batch    bool
}

// rpcError is an error that is sent to the client.
type rpcError struct {
	// of the request it answers; nil when there is none or it could not be read
	id   json.RawMessage
	code int
	text string
	data any
}

func (e *rpcError) Error() string { return e.text }

// maxErrorText is how many characters the text of an error has at most: much of it may be what the
// client itself has written.
const maxErrorText = 500

// encode gives the error as a message. "Error responses MUST include the same ID as the request
// they correspond to (except in error cases where the ID could not be read due a malformed
// request)": then there is none.
func (e *rpcError) encode() []byte {
	said, _ := text.Ends(e.text, maxErrorText)
	data, err := json.Marshal(struct {
		Version string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id,omitempty"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, e.id, mcp.JSONRPCErrorDetails{Code: e.code, Data: e.data,
		Message: text.Line(said)}})
	if err != nil { // only the data can be at fault
		return (&rpcError{id: e.id, code: e.code, text: e.text}).encode()
	}
	return data
}

// parse reads what the client sent. Its error is an *rpcError.
func parse(data []byte) (*incoming, error) {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		return nil, &rpcError{code: mcp.PARSE_ERROR,
			text: "this is not JSON (want one JSON-RPC message)"}
	}
	if data[0] != '[' {
		m, err := parseMessage(data)
		if err != nil {
			return nil, err
		}
		return &incoming{messages: []*message{m}}, nil
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(data, &parts) // a valid array always fits
	if len(parts) == 0 {
		return nil, &rpcError{code: mcp.INVALID_REQUEST, text: "the batch is empty"}
	}
	in := &incoming{batch: true}
	for _, part := range parts {
		m, err := parseMessage(part)
		if err != nil {
			return nil, err
		}
		in.messages = append(in.messages, m)
	}
	return in, nil
}

func parseMessage(raw json.RawMessage) (*message, error) {
	m := &message{raw: raw}
	err := json.Unmarshal(raw, m)
	if err != nil {
		err = errors.New("this is not a JSON-RPC message: " + misfit(err))
	} else {
		err = m.check()
	}
	if err == nil {
		return m, nil
	}
	wrong := &rpcError{code: mcp.INVALID_REQUEST, text: err.Error()}
	if isID(m.ID) {
		wrong.id = m.ID
	}
	return nil, wrong
}

// misfit words an error of unmarshalling without the names of Go's types.
func misfit(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "it cannot be read"
	}
	if wrong.Field == "" {
		return "want an object, got " + wrong.Value
	}
	return wrong.Field + " is a " + wrong.Value
}

func (m *message) check() error {
	answers := m.Result != nil || m.Error != nil
	switch {
	case m.Version != mcp.JSONRPC_VERSION:
		return errors.New(`jsonrpc must be "2.0"`)
	case m.ID != nil && !isID(m.ID): // "Unlike base JSON-RPC, the ID MUST NOT be null"
		return errors.New("the id must be a string or a number")
	case m.Method != "" && answers:
		return errors.New("a message with a method has neither result nor error")
	case m.Method == "" && m.ID == nil:
		return errors.New("a message needs a method or an id")
	case m.Method == "" && (m.Result == nil) == (m.Error == nil):
		return errors.New("a message without a method needs a result or an error")
	}
	if n := values(m.raw); n > maxValues {
		return fmt.Errorf("the message has %d values (at most %d): "+
			"leave out what was not asked for", n, maxValues)
	}
	return nil
}

// maxValues is how many values a message may have: reading them costs far more than their bytes,
// and no method has use for as many.
const maxValues = 20_000

// values counts the values of valid JSON, those of objects with their names.
func values(raw []byte) int {
	n, text := 1, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			text = !text
		case c == '\\':
			i++
		case !text && (c == ',' || c == ':'):
			n++
		}
	}
	return n
}

func isID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// key is the same text for ids that mean the same; 1 and "1" do not.
func key(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return "s" + s
	}
	return "n" + string(id)
}

// array is a batch of messages.
func array(messages [][]byte) []byte {
	return append(append([]byte("["), bytes.Join(messages, []byte(","))...), ']')
}
