package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
)

// Check reports whether the database is whole, and whether the pictures that its steps had are
// there, which may be in the data folders of other machines.
func (s *Store) Check(ctx context.Context) error {
	if err := s.engine.check(ctx, s.db); err != nil {
		return doing(err, "checking the database")
	}
	return elsewhere(s, missingPictures(ctx, s))
}

// elsewhere adds to an error of missing pictures that other machines of the store may have them.
func elsewhere(s *Store, err error) error {
	if _, own := s.frames.Keeper.(pictures.Folder); err == nil || !own || s.engine.alone() {
		return err
	}
	return hint.Add(err, "each machine has the pictures that it took: check the others as well, "+
		"or share the folder frames")
}

// missingPictures is the error of pictures that are not there.
func missingPictures(ctx context.Context, s *Store) error {
	ids, err := collect(ctx, s.read, scanID, "SELECT frame FROM steps WHERE frame <> ''")
	if err != nil {
		return doing(err, "looking for pictures")
	}
	var lost []error
	for _, id := range ids {
		switch _, _, err := s.frame(ctx, id); {
		case errors.Is(err, ErrNotFound):
			lost = append(lost, err)
		case err != nil:
			return err
		}
	}
	if len(lost) == 0 {
		return nil
	}
	_, own := s.frames.Keeper.(pictures.Folder)
	where := "the data folder"
	if !own {
		where = s.opts.Frames
	}
	return fmt.Errorf("%d of %d pictures are not in %s, the first: %w", len(lost), len(ids), where,
		lost[0])
}
