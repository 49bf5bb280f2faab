package web

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/wait"
)

// pageEvent is something that happened, ready to be sent.
type pageEvent struct {
	name   string
	data   []byte
	client *string // whom it belongs to (nil for no client)
}

// ring keeps the last events, numbered from 1. Readers hold the number of the last one that they
// have seen, and no writer waits for a reader.
type ring struct {
	epoch string // of this process: a number of a former one means nothing here

	mu    sync.Mutex
	kept  []pageEvent // kept[i] has the number first+i
	first uint64
	limit int
	more  wait.Broadcast // when there is more to read
}

func newRing(limit int) *ring {
	return &ring{epoch: rand.Text(), first: 1, limit: limit}
}

func (r *ring) put(e pageEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= r.limit {
		r.first++
		r.kept = r.kept[1:]
	}
	r.kept = append(r.kept, e)
	r.more.Send()
}

// resync says that events are missing here: every reader gets a snapshot.
func (r *ring) resync() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first, r.kept = r.first+uint64(len(r.kept))+1, nil
	r.more.Send()
}

// last is the number of the newest event.
func (r *ring) last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first + uint64(len(r.kept)) - 1
}

// after gives the events after number n, and what closes when there are more. gone says that some
// of them are not there any more, or that there never was a number n.
func (r *ring) after(n uint64) (list []pageEvent, more <-chan struct{}, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n+1 < r.first || n >= r.first+uint64(len(r.kept)) {
		return nil, r.more.Next(), true
	}
	return slices.Clone(r.kept[n+1-r.first:]), r.more.Next(), false
}

// id is an event's id for listeners.
func (r *ring) id(n uint64) string { return fmt.Sprintf("%s-%d", r.epoch, n) }

// number reads an id that a listener brings back.
func (r *ring) number(id string) (n uint64, ok bool) {
	epoch, text, _ := strings.Cut(id, "-")
	n, err := strconv.ParseUint(text, 10, 63)
	return n, err == nil && epoch == r.epoch
}
