package inquiry

import (
	"crypto/hmac"
	"crypto/sha256"
	"sync"
)

// digests are of secret answers, so that one which was erased can be told from another that comes
// under the same reply id. They are kept in memory, under a key of this process: on disk a digest
// of a short code would give the code away.
type digests struct {
	key []byte

	mu   sync.Mutex
	sums map[string][]byte // by question
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
