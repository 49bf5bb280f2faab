package result

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

func cutAll(n int, texts ...*string) {
	for _, s := range texts {
		if s != nil {
			*s = text.Cut(*s, n)
		}
	}
}

func cutField(f *inquiry.Field, n int) {
	f.Label, f.Options = text.Cut(f.Label, n), cutOptions(f.Options, n)
	if s, is := f.Default.(string); is {
		f.Default = text.Cut(s, n)
	}
}

func cutOptions(options []string, n int) []string {
	options = slices.Clone(options[:min(len(options), n/2)])
	for i, o := range options {
		options[i] = text.Cut(o, n/2)
	}
	return options
}

// cutJSON is valid JSON with each of its texts cut. Keys keep their order.
func cutJSON(b json.RawMessage, n int) json.RawMessage {
	var out bytes.Buffer
	for len(b) > 0 {
		start := bytes.IndexByte(b, '"')
		if start < 0 {
			break
		}
		out.Write(b[:start])
		d := json.NewDecoder(bytes.NewReader(b[start:]))
		var s string
		if d.Decode(&s) != nil {
			return json.RawMessage("null")
		}
		short, err := json.Marshal(text.Cut(s, n))
		if err != nil {
			return json.RawMessage("null")
		}
		out.Write(short)
		b = b[start+int(d.InputOffset()):]
	}
	out.Write(b)
	return out.Bytes()
}
