package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

func TestARunEndsOnlyWhenAllThatWasSaidIsHeard(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	say := func(text string) error {
		m := agentloop.Message{Mode: agentloop.AsNote, Text: text}
		_, err := s.Runs.Say(t.Context(), r.ID, m, "", store.AuditEntry{By: "ann"})
		return err
	}
	require.NoError(t, say("wait"))
	end := step(t, 1, actions.Complete{Report: "done"})
	require.ErrorIs(t, j.Done(t.Context(), end, agentloop.Progress{}), agentloop.ErrUnheard)
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Empty(t, steps, "nothing is written")

	other := open(t, dir, nil) // as another process
	list, err := other.Journal(r).(agentloop.Mailbox).Messages(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "wait", list[0].Text)
	heard := agentloop.Progress{Heard: list[0].Number}
	require.NoError(t, j.Done(t.Context(), end, heard))
	var state *store.StateError
	require.ErrorAs(t, say("stop"), &state, "nobody hears it any more")

	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused}) // a crash
	require.NoError(t, err)
	require.NoError(t, say("and this"))
	r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	require.NoError(t, say("and that"), "the last step was another life's")
	list, err = s.Journal(r).(agentloop.Mailbox).Messages(t.Context(), heard.Heard)
	require.NoError(t, err)
	require.Len(t, list, 2)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
	require.NoError(t, err)
	require.ErrorAs(t, say("stop"), &state)
	require.NoError(t, s.Delete(t.Context(), r.SessionID, store.AuditEntry{}))
	list, err = s.Journal(r).(agentloop.Mailbox).Messages(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, list, "they go with their session")
}
