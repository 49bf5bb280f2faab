package model

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
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

// max_tokens has a newer name. The others can only be left out.
var renamed = map[string]string{"max_tokens": "max_completion_tokens"}

var dispensable = []string{"max_tokens", "temperature", "top_p", "frequency_penalty",
	"parallel_tool_calls"}

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

// complaints match an endpoint's refusal of a parameter, and capture its name.
var complaints = []*regexp.Regexp{
	regexp.MustCompile(
		`(?i)\b(?:unsupported|unknown|unrecognized|unexpected)(?: request)? ` + // OpenAI
			`(?:parameter|value|argument|field)s?(?: supplied)?: ['"\x60]?(\w+)`),
	regexp.MustCompile(`(?i)(\w+)['"\x60]?: extra inputs are not permitted`), // Pydantic
	regexp.MustCompile(`(?i)extra_forbidden\W+loc\W+body\W+(\w+)`),           // FastAPI
	regexp.MustCompile(
		`(?i)['"\x60](\w+)['"\x60] is only allowed when ['"\x60]tools`), // OpenAI, vLLM
	regexp.MustCompile(`(?i)temperature\W+and\W+(top_p)\W+cannot both be specified`), // Claude
	regexp.MustCompile(`(?i)unknown name "(\w+)".*cannot find field`),                // Gemini
	regexp.MustCompile(`(?i)argument not supported on this model: (\w+)`),            // Grok
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// refusedParam returns the parameter that e complains about, in snake case as it is sent, or "".
func refusedParam(e *Error) string {
	if e.param != "" && (e.code == "unsupported_parameter" || e.code == "unsupported_value") {
		return e.param
	}
	for _, c := range complaints {
		if m := c.FindStringSubmatch(e.Message); m != nil {
			return strings.ToLower(hump.ReplaceAllString(m[1], "${1}_$2"))
		}
	}
	return ""
}

// add reports whether err complains of a parameter in sent that can be done without, and remembers
// it.
func (u *unsupportedParams) add(err error, sent map[string]any) bool {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest &&
		e.Status != http.StatusUnprocessableEntity {
		return false
	}
	name := refusedParam(e)
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
