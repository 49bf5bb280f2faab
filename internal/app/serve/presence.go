package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// presence knows which phones are there.
type presence struct {
	states func(context.Context) (map[string]string, error) // by id
	// called for each phone that could be used and cannot any more, may be nil
	lost func(serial string)
	log  *slog.Logger

	mu     sync.Mutex
	seen   map[string]string // nil before the first look
	silent time.Time         // since when the ADB server has not answered, which was logged
}

// presenceEvery is how often the phones are looked at.
const presenceEvery = 5 * time.Second

// serverGone is how long an ADB server may not answer, as while it is started again, before its
// phones are gone.
const serverGone = time.Minute

// The state of a phone that can be used, and of one while the ADB server does not answer.
const (
	usable  = "device"
	unknown = "unknown"
)

// run looks at the phones until ctx ends.
func (p *presence) run(ctx context.Context) {
	for {
		p.look(ctx)
		if wait.For(ctx, presenceEvery) != nil {
			return
		}
	}
}

// look compares the phones with those of the last look, and tells what has changed. A server that
// does not answer says nothing about the phones at first.
func (p *presence) look(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	now, err := p.states(asking)
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	if err == nil {
		p.silent = time.Time{}
	} else if p.silent.IsZero() {
		p.log.WarnContext(ctx, "no phone can be used", "err", err, "try", "taploop doctor")
		p.silent = time.Now()
	}
	if err != nil && time.Since(p.silent) < serverGone {
		p.mu.Unlock()
		return
	}
	before := p.seen
	p.seen = now
	p.mu.Unlock()
	for serial, state := range now {
		if before[serial] != state {
			p.log.InfoContext(ctx, "phone came", "serial", serial, "state", state)
		}
	}
	for serial, state := range before {
		if state != usable || now[serial] == usable {
			continue
		}
		p.log.InfoContext(ctx, "phone went", "serial", serial, "state", now[serial])
		if p.lost != nil {
			p.lost(serial)
		}
	}
}

// count is how many phones there are in each state. Those that can be used, but are among the
// closed, are in the state cordoned.
func (p *presence) count(closed map[string]bool) map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{usable: 0}
	for serial, state := range p.seen {
		switch {
		case !p.silent.IsZero():
			state = unknown
		case state == usable && closed[store.ClosedPhone+serial]:
			state = "cordoned"
		}
		n[state]++
	}
	return n
}
