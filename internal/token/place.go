package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/wait"
)

// Place keeps values by their names. It is safe for concurrent use, also by several processes.
type Place interface {
	String() string // says where that is
	// Read returns the value, or nil if there is none.
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

// inFiles is a Place beside the file of the tokens.
type inFiles struct{ path string }

func (f inFiles) String() string { return f.path }

func (f inFiles) file(name string) string {
	stem, dot := strings.CutSuffix(f.path, ".json")
	path := stem + strings.TrimPrefix(name, tokensName)
	if dot {
		path += ".json"
	}
	return path
}

// Read implements Place.
func (f inFiles) Read(name string) (json.RawMessage, error) {
	value, err := files.Value[json.RawMessage](f.file(name))
	if err != nil || value == nil {
		return nil, err
	}
	return *value, nil
}

// Change implements Place.
func (f inFiles) Change(
	name string, edit func(json.RawMessage) (json.RawMessage, error),
) error {
	return files.Change(f.file(name), func() (json.RawMessage, error) {
		before, err := f.Read(name)
		switch {
		case errors.Is(err, files.ErrContent):
			before = []byte(`"damaged"`)
		case err != nil:
			return nil, err
		}
		return edit(before)
	})
}

// lookEvery is how often Watch looks.
const lookEvery = 500 * time.Millisecond

// Watch calls changed when the tokens have changed, by whichever process, until ctx ends. Tokens in
// a file are not watched: see files.Watcher.
func (s *Store) Watch(ctx context.Context, changed func()) {
	if _, file := s.place.(inFiles); file {
		return
	}
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
