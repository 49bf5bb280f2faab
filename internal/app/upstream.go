package app

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/agents"
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
	t := NewUpstream(Environment(s.Options.Environ))
	t.URL = c.URL
	t.run(c.Command, c.Args)
	for name, value := range c.Env {
		t.set(name, string(value), true)
	}
	for name, value := range c.Headers {
		t.Header(name, string(value))
	}
	return t.Target
}

// listedUpstream is a server of a client's file.
func listedUpstream(s *Settings, c agents.ServerSettings) *upstream.Target {
	t := NewUpstream(Environment(s.Options.Environ))
	t.URL, t.Dir = c.URL, c.Dir
	t.run(c.Command, c.Args)
	for name, value := range c.Env {
		t.set(name, value, secretName.MatchString(name))
	}
	for name, value := range c.Headers {
		t.Header(name, value)
	}
	return t.Target
}

func (t Upstream) run(command string, args []string) {
	if command != "" {
		t.Command = append([]string{command}, args...)
	}
}

// set adds a variable, in the place of an earlier one of that name.
func (t Upstream) set(name, value string, secret bool) {
	t.Env = append(t.Env, name+"="+value)
	if secret {
		t.Secrets = append(t.Secrets, value)
	}
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
