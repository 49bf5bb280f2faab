package serve

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// presence knows which phones are there.
type presence struct {
	states func(context.Context) (map[string]string, error) // by id
	log    *slog.Logger

	mu     sync.Mutex
	seen   map[string]string // nil before the first look
	lost   []func(serial string)
	broken bool // the ADB server did not answer, which was logged
}

// presenceEvery is how often the phones are looked at.
const presenceEvery = 5 * time.Second

// usable is the state of a phone that can be used.
const usable = "device"

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
// does not answer says nothing about the phones.
func (p *presence) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	now, err := p.states(ctx)
	p.mu.Lock()
	if err != nil {
		if !p.broken && ctx.Err() == nil {
			p.log.WarnContext(ctx, "no phone can be used", "err", err, "try", "taploop doctor")
			p.broken = true
		}
		p.mu.Unlock()
		return
	}
	before := p.seen
	p.seen, p.broken = now, false
	tell := p.lost
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
		for _, f := range tell {
			f(serial)
		}
	}
}

// onLost has f called for each phone that could be used and cannot any more.
func (p *presence) onLost(f func(serial string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = append(p.lost, f)
}

// count is how many phones there are in each state.
func (p *presence) count() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{usable: 0}
	for _, state := range p.seen {
		n[state]++
	}
	return n
}
