package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// The endpoint and the model that zero Options mean.
const (
	defaultBaseURL = "http://localhost:11434/v1"
	defaultName    = "gelab-zero-4b-preview"
)

const (
	defaultTimeout = 90 * time.Second
	defaultRetries = 2
)

// Options says which model is asked, and how. Parameters that are nil or 0 are left out of
// requests, so that the endpoint's own defaults hold.
type Options struct {
	BaseURL string // up to and without /chat/completions, "" means defaultBaseURL
	Unset   bool   // BaseURL is the one that stands where none is set
	Name    string // the model's name at the endpoint, "" means defaultName
	APIKey  Secret // sent as bearer token, "" sends none

	Temperature      *float64 // 0 is sent as 0
	TopP             *float64
	FrequencyPenalty *float64 // 0 is not sent: some endpoints refuse it
	MaxTokens        int
	// Extra are further fields of the request body (top_k, chat_template_kwargs, ...). They take
	// precedence over the fields above. A nil value removes a field.
	Extra map[string]any

	Timeout   time.Duration     // for one attempt, reply read to its end, 0 means 90s
	Retries   int               // attempts after the first, 0 means 2, less than 0 none
	Transport http.RoundTripper // nil means a new one, a Recorder goes here
	Env       string            // the prefix of variables in hints, "" means "TAPLOOP_MODEL_"
	Log       *slog.Logger      // nil discards
}

// withDefaults is opts with the defaults filled in, checked.
func (opts *Options) withDefaults() (Options, error) {
	o := *cmp.Or(opts, &Options{})
	o.Env = cmp.Or(o.Env, "TAPLOOP_MODEL_")
	o.Name = cmp.Or(strings.TrimSpace(o.Name), defaultName)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Retries = max(cmp.Or(o.Retries, defaultRetries), 0)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.APIKey = Secret(strings.TrimSpace(string(o.APIKey)))
	base, err := checkBaseURL(cmp.Or(strings.TrimSpace(o.BaseURL), defaultBaseURL), o.Env)
	if err != nil {
		return o, err
	}
	o.BaseURL = base
	return o, o.check()
}

func (o *Options) check() error {
	if strings.ContainsFunc(string(o.APIKey), func(r rune) bool { return r < ' ' || r > '~' }) {
		return hint.Add(errors.New("the API key has a character that no HTTP header may carry"),
			"copy the key again, on one line and without quotes, into "+o.Env+"API_KEY")
	}
	if o.Timeout < 0 {
		return hint.Add(fmt.Errorf("time-out of %s", o.Timeout),
			"set "+o.Env+"TIMEOUT to something like 90s")
	}
	if o.MaxTokens < 0 {
		return fmt.Errorf("max_tokens of %d (want 1 or more, or 0 for the endpoint's default)",
			o.MaxTokens)
	}
	return cmp.Or(inRange("temperature", o.Temperature, 0, 2), inRange("top_p", o.TopP, 0, 1),
		inRange("frequency_penalty", o.FrequencyPenalty, -2, 2), checkExtra(o.Extra))
}

func inRange(name string, v *float64, low, high float64) error {
	if v != nil && !(*v >= low && *v <= high) { // also refuses NaN
		return fmt.Errorf("%s of %v (want %v to %v)", name, *v, low, high)
	}
	return nil
}

// checkBaseURL returns the URL without trailing slashes. Nothing else of it is changed: whether it
// needs /v1 is the endpoint's business.
func checkBaseURL(s, env string) (string, error) {
	bad := func(why, how string) (string, error) {
		return "", hint.Add(errors.New("model endpoint: "+why), "set "+env+"BASE_URL "+how)
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return bad(fmt.Sprintf("%q is not an http or https URL", text.Address(s)),
			"to something like "+defaultBaseURL)
	}
	if u.User != nil {
		return bad(fmt.Sprintf("%q has a user or a password in it", text.Address(s)),
			"without it and put the key into "+env+"API_KEY")
	}
	if u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return bad(fmt.Sprintf("%q ends in a query or fragment",
			text.Address(u.Scheme+"://"+u.Host+u.Path)),
			"to the part before it")
	}
	s = strings.TrimRight(s, "/")
	if rest, ok := strings.CutSuffix(s, chatPath); ok {
		return bad(fmt.Sprintf("%q names the operation, not the endpoint", text.Address(s)),
			"to "+text.Address(rest))
	}
	return s, nil
}

// local reports whether the endpoint is on this machine.
func (o *Options) local() bool {
	u, err := url.Parse(o.BaseURL)
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// reserved are the fields that the client must write itself to understand the reply.
var reserved = []string{"model", "messages", "stream", "n"}

// checkExtra refuses fields that the client writes itself, and values that are not JSON.
func checkExtra(extra map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if slices.Contains(reserved, name) {
			return fmt.Errorf("extra field %q: the client writes %s itself",
				name, strings.Join(reserved, ", "))
		}
		if _, err := json.Marshal(extra[name]); err != nil {
			return fmt.Errorf("extra field %q: %w", name, err)
		}
	}
	return nil
}

const (
	chatPath   = "/chat/completions"
	modelsPath = "/models"
)
