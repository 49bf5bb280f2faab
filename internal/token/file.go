package token

import (
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// content is the content of the file.
type content struct {
	Version int     `json:"version"`
	Tokens  []entry `json:"tokens"`
}

const version = 1

func (s *Store) read() ([]entry, error) {
	c, err := files.Value[content](s.path)
	switch {
	case errors.Is(err, files.ErrContent), c != nil && c.Version != version:
		return nil,
			hint.Add(fmt.Errorf("reading the tokens: %s is not a file of tokens (version %d)",
				s.path, version),
				"move it away and create new tokens; until then every request is refused")
	case err != nil:
		return nil, fmt.Errorf("reading the tokens: %w", err)
	case c == nil:
		return nil, nil
	}
	return c.Tokens, nil
}

// change replaces the tokens by the result of edit. Only one process at a time changes them.
func (s *Store) change(edit func([]entry) ([]entry, error)) error {
	return files.Change(s.path, func() (content, error) {
		all, err := s.read()
		if err == nil {
			all, err = edit(all)
		}
		return content{version, all}, err
	})
}
