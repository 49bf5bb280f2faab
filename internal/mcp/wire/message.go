package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

// Message is a JSON-RPC message: a request has a method and an id, a notification only a method, a
// response only an id. It is not safe for concurrent use.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`

	Raw json.RawMessage `json:"-"` // the whole message as it was read

	members map[string]json.RawMessage // of Params, once they were asked for
}

// IsRequest reports whether m is a request.
func (m *Message) IsRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// IsNotification reports whether m is a notification.
func (m *Message) IsNotification() bool { return m.Method != "" && len(m.ID) == 0 }

// IsResponse reports whether m is a response.
func (m *Message) IsResponse() bool { return m.Method == "" }

// Members returns the members of Params, which are parsed once, or nil if Params is not an object.
// The caller must not change them.
func (m *Message) Members() map[string]json.RawMessage {
	if m.members == nil {
		m.members = Members(m.Params)
	}
	return m.members
}

// Param returns the value at that place of Params, or nil if missing.
func (m *Message) Param(place ...string) json.RawMessage {
	return At(m.Members()[place[0]], place[1:]...)
}

// SetParam sets the value at that place of Params, or removes it if value is nil. It does nothing
// if there is no such place.
func (m *Message) SetParam(value json.RawMessage, place ...string) error {
	if len(place) > 1 {
		outer := m.Members()[place[0]]
		if outer == nil {
			return nil
		}
		value = With(outer, value, place[1:]...)
	}
	return m.SetParams(map[string]json.RawMessage{place[0]: value})
}

// SetParams sets members of Params, or removes those whose values are nil. Params that are not an
// object stay as they are.
func (m *Message) SetParams(values map[string]json.RawMessage) error {
	if m.Members() == nil {
		return nil
	}
	members := maps.Clone(m.members)
	maps.Copy(members, values)
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return value == nil })
	raw, err := text.Marshal(members)
	if err == nil {
		m.Params, m.members = raw, members
	}
	return err
}

// Protocol returns the version of the protocol that a request declares for itself, as those of
// 2026-07-28 do, or "" if it declares none.
func (m *Message) Protocol() string {
	return Text(m.Param("_meta", mcp.MetaKeyProtocolVersion))
}

// Modern reports whether a request stands alone, as those of 2026-07-28 do.
func (m *Message) Modern() bool { return mcp.IsModernProtocol(m.Protocol()) }

// Encode writes the message in one line.
func (m *Message) Encode() ([]byte, error) {
	m.Version = mcp.JSONRPC_VERSION
	return text.Marshal(m)
}

// Response is the response to m with that result. A result that cannot be written is null.
func (m *Message) Response(result any) *Message {
	raw, err := text.Marshal(result)
	if err != nil {
		raw = json.RawMessage("null")
	}
	return &Message{ID: m.ID, Result: raw}
}

// Refusal is the response to m with that error.
func (m *Message) Refusal(code int, words string) *Message {
	raw, _ := text.Marshal(mcp.JSONRPCErrorDetails{Code: code, Message: words}) // cannot fail
	return &Message{ID: m.ID, Error: raw}
}

// Incoming is what came as one line or one body: a message, or a batch of them as 2025-03-26 has
// it.
type Incoming struct {
	Messages []*Message
	Batch    bool
}

// Parse reads a message, or a batch of at least one. It checks only the kinds of the members, and
// null is a message without members: see [Message.Check]. Its error is an *[Error] for the sender,
// with the id of a message that is nested too deep.
func Parse(data []byte) (*Incoming, error) {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		return nil, unreadable(data)
	}
	in := &Incoming{Batch: data[0] == '['}
	var parts []json.RawMessage
	if !in.Batch {
		parts = append(parts, data)
	} else {
		_ = json.Unmarshal(data, &parts) // a valid array always fits
	}
	if len(parts) == 0 {
		return nil, &Error{Code: mcp.INVALID_REQUEST, Text: "the batch is empty"}
	}
	for _, part := range parts {
		m := &Message{Raw: part}
		if err := json.Unmarshal(part, m); err != nil {
			return nil, m.invalid("this is not a JSON-RPC message: " + misfit(err))
		}
		in.Messages = append(in.Messages, m)
	}
	return in, nil
}

