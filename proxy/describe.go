package proxy

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

type descriptionsKey struct{}

// maxDescription is how many characters a description may have.
const maxDescription = 4000

// Connected is the context of a request with the descriptions of tools that its connection sets in
// the query of its URL: desc.TOOL=TEXT, or description=TOOL=TEXT.
//
// It is for mcptransport.Options.Context.
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

// Describe adds TOOL=TEXT to descriptions. It reports whether that is one.
func Describe(to map[string]string, toolAndText string) bool {
	name, words, ok := strings.Cut(toolAndText, "=")
	words = text.Cut(strings.TrimSpace(text.Lines(words)), maxDescription)
	if !ok || name == "" || words == "" {
		return false
	}
	to[name] = words
	return true
}

// descriptions are those of the proxy and of the connection, which goes before.
func (p *Proxy) descriptions(ctx context.Context) map[string]string {
	of, _ := ctx.Value(descriptionsKey{}).(map[string]string)
	if len(of) == 0 {
		return p.opts.Descriptions
	}
	all := maps.Clone(p.opts.Descriptions)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, of)
	return all
}
