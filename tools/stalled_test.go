package tools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools/result"
)

func TestWhoWaitsIsToldThatTheDataFolderDoesNotAnswer(t *testing.T) {
	st := runs.Status{Run: store.Run{State: store.Running}, Reason: agentloop.StillRunning,
		Stalled: true}
	const said = "data folder"
	require.Contains(t, Next(st).Why, said)
	require.Contains(t, new(progressWatch).status(st), said)
	r, err := result.New(st)
	require.NoError(t, err)
	require.Contains(t, r.Notes[0], "the data folder does not answer")

	st.Stalled = false
	require.Equal(t, "the run goes on", Next(st).Why)
	require.NotContains(t, new(progressWatch).status(st), said)
	r, err = result.New(st)
	require.NoError(t, err)
	require.Empty(t, r.Notes)
}
