package model

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// placeholders are what manuals of local servers tell people to type where a client insists on a
// key. They are ordinary words, and blotting them out of prompts and replies would change what
// these say.
var placeholders = map[string]bool{
	"ollama": true, "lm-studio": true, "not-needed": true,
	"no-key-required": true, "sk-no-key-required": true,
}

// scrubber blots a key out of texts. The zero value changes nothing.
type scrubber struct{ forms []string }

// newScrubber returns a scrubber of the key in its plain, JSON and URL forms. Texts under six bytes
// are not secrets.
func newScrubber(key string) scrubber {
	if len(key) < 6 || placeholders[strings.ToLower(key)] {
		return scrubber{}
	}
	quoted, _ := json.Marshal(key)
	s := scrubber{forms: []string{key}}
	for _, form := range []string{
		string(quoted[1 : len(quoted)-1]), url.QueryEscape(key), url.PathEscape(key),
	} {
		if form != key {
			s.forms = append(s.forms, form)
		}
	}
	return s
}

// scrubberFor takes the key from the request that carries it.
func scrubberFor(h http.Header) scrubber {
	_, key, _ := strings.Cut(h.Get("Authorization"), " ")
	return newScrubber(strings.TrimSpace(key))
}

func (s scrubber) text(t string) string {
	for _, form := range s.forms {
		t = strings.ReplaceAll(t, form, mask)
	}
	return t
}
