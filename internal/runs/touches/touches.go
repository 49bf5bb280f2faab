// Package touches counts the touches of people on phones that they have taken over, and records the
// counts in the audit. It keeps no other data about a touch.
package touches

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/store"
)

// noteAfter is the longest time before counts are recorded. Counts are lost if the process is
// killed before that.
const noteAfter = time.Minute

// By identifies whose touches are counted together.
type By struct {
	RunID, SessionID         string
	Channel, Authority, Name string // see store.AuditEntry
}

// audit records the counts. store.Audit implements it.
type audit interface {
	Append(ctx context.Context, e store.AuditEntry) error
}

// Counter counts touches. It is safe for concurrent use.
type Counter struct {
	audit audit
	log   *slog.Logger

	mu     sync.Mutex
	counts map[By]map[string]int
	since  map[string]time.Time // the first unrecorded touch of each run
}

// New returns a Counter that records in the audit.
func New(audit audit, log *slog.Logger) *Counter {
	return &Counter{audit: audit, log: log, counts: map[By]map[string]int{},
		since: map[string]time.Time{}}
}

// Add counts a touch of the kind. It records the run's counts from time to time.
func (c *Counter) Add(ctx context.Context, by By, kind string) {
	if c.count(by, kind) {
		c.Note(ctx, by.RunID)
	}
}

// count counts a touch. It reports whether the run's counts are due to be recorded.
func (c *Counter) count(by By, kind string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[by] == nil {
		c.counts[by] = map[string]int{}
	}
	c.counts[by][kind]++
	if c.since[by.RunID].IsZero() {
		c.since[by.RunID] = time.Now()
	}
	return time.Since(c.since[by.RunID]) >= noteAfter
}

// Note records the counts of a run in the audit. "" means all runs.
func (c *Counter) Note(ctx context.Context, runID string) {
	for _, e := range c.take(runID) {
		if err := c.audit.Append(ctx, e); err != nil {
			c.log.ErrorContext(ctx, "noting what was touched by hand", "run", e.RunID, "err", err)
		}
	}
}

func (c *Counter) take(runID string) (list []store.AuditEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for by, counts := range c.counts {
		if runID != "" && by.RunID != runID {
			continue
		}
		var words []string
		for _, kind := range slices.Sorted(maps.Keys(counts)) {
			words = append(words, fmt.Sprintf("%s %d", kind, counts[kind]))
		}
		list = append(list, store.AuditEntry{Event: store.AuditByHand, SessionID: by.SessionID,
			RunID: by.RunID, Channel: by.Channel, Authority: by.Authority, By: by.Name,
			Text: strings.Join(words, ", ")})
		delete(c.counts, by)
		delete(c.since, by.RunID)
	}
	return list
}
