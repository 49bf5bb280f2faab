package transport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/wait"
)

// stream holds the newest messages of one request, of one batch, or of a session's listening
// connection, until the client has them and a while longer, so that a broken connection can be
// resumed. Events are numbered from 1.
//
// One connection reads at a time. While it does, adding waits for it, so that it gets all events.
// Without a reader the oldest events are dropped. It is safe for concurrent use.
type stream struct {
	name  string // of the event ids, or "" if the stream cannot be resumed
	most  int    // events held
	waits bool   // whether adding waits for a slow reader
	drop  func() // called when the reader is lost, unless it is nil

	mu      sync.Mutex
	held    []streamEvent
	size    int  // bytes held
	last    int  // number of the newest event
	sent    int  // number of the newest event that any reader got
	idSent  bool // whether a client may know an id to resume from
	owed    int  // responses to come
	answers bool // whether a response came with data
	reader  *reader
	changed wait.Broadcast
}

type streamEvent struct {
	n       int
	data    []byte
	final   bool // a response
	failure int  // the code of its error, or 0
}

// reader is a connection's place in a stream.
type reader struct {
	at int // number of the last event that was written
}

// mostBytes is how many bytes a stream holds, not counting its newest event and those that its
// reader has not got.
const mostBytes = 4 << 20

// newStream returns a stream that ends after that many responses, and its reader.
func newStream(name string, most, responses int) (*stream, *reader) {
	rd := new(reader)
	return &stream{name: name, most: most, waits: true, owed: responses, reader: rd}, rd
}

func (st *stream) message(data []byte) { st.add(streamEvent{data: data}) }

func (st *stream) response(data []byte, failure int) {
	st.add(streamEvent{data: data, final: true, failure: failure})
}

// add appends a message. Only a response may have no data.
func (st *stream) add(e streamEvent) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for e.data != nil && len(st.held) > 0 && (len(st.held) >= st.most || st.size >= mostBytes) {
		if st.waits && st.reader != nil && st.reader.at < st.held[0].n {
			st.await()
			continue
		}
		st.size -= len(st.held[0].data)
		st.held = slices.Delete(st.held, 0, 1)
	}
	if e.data != nil {
		st.answers = st.answers || e.final
		st.last++
		e.n = st.last
		st.size += len(e.data)
		st.held = append(st.held, e)
	}
	if e.final {
		st.owed--
	}
	st.changed.Send()
}

// await releases the lock until something changes.
func (st *stream) await() {
	changed := st.changed.Next()
	st.mu.Unlock()
	<-changed
	st.mu.Lock()
}

// next returns the events that rd has not got, whether the stream ends after them, and a channel
// that is closed when the stream changes.
func (st *stream) next(rd *reader) (events []streamEvent, ended bool, changed <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	i := slices.IndexFunc(st.held, func(e streamEvent) bool { return e.n > rd.at })
	if i >= 0 {
		events = slices.Clone(st.held[i:])
	}
	return events, st.owed <= 0, st.changed.Next()
}

// got notes that rd has all up to the event n.
func (st *stream) got(rd *reader, n int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	rd.at = n
	st.sent = max(st.sent, n)
	st.idSent = st.name != ""
	st.changed.Send()
}

// takeOver makes a connection the reader if it has no reader. Otherwise it returns a channel that
// is closed when that may have changed.
func (st *stream) takeOver() (*reader, <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.reader != nil {
		return nil, st.changed.Next()
	}
	st.reader = &reader{at: st.sent}
	return st.reader, nil
}

// attach makes a new connection the reader, beginning after the event with the number from, or
// after the last event that any reader got if from is -1. It replaces the reader. It reports
// whether there is such an event.
func (st *stream) attach(from int) (*reader, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if from < 0 {
		from = st.sent
	}
	if from > st.last {
		return nil, false
	}
	st.reader = &reader{at: from}
	st.changed.Send()
	return st.reader, true
}

// leave ends the reading of rd. It reports whether rd was the reader of a stream that has not
// ended.
func (st *stream) leave(rd *reader) (lost bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.reader != rd {
		return false
	}
	st.reader = nil
	st.changed.Send()
	return st.owed > 0
}

// abandoned reports whether the stream has no reader and has not ended.
func (st *stream) abandoned() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.reader == nil && st.owed > 0
}

func (st *stream) ended() bool { return get(&st.mu, &st.owed) <= 0 }

// eventID is the id of the event n: "event IDs SHOULD encode sufficient information to identify the
// originating stream".
func (st *stream) eventID(n int) string { return fmt.Sprintf("%s-%d", st.name, n) }

// parseEventID takes an event id apart.
func parseEventID(id string) (name string, n int, ok bool) {
	name, number, ok := strings.Cut(id, "-")
	if !ok {
		return "", 0, false
	}
	n, err := strconv.Atoi(number)
	return name, n, err == nil && n >= 0
}

// prime notes that the client is being told the id of the event before the first.
func (st *stream) prime() { set(&st.mu, &st.idSent, true) }

// resumable reports whether a client may know an id to resume from.
func (st *stream) resumable() bool { return get(&st.mu, &st.idSent) }

// replaced reports whether another connection took over from rd.
func (st *stream) replaced(rd *reader) bool { return get(&st.mu, &st.reader) != rd }

// answered reports whether the stream has, or had, a response.
func (st *stream) answered() bool { return get(&st.mu, &st.answers) }
