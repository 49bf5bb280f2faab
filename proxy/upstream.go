package proxy

import (
	"context"
	"errors"
	"strings"
)

// upstream is a connection to the other server. It is safe for concurrent use.
type upstream interface {
	// send sends a message. A response, or why there is none, comes to the receiver.
	send(ctx context.Context, m *message) error
	// close ends the connection, and the process behind it, and waits for both.
	close()
}

// receiver takes what comes from an upstream.
type receiver interface {
	receive(from upstream, m *message)
	// odd notes what is no message; what is a line of ours, without secrets.
	odd(what string)
	// lost says once that nothing comes any more.
	lost(u upstream, err error)
}

// dial connects to an upstream. ctx is the life of the connection.
type dial func(ctx context.Context, r receiver) (upstream, error)

// Target says where the other server is: Command or URL.
type Target struct {
	Command []string // a program with its arguments
	Env     []string // all of the program's environment, NAME=VALUE
	Dir     string   // in which the program is started; "" is ours
	URL     string
	Headers map[string]string // sent to URL
	Secrets []string          // values that are shown nowhere
}

// errNoTarget is the error of a target that says nothing.
var errNoTarget = errors.New("there is neither a command nor an address")

func (t *Target) dialer() (dial, error) {
	m := newMask(t.Secrets)
	switch {
	case len(t.Command) > 0:
		return func(ctx context.Context, r receiver) (upstream, error) {
			return start(ctx, t, m, r)
		}, nil
	case t.URL != "":
		return func(ctx context.Context, r receiver) (upstream, error) {
			return open(ctx, t, m, r), nil
		}, nil
	}
	return nil, errNoTarget
}

// mask takes secrets out of what others get to see.
type mask struct{ *strings.Replacer }

// shortest is how long a secret has at least: a shorter one is likely to be a word like any other.
const shortest = 8

func newMask(secrets []string) mask {
	var pairs []string
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		pairs = append(pairs, s, hidden)
		if inJSON, err := encode(s); err == nil {
			if written := strings.Trim(string(inJSON), `"`); written != s {
				pairs = append(pairs, written, hidden)
			}
		}
	}
	if pairs == nil {
		return mask{}
	}
	return mask{strings.NewReplacer(pairs...)}
}

const hidden = "[secret]"

func (m mask) text(s string) string {
	if m.Replacer == nil {
		return s
	}
	return m.Replace(s)
}

// bytes is b itself when there is nothing to hide.
func (m mask) bytes(b []byte) []byte {
	if m.Replacer == nil {
		return b
	}
	return []byte(m.Replace(string(b)))
}