// maxNesting is how deep the JSON library reads.
const maxNesting = 10_000

// unreadable is the error about what the JSON library does not read.
func unreadable(data []byte) *Error {
	refused := &Error{Code: mcp.PARSE_ERROR, Text: "this is not JSON (want one JSON-RPC message)"}
	tokens := json.NewDecoder(bytes.NewReader(data))
	tokens.UseNumber()
	var id json.RawMessage
	name, deepest := "", 0
	for depth := 0; ; deepest = max(deepest, depth) {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) && deepest > maxNesting {
			return &Error{ID: id, Code: mcp.INVALID_REQUEST,
				Text: fmt.Sprintf("the message is nested more than %d deep", maxNesting)}
		}
		if err != nil {
			return refused
		}
		inside := depth == 1
		if delim, is := token.(json.Delim); is && (delim == '{' || delim == '[') {
			depth++
		} else if is {
			depth--
		}
		key, text := token.(string)
		switch {
		case !inside, depth < 1:
		case name == "" && text:
			name = key
		default:
			if name == "id" && depth == 1 {
				id = Encode(token)
			}
			name = ""
		}
	}
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

// Check returns an error for a message that is not valid. Only messages that the protocol
// allows pass, with at most so many values: reading those costs far more than their bytes. The
// error is an *[Error] for the sender.
func (m *Message) Check(mostValues int) error {
	answers := m.Result != nil || m.Error != nil
	switch {
	case m.Version != mcp.JSONRPC_VERSION:
		return m.invalid(`jsonrpc must be "2.0"`)
	case m.ID != nil && !isID(m.ID): // "Unlike base JSON-RPC, the ID MUST NOT be null"
		return m.invalid("the id must be a string or a number")
	case m.Method != "" && answers:
		return m.invalid("a message with a method has neither result nor error")
	case m.Method == "" && m.ID == nil:
		return m.invalid("a message needs a method or an id")
	case m.Method == "" && (m.Result == nil) == (m.Error == nil):
		return m.invalid("a message without a method needs a result or an error")
	}
	if n := values(m.Raw); n > mostValues {
		return m.invalid(fmt.Sprintf("the message has %d values (at most %d): "+
			"leave out what was not asked for", n, mostValues))
	}
	return nil
}

func (m *Message) invalid(words string) *Error {
	e := &Error{Code: mcp.INVALID_REQUEST, Text: words}
	if isID(m.ID) {
		e.ID = m.ID
	}
	return e
}

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

// Number returns the id of a response to a request whose id is a whole number: some peers write it
// as a text, or with a fraction. It returns other ids unchanged.
func Number(id json.RawMessage) json.RawMessage {
	n, err := strconv.ParseFloat(string(bytes.Trim(id, `"`)), 64)
	if err != nil || n != float64(int64(n)) {
		return id
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// Key returns equal strings for equal ids. The ids 1 and "1" are not equal.
func Key(id json.RawMessage) string {
	var s string
	if json.Unmarshal(id, &s) == nil {
		return "s" + s
	}
	return "n" + string(id)
}

// Batch writes messages as a batch.
func Batch(messages [][]byte) []byte {
	return slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
}

// Error is a JSON-RPC error, as a response or about a message that could not be read.
type Error struct {
	ID   json.RawMessage // of the request, or nil if it has none or could not be read
	Code int
	Text string
	Data any
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// maxErrorText is how many characters the text of an error has at most: much of it may be what the
// receiver itself has written.
const maxErrorText = 500

// Encode writes the error as a message. "Error responses MUST include the same ID as the request
// they correspond to (except in error cases where the ID could not be read due a malformed
// request)", which have no ID.
func (e *Error) Encode() []byte {
	said, _ := text.Ends(e.Text, maxErrorText)
	data, err := json.Marshal(struct {
		Version string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id,omitempty"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, e.ID, mcp.JSONRPCErrorDetails{Code: e.Code, Data: e.Data,
		Message: text.Line(said)}})
	if err != nil { // only the data can be at fault
		return (&Error{ID: e.ID, Code: e.Code, Text: e.Text}).Encode()
	}
	return data
}
