package adbserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Serve answers the connections of ln until ctx ends, which is no error. It closes ln, ends the
// connections that it accepted and waits for them. Phones stay as they are.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	var running sync.WaitGroup // connections and what they started
	defer running.Wait()
	defer cancel() // before the wait: connections end with ctx
	for {
		c, err := ln.Accept()
		if err != nil {
			_ = ln.Close()
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accepting on %s: %w", ln.Addr(), err)
		}
		running.Go(func() { s.handle(ctx, c, &running) })
	}
}

// handle answers a connection until its end.
func (s *Server) handle(ctx context.Context, nc net.Conn, wg *sync.WaitGroup) {
	ctx, cancel := context.WithCancel(ctx)
	c := &conn{link: link{cancel: cancel}, s: s, wg: wg, nc: nc,
		r: bufio.NewReaderSize(nc, 64<<10), ctx: ctx}
	s.mu.Lock()
	s.links[&c.link] = true
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	defer func() {
		s.mu.Lock()
		delete(s.links, &c.link)
		s.mu.Unlock()
		stop()
		cancel()
		_ = nc.Close()
	}()
	for {
		req, err := c.readRequest()
		if err != nil {
			return
		}
		more, err := c.answer(req)
		if fail, ok := errors.AsType[failure](err); ok {
			more, err = false, c.send("FAIL", string(fail))
		}
		if err != nil || !more {
			c.drain()
			return
		}
	}
}
