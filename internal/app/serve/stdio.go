package serve

import (
	"context"
	"errors"
	"io"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
)

// Stdio serves the one client at the other end of o.In and o.Out. It returns within two seconds
// after the client closes its end, and within five after ctx ends.
func Stdio(ctx context.Context, set *app.Settings, o Options) error {
	ctx, drained := context.WithCancel(ctx)
	defer drained()
	page := &onDemand{set: set}
	s, err := Start(ctx, set, app.Options{Console: o.Console, Drained: drained,
		Observe: page.page.observe})
	if err != nil {
		return err
	}
	page.start(s)
	s.follow(func(inquiry.Question) {})
	// After a signal the server continues until the runs are paused: calls that wait for one return
	// then.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	gone, leave := context.WithCancel(context.Background())
	paused := make(chan *shutdown, 1)
	go func() { // ends before we return
		var e *shutdown
		select {
		case <-gone.Done():
			e = s.shutDown(graceOfEOF)
		case <-ctx.Done():
			e = s.shutDown(graceOfSignal)
		}
		e.pause()
		end(errEnded)
		paused <- e
	}()
	err = transport.ServeStdio(serving, s.MCP, eofReader{o.In, leave}, o.Out,
		&transport.Options{InOrder: true, Log: set.Log, Subscribe: s.tools.MaySubscribe})
	leave() // when out broke
	e := <-paused
	closing, cancel := e.context(ctx)
	defer cancel()
	return errors.Join(Without(err, errEnded), page.close(closing), e.finish())
}

// Worker carries out runs that other servers begin, until ctx ends or a person drains it.
func Worker(ctx context.Context, set *app.Settings, o Options) error {
	ctx, drained := context.WithCancel(ctx)
	defer drained()
	s, err := Start(ctx, set, app.Options{Drained: drained})
	if err != nil {
		return err
	}
	s.follow(func(inquiry.Question) {})
	<-ctx.Done()
	e := s.shutDown(graceOfSignal)
	e.pause()
	return e.finish()
}

// Without returns err without the known one among the errors that it joins.
func Without(err, known error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var left []error
	for _, e := range all {
		if e != nil && !errors.Is(e, known) {
			left = append(left, e)
		}
	}
	return errors.Join(left...)
}

// eofReader calls ended when its reader has ended.
type eofReader struct {
	io.Reader
	ended func()
}

func (r eofReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.ended()
	}
	return n, err
}
