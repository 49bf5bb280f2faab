package serve

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/internal/web"
)

// uses counts the requests of each token against its rate, and remembers when each was used last.
type uses struct {
	mu   sync.Mutex
	next map[string]time.Time // by id: when a request would be in time without any saved up
	last map[string]time.Time // by id: not stored yet
}

// take counts a request. It returns how long the bearer has to wait if it is one too many.
func (u *uses) take(info token.Info, now time.Time) (wait time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next == nil {
		u.next, u.last = map[string]time.Time{}, map[string]time.Time{}
	}
	u.last[info.ID] = now
	every, most := info.Rate.Every()
	if every == 0 {
		return 0
	}
	at := u.next[info.ID]
	if at.Before(now) {
		at = now
	}
	if wait = at.Sub(now) - time.Duration(most-1)*every; wait > 0 {
		return wait
	}
	u.next[info.ID] = at.Add(every)
	return 0
}

// unstored returns the uses that are to be stored, and forgets them.
func (u *uses) unstored() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.last
	u.last = map[string]time.Time{}
	return last
}

// limited refuses requests that are more than the rate of their token, before anything else is done
// for them.
func (g *authenticator) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := g.bearer(r)
		if err != nil { // whoever serves the request says so
			next.ServeHTTP(w, r)
			return
		}
		if asksHealth(r) {
			info.Rate = ""
		}
		if wait := g.uses.take(info, time.Now()); wait > 0 {
			to := next
			for at, is := to.(routed); is; at, is = to.(routed) { // counted as if served
				to, r.Pattern = at.Handler(r)
			}
			web.TurnAway(w, r, "RATE_LIMIT", fmt.Errorf("the token %s may send %s requests",
				info.Name, info.Rate), wait)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// noteUses stores once in a while when tokens were used, and at the end.
func (g *authenticator) noteUses(ctx context.Context, failed func(error)) {
	const every = 5 * time.Second
	tick := time.NewTicker(every)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			done = true
		}
		if used := g.uses.unstored(); len(used) > 0 {
			if err := g.tokens.NoteUsed(used); err != nil {
				failed(err)
			}
		}
	}
}

// relay passes on that the files have changed, and says the same when a token expires.
func (g *authenticator) relay(ctx context.Context) {
	for ctx.Err() == nil {
		changed := g.files.Changed()
		var expires <-chan time.Time
		if next, err := g.tokens.NextExpiry(time.Now()); err == nil && !next.IsZero() {
			expires = time.After(time.Until(next))
		}
		select {
		case <-changed:
		case <-expires:
		case <-ctx.Done():
			return
		}
		g.changes.Send()
	}
}
