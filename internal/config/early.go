package config

import (
	"net/netip"
	"net/url"
	"strings"
)

// AsksEarly reports whether the model is asked before the screen is known to be at rest. It is not
// with a recording, whose requests have to be the same each time.
func (c *Config) AsksEarly() bool {
	m := c.Model
	if m.Record+m.Replay+m.ReplayOrModel != "" {
		return false
	}
	return c.Loop.AskEarly == On || c.Loop.AskEarly == Auto && near(m.BaseURL)
}

// near reports whether an endpoint is on this machine or in a private network.
func near(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	at, _ := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		at.Unmap().IsLoopback() || at.Unmap().IsPrivate()
}
