package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is a handler that listens on this machine.
type Server struct {
	BaseURL string // what model.Options wants, for example http://127.0.0.1:40123/v1

	http  *http.Server
	end   context.CancelFunc
	unset func() bool
	done  sync.WaitGroup
	err   error // of Serve, set before done
}

// Start serves h on addr. "" means a free port of 127.0.0.1. Any client is served, so the caller
// makes sure that addr is on this machine. The server lives until Close or until ctx ends. Close
// must be called in any case.
func Start(ctx context.Context, addr string, h http.Handler) (*Server, error) {
	addr = cmp.Or(addr, "127.0.0.1:0")
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serving the scripted model: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	s := &Server{BaseURL: "http://" + l.Addr().String() + "/v1", end: end}
	s.http = &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	s.done.Go(func() { s.err = s.http.Serve(l) })
	s.unset = context.AfterFunc(ctx, func() { _ = s.http.Close() })
	return s, nil
}

// Close ends requests that are being answered, stops listening and waits for both. It may be called
// more than once.
func (s *Server) Close() error {
	s.unset()
	s.end()
	err := s.http.Shutdown(context.Background()) // waits for handlers, whose context has ended
	s.done.Wait()
	if s.err != nil && !errors.Is(s.err, http.ErrServerClosed) {
		return s.err
	}
	return err
}
