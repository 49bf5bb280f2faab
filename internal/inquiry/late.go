package inquiry

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"sync"
)

// tooLate is the answer to a reply whose question was settled before.
func (b *Broker) tooLate(q Question, r Reply) (Result, error) {
	won := q.Resolution
	if p := q.Deferred; p != nil && r.ID == p.ReplyID { // it counted, as far as it could
		won = p
	}
	if r.ID == "" || r.ID != won.ReplyID {
		return Result{}, &SettledError{q.erased()}
	}
	if !b.same(q, won, r) {
		return Result{}, fmt.Errorf("question %s: %w", q.ID, ErrReplyIDReused)
	}
	return Result{Question: q, Replayed: true}, nil
}

// same reports whether the reply says what the resolution says. An erased secret is compared by its
// digest, while this process lives; after that the id decides.
func (b *Broker) same(q Question, won *Resolution, r Reply) bool {
	if r.Type == TypeTimeout {
		return q.Status == TimedOut
	}
	if q.checkType(r) != nil {
		return false
	}
	res, err := q.body().Take(&q, r, &b.opts)
	switch {
	case err != nil || res.Type != won.Type || r.Remember != won.Remember:
		return false
	case won.Response.IsSecret() && !q.AppliedAt.IsZero():
		return b.digests.fits(q.ID, res.Response.Reveal())
	}
	return res.Response.Reveal() == won.Response.Reveal() &&
		sameDecisions(res.Decisions, won.Decisions)
}

// digests are of secret answers, so that one which was erased can be told from another that comes
// under the same reply id. They are kept in memory, under a key of this process: on disk a digest
// of a short code would give the code away.
type digests struct {
	key []byte

	mu   sync.Mutex
	sums map[string][]byte // by question
}

func newDigests() *digests {
	return &digests{key: []byte(rand.Text()), sums: map[string][]byte{}}
}

// maxDigests is how many are kept.
const maxDigests = 1000

func (d *digests) sum(id, text string) []byte {
	h := hmac.New(sha256.New, d.key)
	h.Write([]byte(id + "\x00" + text))
	return h.Sum(nil)
}

// keep remembers the answer to a question.
func (d *digests) keep(id, text string) {
	sum := d.sum(id, text)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sums) >= maxDigests {
		clear(d.sums)
	}
	d.sums[id] = sum
}

// fits reports whether the answer is the one that was kept; true when none was.
func (d *digests) fits(id, text string) bool {
	sum := d.sum(id, text)
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := d.sums[id]
	return kept == nil || hmac.Equal(kept, sum)
}
