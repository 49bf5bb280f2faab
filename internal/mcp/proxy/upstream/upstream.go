package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Conn is a connection to the other server. It is safe for concurrent use.
type Conn interface {
	// Send sends a message. The receiver gets the response, or the error.
	Send(ctx context.Context, m *Message) error
	// Close ends the connection, and the process behind it, and waits for both.
	Close()
}

// Receiver takes what comes from a connection.
type Receiver interface {
	Receive(from Conn, m *Message)
	// Malformed is called for a line that is not a message. Secrets in the line are masked.
	Malformed(what string)
	// Lost says once that nothing comes any more.
	Lost(c Conn, err error)
}

// Dial connects to a server. ctx is the life of the connection.
type Dial func(ctx context.Context, r Receiver) (Conn, error)

// Target says where the other server is: Command or URL.
type Target struct {
	Command []string // a program with its arguments
	Env     []string // all of the program's environment, NAME=VALUE
	Dir     string   // the working directory, empty for the current one
	URL     string
	Headers map[string]string // sent to URL
	Secrets []string          // values to be masked everywhere
}

// Limits bound what a server sends, and how long the proxy waits for it.
type Limits struct {
	Line  int           // bytes of one message
	Grace time.Duration // for it to end once its input is closed
	Probe time.Duration // for it to show that it lives
}

const (
	maxMalformed = 1000 // lines in a row that are not messages, before a server is given up
	maxQuote     = 300  // characters of a server's output that an error quotes
)

// mask replaces secrets in texts.
type mask struct{ *strings.Replacer }

// minSecret is the least length of a secret. Shorter ones may be ordinary words.
const minSecret = 8

func newMask(secrets []string) mask {
	// one may begin with another: the longest goes first
	secrets = slices.SortedFunc(slices.Values(secrets),
		func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret {
			pairs = append(pairs, s, redacted)
		}
	}
	if pairs == nil {
		return mask{}
	}
	return mask{strings.NewReplacer(pairs...)}
}

const redacted = "[secret]"

// text replaces the secrets in s, also within JSON strings in s, however they are escaped.
func (m mask) text(s string) string {
	if m.Replacer == nil {
		return s
	}
	s = m.Replace(s)
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	last := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		begin, escaped := i, false
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				escaped = true
				i++
			}
		}
		if end := i + 1; escaped && end <= len(s) {
			is := wire.Text(json.RawMessage(s[begin:end]))
			if masked := m.text(is); masked != is {
				out.WriteString(s[last:begin] + string(wire.Encode(masked)))
				last = end
				continue
			}
		}
		i-- // what ends one text may begin the next: this is no reader of JSON
	}
	return out.String() + s[last:]
}

// bytes is like text. It returns b if there is nothing to hide.
func (m mask) bytes(b []byte) []byte {
	if m.Replacer == nil {
		return b
	}
	return []byte(m.text(string(b)))
}
