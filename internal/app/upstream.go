package app

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// Upstream is an MCP server that is started with the environment of this process, or called with
// headers.
type Upstream struct{ *upstream.Target }

// NewUpstream returns a server with the environment, without the variables of taploop.
func NewUpstream(env map[string]string) Upstream {
	t := Upstream{&upstream.Target{Headers: map[string]string{}}}
	for name, value := range env {
		if strings.HasPrefix(name, "TAPLOOP_") {
			continue
		}
		t.Env = append(t.Env, name+"="+value)
		if secretName.MatchString(name) && !isFile(value) {
			t.Secrets = append(t.Secrets, value)
		}
	}
	slices.Sort(t.Env)
	return t
}

// configuredUpstream is a server of the configuration.
func configuredUpstream(s *Settings, c config.ProxyServer) *upstream.Target {
	t := newTarget(s, c.Command, c.Args, c.Env, c.Headers, func(string) bool { return true })
	t.URL = c.URL
	return t
}

// listedUpstream is a server of a client's file.
func listedUpstream(s *Settings, c clients.ServerSettings) *upstream.Target {
	t := newTarget(s, c.Command, c.Args, c.Env, c.Headers, secretName.MatchString)
	t.URL, t.Dir = c.URL, c.Dir
	return t
}

// newTarget is a server with the environment of this process and these variables, in the place of
// those of their names.
func newTarget[S ~string](s *Settings, command string, args []string, env, headers map[string]S,
	isSecret func(name string) bool) *upstream.Target {
	t := NewUpstream(Environment(s.Options.Environ))
	if command != "" {
		t.Command = append([]string{command}, args...)
	}
	for name, value := range env {
		t.Env = append(t.Env, name+"="+string(value))
		if isSecret(name) {
			t.Secrets = append(t.Secrets, string(value))
		}
	}
	for name, value := range headers {
		t.Header(name, string(value))
	}
	return t.Target
}

// Header adds a header. Its value is masked everywhere, and so are the credentials in it.
func (t Upstream) Header(name, value string) {
	t.Headers[name] = value
	_, credentials, _ := strings.Cut(value, " ")
	t.Secrets = append(t.Secrets, value, credentials)
}

// isFile reports whether a value is the path of a file. A secret may begin with a slash, too.
func isFile(value string) bool {
	_, err := os.Stat(value)
	return filepath.IsAbs(value) && err == nil
}

// secretName matches the names of variables whose values are masked.
var secretName = regexp.MustCompile(
	`(?i)key|token|secret|passw|credential|auth|cookie|private|(?:^|_)(?:pat|pwd)(?:$|_)`)

// Environment returns a list of NAME=VALUE by name.
func Environment(list []string) map[string]string {
	env := map[string]string{}
	for _, pair := range list {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// NewProxy returns a proxy with what the configuration says of all proxies. Guard and Wait have
// their defaults from there, too.
func NewProxy(s *Settings, o proxy.Options, b *inquiry.Broker) (*proxy.Proxy, error) {
	var err error
	if o.Guard == nil {
		if o.Guard, err = s.Conf.GuardPolicy(s.Lang()); err != nil {
			return nil, Usage(err, "")
		}
	}
	o.Questions = b
	o.OnUndecided = inquiry.OnTimeout(s.Conf.Questions.OnUndecided)
	o.Expires, o.Heartbeat = s.Conf.Guard.Expires, s.Conf.Calls.Heartbeat
	o.Log, o.Lang = s.Log, s.Lang()
	if o.Wait == nil {
		o.Wait = func(client string) time.Duration {
			return patience(s.Conf.Calls, client)
		}
	}
	return proxy.New(&o)
}

// patience is how long a call of the client waits for an answer.
func patience(calls config.Calls, client string) time.Duration {
	wait := calls.Wait
	for name, c := range calls.Clients {
		if strings.EqualFold(name, client) {
			wait = cmp.Or(c.Wait, wait)
		}
	}
	if wait > 0 {
		return wait
	}
	return usecase.Waits{Max: calls.MaxWait}.Of(usecase.Patient(client)).Default
}

// NewConfiguredProxy returns the proxy of that name in the configuration.
func NewConfiguredProxy(s *Settings, name string, db *store.Store, channels []string,
	b *inquiry.Broker) (
	*proxy.Proxy, error) {
	rules, err := s.Conf.ProxyPolicy(name, s.Lang())
	if err != nil {
		return nil, Usage(err, "")
	}
	return NewProxy(s, proxy.Options{Name: name, Guard: rules, Channels: channels,
		Leave:  ToolLeave(db, ""),
		Target: *configuredUpstream(s, s.Conf.Proxies[name])}, b)
}
