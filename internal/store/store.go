package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
)

// Store is an open data folder: its sessions, and the parts that have the rest. All of it is safe
// for concurrent use, within the process and between processes.
type Store struct {
	*db
	Answers   Answers
	Audit     Audit
	Farm      Farm
	Grants    Grants
	Judged    Judged
	Kept      Kept
	Phones    phones
	Leases    Leases
	Owner     *Owner
	Questions Questions
	Runs      Runs
	Schedules Schedules
	Secrets   Secrets
}

// Stalled reports whether opening the folder or a write has waited for 3s, and no write has got
// through since.
func (s *Store) Stalled() bool { return s.stalled.Load() }

// Close gives up what this store owns. Its runs that were RUNNING count as left behind from now on,
// see [Runs.Recover].
func (s *Store) Close() error {
	s.frames.saving.Wait()
	s.frames.Close()
	var errs []error
	if s.owner != nil && s.write != nil {
		s.owner.leave()
	}
	for _, pool := range []*sql.DB{s.read, s.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if s.owner != nil && s.write != nil {
		errs = append(errs, s.owner.close())
	}
	return errors.Join(errs...)
}

// ReadOnly reports whether nothing of the store can be changed, see [Options.Reading].
func (s *Store) ReadOnly() bool { return s.write == nil }

// Sign is a mark on a text that only stores of this data folder can make, even after a restart.
// Marks for one purpose do not hold for another. Compare marks with [hmac.Equal].
func (s *Store) Sign(purpose, text string) []byte {
	// The key itself encrypts, and signs nothing but this.
	return mark(mark(s.vault.key, "mark for "+purpose), text)
}

func mark(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
