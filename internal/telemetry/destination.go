package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// destination is where spans are sent.
type destination struct {
	url     string
	headers http.Header
	timeout time.Duration // of a batch
	gzip    bool
	tls     *tls.Config // nil is the system's
}

// readDestination reads the environment. It returns nil if no traces are wanted.
func readDestination(getenv func(string) string) (*destination, error) {
	of := func(name string) string {
		return strings.TrimSpace(cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name),
			getenv("OTEL_EXPORTER_OTLP_"+name)))
	}
	exporter := strings.TrimSpace(getenv("OTEL_TRACES_EXPORTER"))
	switch {
	case strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none",
		exporter == "" && of("ENDPOINT") == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, hint.Add(fmt.Errorf("OTEL_TRACES_EXPORTER is %q", exporter),
			"set it to otlp, or to none")
	}
	if p := of("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, hint.Add(fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q", p),
			"set it to http/protobuf, and the endpoint to the collector's port for HTTP, 4318")
	}
	d := &destination{timeout: 10 * time.Second, gzip: of("COMPRESSION") == "gzip"}
	var err error
	if d.url, err = endpoint(getenv); err != nil {
		return nil, err
	}
	if d.headers, err = headers(of("HEADERS")); err != nil {
		return nil, err
	}
	if ms := of("TIMEOUT"); ms != "" {
		n, err := strconv.ParseUint(ms, 10, 31)
		if err != nil || n == 0 {
			return nil, hint.Add(fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q", ms),
				"write milliseconds, such as 10000")
		}
		d.timeout = time.Duration(n) * time.Millisecond
	}
	if d.tls, err = certificates(of); err != nil {
		return nil, err
	}
	return d, nil
}

// endpoint is that of traces as it is written, or that of all signals with the path of traces.
func endpoint(getenv func(string) string) (string, error) {
	name, at := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
	if at = strings.TrimSpace(getenv(name)); at == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		at = cmp.Or(strings.TrimSpace(getenv(name)), "http://localhost:4318")
		at = strings.TrimRight(at, "/") + "/v1/traces"
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", hint.Add(errors.New(name+" is no HTTP URL"),
			"write a whole one, such as http://localhost:4318")
	}
	return at, nil
}

// headers reads KEY=VALUE,KEY=VALUE, with values as in URLs. Its errors quote nothing, as values
// are keys.
func headers(list string) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return nil, hint.Add(errors.New("OTEL_EXPORTER_OTLP_HEADERS cannot be read"),
				"write name=value,name=value with values as in URLs")
		}
		h.Set(name, value)
	}
	return h, nil
}

// certificates are the certificates whose files the environment names.
func certificates(of func(string) string) (*tls.Config, error) {
	authority, cert := of("CERTIFICATE"), of("CLIENT_CERTIFICATE")
	if authority == "" && cert == "" {
		return nil, nil
	}
	c := &tls.Config{}
	if authority != "" {
		pem, err := files.Read(authority)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s has no certificate",
				authority)
		}
	}
	if cert != "" {
		own, err := tls.LoadX509KeyPair(cert, of("CLIENT_KEY"))
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}
