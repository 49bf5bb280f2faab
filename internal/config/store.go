package config

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// Store says where sessions and questions are kept.
type Store struct {
	URL    storeURL `koanf:"url"`
	Frames string   `koanf:"frames"`
}

// Lease says how long a process that cannot reach the store keeps its phones.
type Lease struct {
	TTL    time.Duration `koanf:"ttl"`
	Margin time.Duration `koanf:"margin"`
}

// storeURL is the URL of a database. It is shown without its password. The conversion string(u) is
// the whole.
type storeURL string

// String is the URL without its password, which may also be among what follows a question mark.
func (u storeURL) String() string {
	whole, _, _ := strings.Cut(string(u), "?")
	return text.Address(whole)
}

// Format prints String whatever the verb.
func (u storeURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, u.String()) }

// LogValue logs String.
func (u storeURL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// MarshalText encodes String.
func (u storeURL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// Farm says what this machine is among the machines that share a store.
type Farm struct {
	Role   string            `koanf:"role"`
	Name   string            `koanf:"name"`
	Addr   string            `koanf:"addr"`
	Labels map[string]string `koanf:"labels"`
}

// The roles of a server.
const (
	Front  = "front"
	Worker = "worker"
	Both   = "both"
)

var storeSettings = []setting{
	{"store.url", "sqlite:", nil},
	{"store.frames", "files:", nil},
	{"lease.ttl", "15s", least(time.Second)},
	{"lease.margin", "1s", least(100 * time.Millisecond)},
	{"farm.role", Both, oneOf(Both, Front, Worker)},
	{"farm.addr", "", machineURL},
	{"farm.labels", "", ownLabels},
}

// ownLabels takes labels that phones do not have by themselves.
func ownLabels(v any) (bad []fault) {
	for name, value := range v.(map[string]string) {
		if strings.TrimSpace(name) == "" || strings.Contains(" model android api app worker device_id ",
			" "+name+" ") {
			bad = append(bad, fault{below: "." + name, value: value, want: "a name of yours: model, " +
				"android, api, app, worker and device_id are what phones say themselves"})
		}
	}
	return bad
}

// machineURL takes the URL of a machine: what goes there are pictures and touches of phones.
func machineURL(v any) []fault {
	u, err := url.Parse(v.(string))
	ok := err == nil && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" &&
		u.RawQuery == "" && (u.Scheme == "https" || u.Scheme == "http" &&
		(u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()))
	return unless(ok || v == "", v, "https://HOST:PORT, or http://127.0.0.1:PORT on one machine")
}
