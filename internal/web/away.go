package web

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// forHeader says for whom another machine asks: the viewer, and a mark that only machines with the
// same store can make.
const forHeader = "X-Taploop-For"

// vouched is how long a request of another machine is good for, and how far clocks may differ.
const vouched = 15 * time.Minute

var errStrangeMachine = errors.New("this request comes from no machine of the farm, or from one " +
	"whose clock differs by more than 15 minutes")

// vouch says for whom a request is sent to another machine.
type vouch struct {
	Viewer viewer    `json:"viewer"`
	At     time.Time `json:"at"`
	Mark   []byte    `json:"mark,omitempty"`
}

// mark signs v for the request.
func (v vouch) mark(r *http.Request, sign func(string) []byte) []byte {
	v.Mark = nil
	b, _ := json.Marshal(v) // nothing in it can fail
	return sign(r.Method + " " + r.URL.Path + " " + string(b))
}

// forwarded returns the viewer for whom another machine sends the request.
func (g authenticator) forwarded(r *http.Request) (viewer, error) {
	var v vouch
	b, err := base64.StdEncoding.DecodeString(r.Header.Get(forHeader))
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil || g.sign == nil || !hmac.Equal(v.Mark, v.mark(r, g.sign)) ||
		time.Since(v.At).Abs() > vouched {
		return viewer{}, refuse("UNAUTHORIZED", errStrangeMachine)
	}
	v.Viewer.Forwarded = true
	return v.Viewer, nil
}

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
	to, err := url.Parse(at)
	if err != nil {
		return false, err
	}
	said := vouch{Viewer: v, At: time.Now().UTC()}
	said.Mark = said.mark(r, s.opts.Farm.Sign)
	b, _ := json.Marshal(said) // nothing in it can fail
	ctx, end := s.untilClosing(r.Context())
	var watching sync.WaitGroup
	watching.Go(func() { s.whileHolds(ctx, r, v, end) })
	defer watching.Wait()
	defer end()
	l := s.stream(w, r, v)
	proxy := &httputil.ReverseProxy{FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(to)
			p.Out.Header = http.Header{"Content-Type": p.In.Header["Content-Type"],
				forHeader: {base64.StdEncoding.EncodeToString(b)}}
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, failed error) {
			err = refuse("DEVICE_NOT_FOUND", hint.Add(
				fmt.Errorf("the machine of the phone does not answer: %w", failed),
				"see that it is up, and that farm.addr of it can be reached from here"))
		},
	}
	proxy.ServeHTTP(timely{w, l}, r.WithContext(ctx))
	return true, err
}

// whileHolds calls end when the viewer's credential does not hold any more.
func (s *core) whileHolds(ctx context.Context, r *http.Request, v viewer, end func()) {
	for ctx.Err() == nil {
		changed := s.opts.Changed()
		if s.auth.recheck(r, v) != nil {
			end()
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// timely gives each write of a response its time.
type timely struct {
	http.ResponseWriter
	l *listener
}

func (t timely) Write(b []byte) (int, error) {
	_ = t.l.extend() // a writer without deadlines needs none
	return t.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (t timely) Unwrap() http.ResponseWriter { return t.ResponseWriter }
