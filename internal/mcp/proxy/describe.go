package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

type descriptionsKey struct{}

// maxDescription is how many characters a description may have.
const maxDescription = 4000

// Connected adds to the context of a request the descriptions of tools in the query of its URL:
// desc.TOOL=TEXT, or description=TOOL=TEXT.
//
// It is for transport.Options.Context.
func Connected(ctx context.Context, r *http.Request) context.Context {
	found := map[string]string{}
	for key, values := range r.URL.Query() {
		name, described := strings.CutPrefix(key, "desc.")
		for _, value := range values {
			switch {
			case described:
				Describe(found, name+"="+value)
			case key == "description":
				Describe(found, value)
			}
		}
	}
	if len(found) == 0 {
		return ctx
	}
	return context.WithValue(ctx, descriptionsKey{}, found)
}

// Describe adds TOOL=TEXT to descriptions. It reports whether toolAndText has that form.
func Describe(to map[string]string, toolAndText string) bool {
	name, words, ok := strings.Cut(toolAndText, "=")
	words = text.Cut(strings.TrimSpace(text.Lines(words)), maxDescription)
	if !ok || name == "" || words == "" {
		return false
	}
	to[name] = words
	return true
}

// descriptions returns the proxy's descriptions and those of the connection, which take precedence.
func descriptions(ctx context.Context, own map[string]string) map[string]string {
	of, _ := ctx.Value(descriptionsKey{}).(map[string]string)
	if len(of) == 0 {
		return own
	}
	all := map[string]string{}
	maps.Copy(all, own)
	maps.Copy(all, of)
	return all
}

// describe replaces descriptions in a list of tools. Everything else stays the same to the byte.
func describe(result json.RawMessage, descriptions map[string]string) json.RawMessage {
	if len(descriptions) == 0 {
		return result
	}
	return splice(result, func(key string, tools json.RawMessage) json.RawMessage {
		if key != "tools" {
			return tools
		}
		return splice(tools, func(_ string, tool json.RawMessage) json.RawMessage {
			words, ok := descriptions[wire.Text(wire.At(tool, "name"))]
			if !ok {
				return tool
			}
			raw := wire.Encode(words)
			if wire.At(tool, "description") == nil {
				more := slices.Concat([]byte(`,"description":`), raw, []byte("}"))
				return slices.Concat(tool[:len(tool)-1], more)
			}
			return splice(tool, func(key string, was json.RawMessage) json.RawMessage {
				if key != "description" {
					return was
				}
				return raw
			})
		})
	})
}

// splice replaces the values of an object or an array by the results of change. Everything else
// stays the same to the byte, as does raw if it is neither.
func splice(raw json.RawMessage,
	change func(key string, value json.RawMessage) json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	begins, _ := d.Token()
	var out json.RawMessage
	last := 0
	for d.More() {
		key := ""
		if begins == json.Delim('{') {
			name, _ := d.Token()
			key, _ = name.(string)
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return raw
		}
		end := int(d.InputOffset())
		out = append(append(out, raw[last:end-len(value)]...), change(key, value)...)
		last = end
	}
	return append(out, raw[last:]...)
}
