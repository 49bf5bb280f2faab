package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// forward has the machine of the phone serve the request. It does nothing for a phone of this one,
// and for a request that another machine has sent.
func (s *core) forward(
	w http.ResponseWriter, r *http.Request, v viewer, serial string,
) (done bool, err error) {
	if s.opts.Farm == nil || v.Forwarded {
		return false, nil
	}
	at, err := s.opts.Farm.Away(r.Context(), serial)
	if err != nil || at == "" {
		return false, err
	}
	body, err := bodyOf(r)
	if err != nil {
		return false, err
	}
	ctx, end := s.untilClosing(r.Context())
	defer end()
	out, err := v.asks(ctx, r, body, at, s.opts.Farm.Sign)
	if err != nil {
		return false, err
	}
	res, err := direct.RoundTrip(out)
	if err != nil {
		return true, unanswered(r.Method, err)
	}
	defer res.Body.Close()
	for _, name := range []string{"Content-Type", "Content-Length", "Retry-After"} {
		if value := res.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	w.Header().Set("X-Accel-Buffering", "no") // a proxy is to hold nothing back
	w.WriteHeader(res.StatusCode)
	return true, s.stream(w, r, v).copy(res.Body)
}

// asks is the request for the machine at a URL, with the word of this one for whom it asks.
func (v viewer) asks(ctx context.Context, r *http.Request, body []byte, at string,
	sign func(string) []byte) (*http.Request, error) {
	said := vouch{Viewer: v, At: time.Now().UTC()}
	said.Mark = said.mark(r, body, sign)
	b, _ := json.Marshal(said) // nothing in it can fail
	out, err := http.NewRequestWithContext(ctx, r.Method,
		strings.TrimSuffix(at, "/")+r.URL.RequestURI(), bytes.NewReader(body))
	if err == nil {
		out.Header = http.Header{"Content-Type": r.Header["Content-Type"],
			forHeader: {base64.StdEncoding.EncodeToString(b)}}
	}
	return out, err
}

// direct reaches machines by their own addresses, through no proxy of the environment. Their
// connections may become others, as HTTP/2 has it not.
var direct = &http.Transport{IdleConnTimeout: time.Minute,
	TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}

// unanswered is the refusal of a request that a machine has not answered. It may have carried out
// what it got.
func unanswered(method string, err error) error {
	op, is := errors.AsType[*net.OpError](err)
	err = fmt.Errorf("the machine of the phone does not answer: %w", err)
	if method != http.MethodGet && !(is && op.Op == "dial") {
		return refuse("OUTCOME_UNKNOWN", err)
	}
	return refuse("DEVICE_NOT_FOUND", hint.Add(err,
		"see that it is up, and that farm.addr of it can be reached from here"))
}

// copy sends what comes as it comes.
func (l *listener) copy(from io.Reader) error {
	piece := make([]byte, 64<<10)
	for {
		n, ended := from.Read(piece)
		if n > 0 {
			if err := l.send(piece[:n]); err != nil {
				return l.broken(err)
			}
		}
		if ended != nil {
			return nil
		}
	}
}
