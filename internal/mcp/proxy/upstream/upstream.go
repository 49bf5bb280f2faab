package upstream

import (
	"context"
	"time"
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

// What of the settings is masked in texts: shorter values may be ordinary words.
const (
	minSecret = 8
	redacted  = "[secret]"
)
