package httpguard_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/httpguard"
)

// oneConn is a listener of one connection.
type oneConn struct {
	conns chan net.Conn
	ended chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}
func (l *oneConn) Close() error   { close(l.ended); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{} }

// timely serves one connection and gives the client's end of it.
func timely(t *testing.T, h http.HandlerFunc) net.Conn {
	l := &oneConn{make(chan net.Conn, 1), make(chan struct{})}
	srv := &http.Server{Handler: httpguard.Timely(h)}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	ours, theirs := net.Pipe()
	l.conns <- theirs
	t.Cleanup(func() {
		require.NoError(t, ours.Close())
		require.NoError(t, srv.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return ours
}

// drip sends a byte every five seconds until the server hangs up.
func drip(conn net.Conn, head string) {
	for rest := head + "{"; ; rest = " " {
		if _, err := io.WriteString(conn, rest); err != nil {
			return
		}
		time.Sleep(5 * time.Second)
	}
}

func TestABodySentAByteAtATimeIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		head  string
		after time.Duration
	}{
		"one that is read": {func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			var late net.Error
			if !errors.As(err, &late) || !late.Timeout() {
				t.Error("want a timeout", err)
			}
			w.WriteHeader(http.StatusBadRequest)
		}, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 30 * time.Second},
		"one of unknown length": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
		}, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
			30 * time.Second},
		"one that is refused": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
		}, "POST / HTTP/1.1\r\nHost: evil\r\nContent-Length: 1000\r\n\r\n", 5 * time.Second},
		"one that no such request has": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := timely(t, c.serve)
				began := time.Now()
				var dripping sync.WaitGroup
				dripping.Go(func() { drip(conn, c.head) })
				_, err := io.ReadAll(conn)
				require.NoError(t, err, "the connection is closed")
				require.InDelta(t, c.after.Seconds(), time.Since(began).Seconds(), 1)
				dripping.Wait()
			})
		})
	}
}

func TestWhatWasSentWholeMayBeAnsweredForLong(t *testing.T) {
	for _, body := range []string{"", "Content-Length: 2\r\n\r\n{}"} {
		synctest.Test(t, func(t *testing.T) {
			conn := timely(t, func(w http.ResponseWriter, r *http.Request) {
				_, err := io.ReadAll(r.Body)
				out := http.NewResponseController(w)
				for range 5 {
					err = errors.Join(err, out.SetWriteDeadline(time.Now().Add(time.Minute)))
					_, wrote := io.WriteString(w, "more\n")
					err = errors.Join(err, wrote, out.Flush(), r.Context().Err())
					time.Sleep(time.Hour)
				}
				err = errors.Join(err, out.SetWriteDeadline(time.Now().Add(time.Minute)))
				if err != nil {
					t.Error(err)
				}
			})
			method := "GET"
			if body != "" {
				method = "POST"
			}
			go func() {
				_, _ = io.WriteString(conn, method+" / HTTP/1.1\r\nHost: localhost\r\n"+
					"Connection: close\r\n"+body+"\r\n")
			}()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			all, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Len(t, all, 25)
		})
	}
}

func TestAnAnswerThatNobodyTakesIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := time.Now(), make(chan error, 1)
		conn := timely(t, func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			ended <- err
		})
		_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		require.Error(t, <-ended)
		require.InDelta(t, 120, time.Since(began).Seconds(), 1)
	})
}
