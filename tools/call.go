package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// call is one call of a tool.
type call struct {
	request   mcp.CallToolRequest
	given     map[string]bool // the arguments that were passed
	arguments []byte          // all as they were read, as JSON
	who       *usecase.Call
	person    bool   // what comes in a form is a person's word
	stateless bool   // a request that stands alone: the server asks by its result
	version   string // of the protocol, or "" if it is not known
	gelab     bool   // the client was written for gelab-zero's server
	schemas   Schemas
	options   *connectionOptions
	messages  *messages
}

// canonical are the arguments as they were read.
func (c *call) canonical() map[string]any {
	arguments := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(c.arguments))
	d.UseNumber()
	if err := d.Decode(&arguments); err != nil {
		panic(fmt.Sprintf("decoding arguments of ours: %v", err))
	}
	return arguments
}

// name words what can be done next as the call of a tool. It is nil for nil.
func (c *call) name(n *usecase.Next) *result.Next {
	switch {
	case n == nil:
		return nil
	case n.Verb == usecase.ToRepeat:
		arguments := c.canonical()
		maps.DeleteFunc(arguments, func(name string, _ any) bool { return !c.given[name] })
		return result.Repeat(n, c.request.Params.Name, arguments)
	}
	return Name(n)
}

// byForm is the beginning of a reply that comes in a form. Whoever has the token can send it, so
// that it has the authority of the token.
func (c *call) byForm() inquiry.Reply {
	r := channel.Elicit.Answer("")
	if r.By = c.who.Client; !c.person {
		r.Authority = inquiry.AuthorityToken
	}
	return r
}

// digest tells the call from all others: by its tool, and by its arguments as they were read. A
// call that is made again may wait for another time.
func (c *call) digest() []byte {
	arguments := c.canonical()
	delete(arguments, "wait_seconds")
	sum := sha256.Sum256([]byte(quote([]any{c.request.Params.Name, arguments})))
	return sum[:]
}
