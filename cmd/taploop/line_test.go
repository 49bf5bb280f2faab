package main

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// faultyLine is a network between a program and what it talks to, which can be cut: nothing
// arrives any more, and nobody is told.
type faultyLine struct {
	addr string
	sees func(connection int) func([]byte) // what arrives from the program, may be nil

	mu   sync.Mutex
	cut  chan struct{} // closed when the line is whole again, nil while it is
	made int
}

func newFaultyLine(t testing.TB, dial func() (net.Conn, error),
	sees func(connection int) func([]byte)) *faultyLine {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &faultyLine{addr: ln.Addr().String(), sees: sees}
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			l.mu.Lock()
			l.made++
			n := l.made
			l.mu.Unlock()
			wg.Go(func() { l.carry(c, dial, n, over) })
		}
	})
	t.Cleanup(func() { _ = ln.Close(); close(over); l.set(false); wg.Wait() })
	return l
}

// set cuts the line, or makes it whole. What was sent meanwhile arrives then, unless its sender has
// hung up.
func (l *faultyLine) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case cut && l.cut == nil:
		l.cut = make(chan struct{})
	case !cut && l.cut != nil:
		close(l.cut)
		l.cut = nil
	}
}

// passes waits until the line is whole. It returns false if the sender was gone before.
func (l *faultyLine) passes(gone <-chan struct{}) bool {
	for {
		l.mu.Lock()
		whole := l.cut
		l.mu.Unlock()
		if whole == nil {
			return true
		}
		select {
		case <-whole:
		case <-gone:
			return false
		}
	}
}

func (l *faultyLine) carry(c net.Conn, dial func() (net.Conn, error), n int,
	over <-chan struct{}) {
	defer c.Close()
	if !l.passes(over) {
		return
	}
	up, err := dial()
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	ended := make(chan struct{}, 3)
	see := func([]byte) {}
	if l.sees != nil {
		see = l.sees(n)
	}
	wg.Go(func() { l.pump(up, c, see); ended <- struct{}{} })
	wg.Go(func() { l.pump(c, up, func([]byte) {}); ended <- struct{}{} })
	select {
	case <-ended:
	case <-over:
	}
	_ = c.Close()
	_ = up.Close()
	wg.Wait()
}

// pump carries one direction.
func (l *faultyLine) pump(to, from net.Conn, see func([]byte)) {
	chunks, gone := make(chan []byte, 4096), make(chan struct{})
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(chunks)
		defer close(gone)
		for {
			b := make([]byte, 32<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			select {
			case chunks <- b[:n]:
			case <-stop:
				return
			}
		}
	})
	for b := range chunks {
		if !l.passes(gone) {
			break
		}
		see(b)
		if _, err := to.Write(b); err != nil {
			break
		}
	}
	close(stop)
	_ = from.Close()
	reading.Wait()
}
