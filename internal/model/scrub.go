package model

import (
	"net/http"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// placeholders are what manuals of local servers tell people to type where a client insists on a
// key. They are ordinary words, and blotting them out of prompts and replies would change what
// these say.
var placeholders = map[string]bool{
	"ollama": true, "lm-studio": true, "not-needed": true,
	"no-key-required": true, "sk-no-key-required": true,
}

// newScrubber blots a key out of texts. Texts under six bytes are not secrets.
func newScrubber(key string) text.Mask {
	if placeholders[strings.ToLower(key)] {
		return text.Mask{}
	}
	return text.NewMask([]string{key}, 6, mask)
}

// scrubberFor takes the key from the request that carries it.
func scrubberFor(h http.Header) text.Mask {
	_, key, _ := strings.Cut(h.Get("Authorization"), " ")
	return newScrubber(strings.TrimSpace(key))
}
