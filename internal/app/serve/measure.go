package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/store"
)

// measure sets what a server's gauges are now. What cannot be read is left out, and logged.
func (s *Service) measure(r *http.Request, g *gauges) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if load, err := s.Store.Load(ctx); err == nil {
		for state, n := range load.Runs {
			g.set(float64(n), "taploop_runs{state=%q}", strings.ToLower(string(state)))
		}
		g.set(float64(load.Questions), "taploop_questions_open")
		oldest := 0.0
		if !load.Oldest.IsZero() {
			oldest = max(time.Since(load.Oldest).Seconds(), 0)
		}
		g.set(oldest, "taploop_question_oldest_seconds")
	} else {
		s.log.WarnContext(ctx, "the store cannot be measured", "err", err)
	}
	for state, n := range s.presence.count(s.measureFarm(ctx, g)) {
		g.set(float64(n), "taploop_phones{state=%q}", state)
	}
	if bytes, err := s.size.now(s.Store.Bytes); err == nil {
		g.set(float64(bytes), "taploop_store_bytes")
	}
	if free, err := files.Free(s.dataDir); err == nil {
		g.set(float64(free), "taploop_disk_free_bytes")
	}
}

// measureFarm sets the gauges of a store that machines share, and returns what is closed in it.
func (s *Service) measureFarm(ctx context.Context, g *gauges) map[string]bool {
	closed, err := s.Store.Farm.Closed(ctx)
	waiting, unread := s.Store.Farm.Waiting(ctx, true)
	workers, failed := s.Store.Farm.Workers(ctx)
	if err := errors.Join(err, unread, failed); err != nil {
		s.log.WarnContext(ctx, "the farm cannot be measured", "err", err)
	} else if s.Store.Farm.Shared() {
		drained, gone := 0, 0
		for _, w := range workers {
			if w.Gone {
				gone++
			} else if closed[store.ClosedWorker+w.ID] {
				drained++
			}
		}
		g.set(float64(len(waiting)), "taploop_farm_waiting")
		g.set(float64(len(workers)-gone), "taploop_farm_workers")
		g.set(float64(gone), "taploop_farm_gone")
		g.set(float64(drained), "taploop_farm_drained")
	}
	return closed
}

// size remembers for a minute how large the store is, as each of its files is looked at.
type size struct {
	mu    sync.Mutex
	at    time.Time
	bytes int64
}

func (s *size) now(measure func() (int64, error)) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && time.Since(s.at) < time.Minute {
		return s.bytes, nil
	}
	bytes, err := measure()
	if err == nil {
		s.at, s.bytes = time.Now(), bytes
	}
	return bytes, err
}
