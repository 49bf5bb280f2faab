package model

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"sync"
)

// unsupportedParams are the parameters that an endpoint was found not to take for this model, as
// hosted reasoning models refuse max_tokens and every temperature but their own. They are learnt
// from the endpoint's own words, never from a model's name: a name says nothing of the server
// behind it. Safe for concurrent use.
type unsupportedParams struct {
	mu    sync.Mutex
	names []string
}

// max_tokens has a newer name; the others can only be left out.
var renamed = map[string]string{"max_tokens": "max_completion_tokens"}

var dispensable = []string{"max_tokens", "temperature", "top_p", "frequency_penalty"}

// apply is the parameters that the endpoint takes, by the names that it takes.
func (u *unsupportedParams) apply(set map[string]any) map[string]any {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range u.names {
		if v, ok := set[name]; ok && renamed[name] != "" {
			set[renamed[name]] = v
		}
		delete(set, name)
	}
	return set
}

var complaint = regexp.MustCompile(`(?i)unsupported (?:parameter|value): ['"\x60](\w+)['"\x60]`)

// add reports whether err complains of a parameter in sent that can be done without, and remembers
// it.
func (u *unsupportedParams) add(err error, sent map[string]any) bool {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest {
		return false
	}
	name := e.param
	if e.code != "unsupported_parameter" && e.code != "unsupported_value" {
		m := complaint.FindStringSubmatch(e.Message)
		if m == nil {
			return false
		}
		name = m[1]
	}
	_, was := sent[name]
	u.mu.Lock()
	defer u.mu.Unlock()
	if !was || !slices.Contains(dispensable, name) {
		return false
	}
	if !slices.Contains(u.names, name) { // another call may have learnt it meanwhile
		u.names = append(u.names, name)
	}
	return true
}
