package token

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// place keeps values by their names. It is safe for concurrent use, also by several processes.
type place interface {
	// Read returns the value, or nil if nothing is kept.
	Read(name string) (json.RawMessage, error)
	// Change replaces the value by what edit makes of it. No other change of it runs meanwhile.
	// edit may be called again. Its error is returned, and the value is left alone.
	Change(name string, edit func(before json.RawMessage) (json.RawMessage, error)) error
}

// The names of the tokens, and of when they were used. A use does not look like a change of the
// tokens.
const (
	tokensName = "tokens"
	usesName   = "tokens-used"
)

// lookEvery is how often Watch looks.
const lookEvery = 500 * time.Millisecond

// Watch calls changed when the tokens have changed, by whichever process, until ctx ends.
func (s *Store) Watch(ctx context.Context, changed func()) {
	last, known := json.RawMessage(nil), false
	for ctx.Err() == nil {
		now, err := s.place.Read(tokensName)
		if err == nil && known && !bytes.Equal(now, last) {
			changed()
		}
		if err == nil {
			last, known = now, true
		}
		_ = wait.For(ctx, lookEvery) // only ctx ends it
	}
}
