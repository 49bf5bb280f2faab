package proxy

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// object is a JSON object to be written.
type object map[string]any

// message is a message to or from the other server.
type message = upstream.Message

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

// progressToken is the token of the progress that a request wants, nil for none.
func progressToken(params json.RawMessage) json.RawMessage {
	if !bytes.Contains(params, []byte(`"progressToken"`)) {
		return nil
	}
	token := wire.At(params, "_meta", "progressToken")
	if string(token) == "null" {
		return nil
	}
	return token
}
