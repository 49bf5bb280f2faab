package app

import (
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// OpenStore opens the data folder. It keeps the mode of a folder that exists, and notes at the
// first use that others may look into it.
func OpenStore(ctx context.Context, s *Settings, o *store.Options) (*store.Store, error) {
	dir := s.Conf.DataDir
	before, err := os.Stat(dir)
	var with store.Options
	if o != nil {
		with = *o
	}
	with.URL, with.Frames = string(s.Conf.Store.URL), s.Conf.Store.Frames
	with.TTL, with.Margin = s.Conf.Lease.TTL, s.Conf.Lease.Margin
	used := store.Exists(dir, with.URL)
	with.Stalled = func() {
		if said := textsIn(s.Lang()); store.Networked(with.URL) {
			s.note(said.Unanswered)
		} else {
			s.note(said.Stalled, dir)
		}
	}
	db, failed := store.Open(ctx, dir, &with)
	if failed == nil && err == nil && !used && before.Mode().Perm()&0o077 != 0 &&
		runtime.GOOS != "windows" {
		may := "look into"
		if before.Mode().Perm()&0o020 != 0 {
			may = "write to" // which its owner may want: a umask of 002 makes such folders
		}
		s.note("note: others may %s the folder %s (mode %04o), not look into the files that "+
			"are made there now; to close it: chmod 700 %s", may, dir, before.Mode().Perm(), dir)
	}
	return db, failed
}

// ProbeStore reports why the store, the data folder or the store of pictures does not take a write
// soon.
func ProbeStore(ctx context.Context, s *Settings) error {
	db, err := OpenStore(ctx, s, &store.Options{Patience: 2 * time.Second})
	if err != nil {
		return err
	}
	return errors.Join(db.Farm.Room(ctx), db.Close())
}

// sweepEvery is how often a server looks for questions that other processes have settled: an answer
// at the command line disappears from every page within a second.
const sweepEvery = 500 * time.Millisecond

// NewBroker returns the broker of the questions in the store.
func NewBroker(s *Settings, db *store.Store) *inquiry.Broker {
	q := s.Conf.Questions
	return inquiry.NewBroker(db.Questions, &inquiry.Options{Attention: q.Attention, TTL: q.TTL,
		Every: sweepEvery, ProgramsDecide: q.ProgramsDecide, CheckEdit: runs.CheckEdit})
}
