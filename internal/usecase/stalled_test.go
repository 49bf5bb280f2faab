package usecase

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestWhoWaitsIsToldThatTheDataFolderDoesNotAnswer(t *testing.T) {
	st := runs.Status{Run: store.Run{State: store.Running}, Reason: agentloop.StillRunning,
		Stalled: true}
	const said = "data folder"
	watch := &progressWatch{reporter: new(Reporter)}
	require.Contains(t, After(st).Why, said)
	require.Contains(t, watch.status(st), said)

	st.Stalled = false
	require.Equal(t, "the run goes on", After(st).Why)
	require.NotContains(t, watch.status(st), said)
}
