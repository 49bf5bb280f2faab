package proxy

import (
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// A server floods when it sends more unsolicited messages than this within unsolicitedTime.
var maxUnsolicited = 20_000

const unsolicitedTime = 10 * time.Second

// noise counts the messages of an upstream that answer no request, and the lines that are not
// messages.
type noise struct {
	mu          lock
	arrivals    int // messages of any kind
	unsolicited int
	since       time.Time // when counting unsolicited began, moved on by the time that clients took
	malformed   int       // lines that were not messages
	sample      string    // the last of them
	unmatched   int       // responses to requests that were not made, of all upstreams
}

// reset begins again for another upstream.
func (n *noise) reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unsolicited, n.malformed = 0, 0
	n.sample = ""
}

func (n *noise) note(malformed string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.malformed++
	n.sample = malformed
}

// noteUnmatched counts a response to a request that was not made.
func (n *noise) noteUnmatched(m *message) {
	n.note("an answer to a request that was not made, with the id " + text.Quote(string(m.ID), 60))
	n.mu.do(func() { n.unmatched++ })
}

func (n *noise) unmatchedAnswers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unmatched
}

// arrive notes that a message has arrived, and the function that it returns that the message has
// been handed over. The time between does not count against unsolicitedTime unless other messages
// arrive meanwhile: a server floods no less because its client reads slowly and so holds it up.
func (n *noise) arrive() (handedOver func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.arrivals++
	nth, at := n.arrivals, time.Now()
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.arrivals == nth {
			n.since = n.since.Add(time.Since(at))
		}
	}
}

// floods counts an unsolicited message, and reports whether there are too many.
func (n *noise) floods() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); now.Sub(n.since) > unsolicitedTime {
		n.unsolicited, n.since = 0, now
	}
	n.unsolicited++
	return n.unsolicited > maxUnsolicited
}

// summary describes the malformed lines, for the end of an error, or "" if there were none.
func (n *noise) summary() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.malformed == 0 {
		return ""
	}
	return fmt.Sprintf(" (before that it sent what is no answer %d times, the last was %s)",
		n.malformed, n.sample)
}
