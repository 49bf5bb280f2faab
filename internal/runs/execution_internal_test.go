package runs

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
)

func TestWhatFailsBecauseTheRunIsPausedEndsAsAPause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := errors.New("reading the run's secrets: interrupted")
	for _, reason := range []agentloop.StopReason{agentloop.ModelError,
		agentloop.DeviceDisconnected} {
		end := &agentloop.Ending{Reason: reason, Err: failed}
		require.Same(t, end, unlessStopped(ctx, end))
	}
	require.Equal(t, agentloop.InternalError, endedInternally(ctx, failed).Reason)
	cancel(agentloop.ErrPaused)
	require.Equal(t, agentloop.UserPaused, endedInternally(ctx, failed).Reason)
	require.Equal(t, agentloop.UserPaused, unlessStopped(ctx, agentloop.LostModel(failed)).Reason)
}
