package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

const proxiesPath = "proxies"

// proxyName is what the name of a proxy may be: it is a part of its address.
var proxyName = text.Lazily(`^[A-Za-z0-9_-]{1,64}$`)

// takeProxies keeps a file's proxies. Their names and variables may have dots, which are levels
// elsewhere.
func (l *Loaded) takeProxies(file string, given any) error {
	if given == nil {
		return nil
	}
	const want = "write proxies: {NAME: {command: PROGRAM, args: [...]}}, or {NAME: {url: URL}}"
	l.Proxies, l.origin[proxiesPath] = nil, file
	if err := decodeValue(given, &l.Proxies); err != nil {
		return hint.Add(fmt.Errorf("in %s: proxies: %w", file, err), want)
	}
	var bad []error
	for _, name := range slices.Sorted(maps.Keys(l.Proxies)) {
		p := l.Proxies[name]
		wrong := ""
		switch {
		case !proxyName().MatchString(name):
			wrong = "the name may have letters, digits, _ and -"
		case (p.Command == "") == (p.URL == ""):
			wrong = "there is not one of command and url"
		case p.URL != "" && !web(url.Parse(p.URL)):
			wrong = "the url is no address of an HTTP server"
		case p.URL != "" && len(p.Args)+len(p.Env) > 0:
			wrong = "args and env are for a command"
		case p.Command != "" && len(p.Headers) > 0:
			wrong = "headers are for a url"
		}
		if wrong != "" {
			err := fmt.Errorf("in %s: proxies.%s: %s", file, text.Cut(name, 80), wrong)
			bad = append(bad, hint.Add(err, want))
		} else if _, err := guard.New(&guard.Options{Lists: p.rules(name)}); err != nil {
			bad = append(bad, err)
		}
	}
	return errors.Join(bad...)
}

func (p ProxyServer) rules(name string) []guard.List {
	return []guard.List{{Name: "proxies." + name + ".guard", Rules: p.Guard}}
}

// ProxyPolicy is [Loaded.GuardPolicy] with the proxy's own rules before the others.
func (l *Loaded) ProxyPolicy(name, lang string) (*guard.Policy, error) {
	return l.GuardPolicy(lang, l.Proxies[name].rules(name)...)
}
