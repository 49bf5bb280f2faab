package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
)

// counted counts the lists that are made of all questions, and lets them wait.
type counted struct {
	web.Questions
	lists atomic.Int32
	gate  atomic.Pointer[chan struct{}] // nil: lists are not held up
}

func (c *counted) List(ctx ctx, f inquiry.Filter) ([]inquiry.Question, error) {
	c.lists.Add(1)
	if gate := c.gate.Load(); gate != nil {
		select {
		case <-*gate:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return c.Questions.List(ctx, f)
}

// countedBubble is a server whose lists are counted. A request is who its Authorization says;
// "boss" and "chief" see all.
func countedBubble(t *testing.T) (*web.Server, *inquiry.Broker, *counted) {
	c := new(counted)
	s, b := bubble(t, func(o *web.Options) {
		c.Questions, o.Questions = o.Questions, c
		o.Ping = time.Hour
		o.Authorize = func(r *http.Request) (string, error) {
			return r.Header.Get("Authorization"), nil
		}
		o.Rights = func(name string) usecase.Rights {
			return usecase.Rights{All: name == "boss" || name == "chief"}
		}
	})
	return s, b, c
}

func join(ctx ctx, s *web.Server, as string) *sink {
	to := newSink()
	r := httptest.NewRequestWithContext(ctx, "GET", "http://localhost/v1/events", nil)
	r.Header.Set("Authorization", as)
	go s.ServeHTTP(to, r)
	return to
}

func TestManyWhoJoinAtOnceShareOneSnapshotUntilSomethingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b, c := countedBubble(t)
		for _, client := range []string{"ann", "ben"} {
			_, err := b.Open(t.Context(), inquiry.Question{Client: client, Text: "for " + client})
			require.NoError(t, err)
		}
		synctest.Wait()
		snapshots := func(as string, n int) (texts []string) {
			all := make([]*sink, n)
			for i := range all {
				all[i] = join(t.Context(), s, as)
			}
			synctest.Wait()
			for _, to := range all {
				require.Equal(t, []string{"snapshot"}, to.names())
				texts = append(texts, to.text.String())
			}
			return texts
		}
		first := snapshots("boss", 20)
		require.EqualValues(t, 1, c.lists.Load())
		require.Equal(t, first[:1], snapshots("chief", 1), "operators see the same")
		require.EqualValues(t, 1, c.lists.Load())
		for _, text := range snapshots("ann", 5) {
			require.Contains(t, text, "for ann")
			require.NotContains(t, text, "for ben")
		}
		require.EqualValues(t, 2, c.lists.Load())

		_, err := b.Open(t.Context(), inquiry.Question{Client: "ann", Text: "another"})
		require.NoError(t, err)
		synctest.Wait()
		require.Contains(t, snapshots("boss", 1)[0], "another")
		require.EqualValues(t, 3, c.lists.Load())
		time.Sleep(time.Second)
		snapshots("boss", 1)
		require.EqualValues(t, 4, c.lists.Load(), "there are changes that no event tells of")
	})
}

func TestWhoeverWaitsForASnapshotMayGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, c := countedBubble(t)
		gate := make(chan struct{})
		c.gate.Store(&gate)
		maker, leave := context.WithCancel(t.Context())
		first := join(maker, s, "boss")
		synctest.Wait()
		second, leaveToo := context.WithCancel(t.Context())
		gone := join(second, s, "boss")
		third := join(t.Context(), s, "boss")
		synctest.Wait()
		leaveToo()
		synctest.Wait()
		leave() // the one who was making it: the next one does
		synctest.Wait()
		require.EqualValues(t, 2, c.lists.Load())
		close(gate)
		synctest.Wait()
		require.Empty(t, first.names())
		require.Empty(t, gone.names())
		require.Equal(t, []string{"snapshot"}, third.names())
	})
}
