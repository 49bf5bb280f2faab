package tools_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// Calls begin in their order, and one that waits does not hold the next ones up.
func TestACallThatWaitsLetsTheNextOneBegin(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.sopts = &transport.Options{InOrder: true}
		w.pipe(eras[0], nil)
		w.policy.think = time.Hour
		var all sync.WaitGroup
		waits := func(tool string, arguments in) {
			all.Go(func() {
				began := time.Now()
				_, err := w.try(t.Context(), tool, arguments, nil)
				require.NoError(t, err)
				require.Equal(t, 20*time.Second, time.Since(began), tool)
			})
			synctest.Wait()
		}
		began := time.Now()
		waits(start, in{"task": "forever", "wait_seconds": 20})
		waits("send_inquiry", in{"prompt": "go on?", "wait_seconds": 20})
		list := w.call("list_sessions", nil)
		id := list.structured["sessions"].([]any)[0].(in)["session_id"].(string)
		waits(wait, in{"session_id": id, "wait_seconds": 20})
		w.call("list_pending_questions", nil)
		require.Zero(t, time.Since(began))
		all.Wait()
	})
}
