package agentloop

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// onceReader reads the elements of one screen once, for all who ask, at once or one after the
// other.
type onceReader struct {
	of      Reader
	reading wait.Mutex // held by who reads

	read  bool
	list  []screen.Element
	err   error
	began time.Time // when the last reading did, also one in vain
	until time.Time // when the phone was done with it
}

// Elements waits for who reads already. What was not read because its asker went away is read for
// the next one.
func (r *onceReader) Elements(ctx context.Context) ([]screen.Element, error) {
	if err := r.reading.Lock(ctx); err != nil {
		return nil, err
	}
	defer r.reading.Unlock()
	if !r.read {
		r.began = time.Now()
		list, err := r.of.Elements(ctx)
		r.until = time.Now()
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		r.list, r.err = list, err
		r.read = true
	}
	return r.list, r.err
}

// Again forgets an error, so that the elements are read again on the next request.
func (r *onceReader) Again() {
	if r.reading.TryLock() { // else they are being read
		r.read = r.read && r.err == nil
		r.reading.Unlock()
	}
}

// known is what has been read so far, nil if nothing has.
func (r *onceReader) known() (list []screen.Element) {
	if r != nil && r.reading.TryLock() {
		list = r.list
		r.reading.Unlock()
	}
	return list
}

// lastRead is when the last reading began and ended: the latter is now if there is one under way,
// both are zero if there was none.
func (r *onceReader) lastRead() (began, until time.Time) {
	switch {
	case r == nil:
		return began, until
	case !r.reading.TryLock():
		return began, time.Now()
	}
	defer r.reading.Unlock()
	return r.began, r.until
}
