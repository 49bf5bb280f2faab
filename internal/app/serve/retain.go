package serve

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// What is old is deleted soon after a start, when clients have been answered, and then hourly.
const (
	retainFirst = 10 * time.Second
	retainEvery = time.Hour
)

// retain deletes what the configuration does not keep, until s is closed.
func (s *Service) retain(conf config.Retention) {
	keep := store.Retention{Sessions: conf.Sessions.Duration(), Frames: conf.Frames.Duration(),
		Disk: conf.Disk.Bytes()}
	if keep == (store.Retention{}) {
		return
	}
	s.inTurn("retention.lock", func(ctx context.Context) {
		for next := retainFirst; wait.For(ctx, next) == nil; next = retainEvery {
			s.retainOnce(ctx, keep)
		}
	})
}

func (s *Service) retainOnce(ctx context.Context, keep store.Retention) {
	done, err := s.Store.Retain(ctx, keep)
	if done.Sessions+done.Pictures > 0 {
		s.log.InfoContext(ctx, "deleted what is old", "sessions", done.Sessions, "pictures",
			done.Pictures)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.ErrorContext(ctx, "deleting what is old", "err", err)
	case keep.Disk > 0 && done.Bytes > keep.Disk:
		s.log.WarnContext(ctx, "the data folder takes more than retention.disk without pictures "+
			"that may be deleted", "bytes", done.Bytes)
	}
}
