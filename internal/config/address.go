package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

// address is a URL whose path is as good as a password: those who know it may use it. It shows its
// server only, wherever it is printed, logged or encoded. The conversion string(a) is the
// whole address.
type address string

// String is the address up to its server, or "" for an empty address.
func (a address) String() string {
	if a == "" {
		return ""
	}
	u, err := url.Parse(string(a))
	if err != nil || u.Host == "" {
		return "[no address]"
	}
	return u.Scheme + "://" + u.Host + "/[secret]"
}

// Format prints String whatever the verb.
func (a address) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, a.String()) }

// LogValue logs String.
func (a address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText encodes String.
func (a address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// reachable reports whether it is a whole address of an HTTP server.
func (a address) reachable() bool {
	return web(url.Parse(string(a)))
}

// web reports whether it is a whole address of an HTTP server.
func web(u *url.URL, err error) bool {
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
