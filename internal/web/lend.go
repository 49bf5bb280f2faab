package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/usecase"
)

// lendPath is where a machine lends its ADB server to another one that has leased a phone of it.
const lendPath = "/machines/phones/"

// lend makes the request a connection to the ADB server here.
func (s *core) lend(w http.ResponseWriter, r *http.Request) error {
	if v, err := s.auth.authenticate(r); err != nil || !v.Forwarded {
		return cmp.Or[error](err, refuse("FORBIDDEN", errStrangeMachine))
	}
	ctx, end := s.untilClosing(context.WithoutCancel(r.Context()))
	defer end()
	there, err := s.opts.Farm.Lend(ctx, r.PathValue("id"), r.URL.Query().Get("worker"))
	if err != nil {
		return err
	}
	defer there.Close()
	here, rest, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer here.Close()
	_ = here.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { _ = here.Close() })()
	_, _ = io.WriteString(here, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"+
		"Upgrade: adb\r\n\r\n") // an error is that of the copies
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(there, rest)
		_ = there.Close()
	})
	_, _ = io.Copy(here, there)
	_ = here.Close()
	up.Wait()
	return nil
}

// Borrow connects to the ADB server of the machine at a URL, for the worker here, which has leased
// the phone. The error is none of that server's.
func Borrow(ctx context.Context, at, phone, worker string, sign func(string) []byte) (
	net.Conn, error) {
	var c net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { c = i.Conn }})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		lendPath+url.PathEscape(phone)+"?worker="+url.QueryEscape(worker), http.NoBody)
	if err != nil {
		return nil, err
	}
	v := viewer{Rights: usecase.Rights{All: true, Decides: true}}
	out, err := v.asks(ctx, r, nil, at, sign)
	if err != nil {
		return nil, err
	}
	out.Header.Set("Connection", "Upgrade")
	out.Header.Set("Upgrade", "adb")
	res, err := direct.RoundTrip(out)
	if err != nil {
		return nil, errors.New(hint.Text(unanswered(r.Method, err)))
	}
	// an ADB server says nothing before it is asked
	if res.StatusCode == http.StatusSwitchingProtocols {
		return c, nil
	}
	defer res.Body.Close()
	var said struct{ Error struct{ Message string } }
	_ = json.NewDecoder(res.Body).Decode(&said) // a proxy may say something else
	return nil, fmt.Errorf("the machine of the phone refuses (%d): %s", res.StatusCode,
		said.Error.Message)
}
