package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/hint"
)

// content is the file.
type content struct {
	Version int     `json:"version"`
	Tokens  []entry `json:"tokens"`
}

const version = 1

func (s *Store) read() ([]entry, error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	var c content
	if err := json.Unmarshal(b, &c); err != nil || c.Version != version {
		return nil, hint.Add(fmt.Errorf("reading the tokens: %s is not a file of tokens (version %d)", s.path, version),
			"move it away and create new tokens; until then every request is refused")
	}
	return c.Tokens, nil
}

// patience is how long a change waits for another process that is changing the file.
const patience = 10 * time.Second

// change replaces the tokens by what edit makes of them. One process at a time does.
func (s *Store) change(edit func([]entry) ([]entry, error)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("keeping tokens: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another change of the tokens: %w", err)
	}
	defer lock.Unlock() // its file stays: removing it would let two in
	all, err := s.read()
	if err != nil {
		return err
	}
	if all, err = edit(all); err != nil {
		return err
	}
	if err := s.write(all); err != nil {
		return fmt.Errorf("keeping tokens: %w", err)
	}
	return nil
}

// write replaces the file as a whole: whoever reads finds the old one or the new one.
func (s *Store) write(all []entry) error {
	b, err := json.MarshalIndent(content{version, all}, "", "  ")
	if err != nil {
		return err
	}
	return atomicwriter.WriteFile(s.path, append(b, '\n'), 0o600)
}
