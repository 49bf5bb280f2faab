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
	{"store.url", "sqlite:", nil,
		"where sessions and questions are kept: sqlite: in the data folder, or " +
			"postgres://USER:PASSWORD@HOST/DATABASE, which several machines can share"},
	{"store.frames", "files:", nil,
		"where pictures are kept: files: in the data folder, or in a bucket of an S3-compatible " +
			"store, which several machines can share: " +
			"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION, with keys from " +
			"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or from ~/.aws/credentials"},
	{"lease.ttl", "15s", least(time.Second),
		"how long a server may touch its phones after it last told the store that it is there"},
	{"lease.margin", "1s", least(100 * time.Millisecond),
		"how much longer another server waits before it takes such a phone: for clocks that " +
			"run differently, and for what is under way to the phone; the same on all machines"},
	{"farm.role", Both, oneOf(Both, Front, Worker),
		"what a server does among those that share a PostgreSQL: front serves clients and people " +
			"and uses no phones by itself, worker carries out runs on its phones, both does both"},
	{"farm.name", "", nil, "the name of this machine among them; the default is its host name"},
	{"farm.addr", "", machineURL,
		"where the other machines reach this one, for live pictures and touches of its phones: " +
			"https://HOST:PORT, or http:// on loopback"},
	{"farm.labels", "", nil,
		"labels of the phones here, by which tasks can want one: {site: berlin}"},
}

// machineURL takes the URL of a machine: what goes there are pictures and touches of phones.
func machineURL(v any) []fault {
	u, err := url.Parse(v.(string))
	ok := err == nil && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" &&
		u.RawQuery == "" && (u.Scheme == "https" || u.Scheme == "http" &&
		(u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()))
	return unless(ok || v == "", v, "https://HOST:PORT, or http://127.0.0.1:PORT on one machine")
}
