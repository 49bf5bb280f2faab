package runs_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
)

func TestTheNextRunOnAPhoneKnowsItsPace(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.Limits.Settle = time.Second })
		seen := func() (p agentloop.Pace) {
			w.wait(w.start("tap tap tap").Session.ID)
			kept, err := w.store.Kept.Read("pace of A")
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(kept, &p))
			return p
		}

		first := seen()
		second := seen()

		require.Positive(t, first.Right)
		require.Greater(t, second.Right, first.Right)
	})
}
