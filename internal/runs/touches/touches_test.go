package touches_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
)

// audit keeps entries in memory.
type audit struct {
	entries []store.AuditEntry
	fails   error
}

func (a *audit) Append(_ context.Context, e store.AuditEntry) error {
	if a.fails == nil {
		a.entries = append(a.entries, e)
	}
	return a.fails
}

// noted are the texts of the entries.
func (a *audit) noted() (list []string) {
	for _, e := range a.entries {
		list = append(list, e.RunID+" "+e.By+": "+e.Text)
	}
	return list
}

func TestTouchesAreCountedByRunAndByPerson(t *testing.T) {
	var a audit
	c := touches.New(&a, slog.New(slog.DiscardHandler))
	anna := touches.By{RunID: "r1", SessionID: "s1", Channel: "page", Authority: "person",
		Name: "Anna"}
	c.Add(t.Context(), anna, "tap")
	c.Add(t.Context(), anna, "swipe")
	c.Add(t.Context(), anna, "tap")
	c.Add(t.Context(), touches.By{RunID: "r2", Name: "Ben"}, "text")
	require.Empty(t, a.noted(), "nothing is written at each touch")

	c.Note(t.Context(), "r1")
	require.Equal(t, []store.AuditEntry{{Event: store.AuditByHand, RunID: "r1", SessionID: "s1",
		Channel: "page", Authority: "person", By: "Anna", Text: "swipe 1, tap 2"}}, a.entries)
	c.Note(t.Context(), "r1")
	require.Len(t, a.entries, 1, "what was noted is not noted again")
	c.Note(t.Context(), "")
	require.Equal(t, "r2 Ben: text 1", a.noted()[1])
}

func TestCountsAreWrittenOnceTheyAreAMinuteOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a audit
		c := touches.New(&a, slog.New(slog.DiscardHandler))
		by := touches.By{RunID: "r1", Name: "Anna"}
		c.Add(t.Context(), by, "tap")
		time.Sleep(59 * time.Second)
		c.Add(t.Context(), by, "tap")
		require.Empty(t, a.noted())
		time.Sleep(time.Second)
		c.Add(t.Context(), by, "tap")
		require.Equal(t, []string{"r1 Anna: tap 3"}, a.noted())
		c.Add(t.Context(), by, "tap")
		require.Len(t, a.noted(), 1, "another minute begins with this touch")
	})
}

func TestCountsThatCannotBeWrittenAreReported(t *testing.T) {
	var log bytes.Buffer
	c := touches.New(&audit{fails: errors.New("disk full")},
		slog.New(slog.NewTextHandler(&log, nil)))
	c.Add(t.Context(), touches.By{RunID: "r1"}, "tap")
	c.Note(t.Context(), "")
	require.Contains(t, log.String(), "run=r1")
	require.Contains(t, log.String(), "disk full")
}
