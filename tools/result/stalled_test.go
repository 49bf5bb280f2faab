package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools/result"
)

func TestAResultSaysThatTheDataFolderDoesNotAnswer(t *testing.T) {
	st := runs.Status{Run: store.Run{State: store.Running}, Reason: agentloop.StillRunning,
		Stalled: true}
	r, err := result.New(st)
	require.NoError(t, err)
	require.Contains(t, r.Notes[0], "the data folder does not answer")
	st.Stalled = false
	r, err = result.New(st)
	require.NoError(t, err)
	require.Empty(t, r.Notes)
}
