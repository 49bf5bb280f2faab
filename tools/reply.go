package tools

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/tools/result"
)

// maxResult is how large a result without pictures may be, in bytes; on the wire it has an
// envelope, and then it is still below 100 KB.
const maxResult = 97_000

// reply is what a tool answers. How it is sent, and how large it may be, is decided here and
// nowhere else.
type reply struct {
	body  any // structuredContent; its JSON is the first text block
	plain any // what is there instead of body; nil when it is body
	// for the calling model; the last line says what to do next. "" when there is nothing to say
	tail   string
	jpeg   []byte // a picture of its own block, or nil
	failed bool

	form *mcp.CallToolResult // asks the client's user instead; nil when it does not
}

func (r *reply) result() (*mcp.CallToolResult, error) {
	if r.form != nil {
		return r.form, nil
	}
	b, err := json.Marshal(r.body)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	out := &mcp.CallToolResult{StructuredContent: json.RawMessage(b), IsError: r.failed}
	if r.plain != nil {
		b = []byte(quote(r.plain))
	}
	out.Content = append(out.Content, mcp.NewTextContent(string(b)))
	if r.jpeg != nil {
		out.Content = append(out.Content,
			mcp.NewImageContent(base64.StdEncoding.EncodeToString(r.jpeg), "image/jpeg"))
	}
	if r.tail != "" {
		out.Content = append(out.Content, mcp.NewTextContent(r.tail))
	}
	return out, nil
}

// size is about how many bytes the reply will have on the wire.
func (r *reply) size() (int, error) {
	out, err := r.result()
	if err != nil {
		return 0, err
	}
	b, err := json.Marshal(out)
	return len(b), err
}

// fit makes body the reply's, and shortens it until the reply is small enough.
func (r *reply) fit(body interface{ Shorten(n int) }) error {
	r.body = body
	return result.Fit(body, maxResult, r.size)
}

// quote is a value of ours as JSON.
func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return string(b)
}
