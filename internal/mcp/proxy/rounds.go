package proxy

import (
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"
)

// round is an approved call whose server has asked the client for more. When the client makes it
// again with the answers, it needs no second approval.
type round struct {
	bound  string          // what the approved call is bound to
	call   *toolCall       // as it was passed on
	edited string          // the arguments, if a person has changed them
	state  json.RawMessage // the server's, or nil if it gave none
	until  time.Time
}

// rounds are the rounds that clients may come back with, once each.
type rounds struct {
	mu   sync.Mutex
	open map[string]round
}

// maxRounds is how many rounds are kept. A call that has no place is asked about again.
const maxRounds = 1000

func (rs *rounds) put(r round) (token string, ok bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now := time.Now()
	for token, other := range rs.open {
		if now.After(other.until) {
			delete(rs.open, token)
		}
	}
	if len(rs.open) >= maxRounds {
		return "", false
	}
	token = rand.Text()
	rs.open[token] = r
	return token, true
}

// take removes and returns the round that c continues, if it is the same call of the same client.
func (rs *rounds) take(c *toolCall) (round, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.open[c.round]
	if !ok || r.bound != c.approvalKey() || r.call.client != c.client || time.Now().After(r.until) {
		return round{}, false
	}
	delete(rs.open, c.round)
	return r, true
}
