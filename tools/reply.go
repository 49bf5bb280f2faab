package tools

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/result"
)

// maxResult is how large a result without pictures may be, in bytes. On the wire it has an
// envelope, and then it is still below 100 KB.
const maxResult = 97_000

// structuredSince is the version of the protocol that brought structured content.
const structuredSince = "2025-06-18"

// toolResult is what a tool answers. How it is sent, and how large it may be, is decided here and
// nowhere else.
type toolResult struct {
	body  any // structuredContent
	plain any // takes the place of body, unless it is nil
	// text is what the calling model reads, of the body as it is then: what happened, in a sentence
	// for a person, and at last what to do next.
	text     func() string
	pictures [][]byte // JPEGs, which follow the text
	code     string   // why the call could not be carried out, or "" if it was

	form *mcp.CallToolResult // asks the client's user instead, or nil if it does not
}

// Structured is the structured content of a result, with the code of its failure or "".
type Structured struct {
	json.RawMessage
	Code string
}

// sent is the reply as a client gets it. "For backwards compatibility, a tool that returns
// structured content SHOULD also return the serialized JSON in a TextContent block": clients that
// know structured content pay for it twice, so only those get it that do not, and those of
// gelab-zero's server, who read it.
func (c *call) sent(r *toolResult) (*mcp.CallToolResult, error) {
	if r.form != nil {
		return r.form, nil
	}
	raw, err := text.Marshal(c.structured(r.body))
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	b := text.JSON(raw)
	out := &mcp.CallToolResult{StructuredContent: Structured{b, r.code}, IsError: r.code != ""}
	if r.text != nil {
		said := r.text()
		if ignored := c.options.ignored(); ignored != "" {
			first, rest, more := strings.Cut(said, "\n")
			said = first + "\n" + c.messages.notes([]string{ignored})[0]
			if more {
				said += "\n" + rest
			}
		}
		out.Content = append(out.Content, mcp.NewTextContent(said))
	}
	if r.plain != nil {
		b = []byte(quote(r.plain))
	}
	switch asJSON := mcp.NewTextContent(string(b)); {
	case c.gelab:
		out.Content = slices.Insert(out.Content, 0, mcp.Content(asJSON))
	case c.version != "" && c.version < structuredSince:
		out.Content = append(out.Content, asJSON)
	}
	for _, p := range r.pictures {
		out.Content = append(out.Content,
			mcp.NewImageContent(base64.StdEncoding.EncodeToString(p), "image/jpeg"))
	}
	return out, nil
}

// structured is the structure of a result: of a run's what a model needs, unless the connection or
// the call asks for more.
func (c *call) structured(body any) any {
	run, is := body.(*result.Result)
	asks := func(name string) bool {
		return name == "detail" || strings.HasPrefix(name, "enable_")
	}
	whole := c.gelab || slices.ContainsFunc([]string{"full", "captions", "gelab"}, c.schemas.Has)
	if !is || whole || slices.ContainsFunc(slices.Collect(maps.Keys(c.given)), asks) {
		return body
	}
	return run.Brief()
}

// size is about how many bytes the reply will have on the wire.
func (c *call) size(r *toolResult) (int, error) {
	out, err := c.sent(r)
	if err != nil {
		return 0, err
	}
	b, err := json.Marshal(out)
	return len(b), err
}

// fit makes body the reply's, and shortens it until the reply is small enough.
func (c *call) fit(r *toolResult, body interface{ Shorten(n int) }) error {
	r.body = body
	return result.Fit(body, maxResult, func() (int, error) { return c.size(r) })
}
