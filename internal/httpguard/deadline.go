package httpguard

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// sendTime is how long a client may take to send a body.
	sendTime = 30 * time.Second
	// restTime is how long one may take to send the rest that no handler wanted.
	restTime = 5 * time.Second
	// takeTime is how long a client may take to read an answer, unless the handler sets a deadline.
	takeTime = 2 * time.Minute
)

// Timely gives clients a bounded time to send the body of a request and to take its answer, before
// next looks at anything else. Once a body has come whole, the connection may be open for as long
// as next likes; one that streams sets a write deadline for each write.
func Timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// which lifts both after the answer; not every writer can
		out := http.NewResponseController(w)
		_ = out.SetWriteDeadline(time.Now().Add(takeTime))
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		end := time.Now().Add(sendTime)
		_ = out.SetReadDeadline(end)
		b := &body{ReadCloser: r.Body, out: out}
		r.Body = b
		next.ServeHTTP(w, r)
		if !b.whole && time.Until(end) > restTime { // net/http reads the rest
			_ = out.SetReadDeadline(time.Now().Add(restTime))
		}
	})
}

// body lifts the deadline when it has come whole.
type body struct {
	io.ReadCloser
	out   *http.ResponseController
	whole bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && !b.whole {
		b.whole = true
		_ = b.out.SetReadDeadline(time.Time{})
	}
	return n, err
}
