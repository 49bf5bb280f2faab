package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// A power cut takes away the end of what was not synced. What an Intent has synced is the log as
// it was then, and everything before it.
func TestAPowerCutLeavesAtMostTheLastStepWithoutItsOutcome(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	log := filepath.Join(dir, "taploop.db-wal")
	synced := 0
	const last = 3
	for i := 1; i <= last; i++ {
		require.NoError(t, j.Intent(t.Context(), step(t, i, actions.Type{Text: fmt.Sprint(i)})))
		info, err := os.Stat(log)
		require.NoError(t, err)
		synced = int(info.Size())
		require.NoError(t, j.Done(t.Context(), step(t, i, actions.Type{Text: fmt.Sprint(i)}),
			agentloop.Progress{Task: "set an alarm", Steps: i}))
	}
	whole, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Greater(t, len(whole), synced)
	database, err := os.ReadFile(filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)

	states := map[store.StepState]int{}
	for cut := synced; ; cut = min(cut+1000, len(whole)) {
		after := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(after, "taploop.db"), database, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(after, "taploop.db-wal"), whole[:cut],
			0o600))
		states[recoveredAfterCut(t, after, r, last)]++
		if cut == len(whole) {
			break
		}
	}
	require.Equal(t, 1, states[store.Done], "with all of the log")
	require.NotZero(t, states[store.Unknown])
}

// recoveredAfterCut recovers the folder, and is how its last step came out.
func recoveredAfterCut(t *testing.T, dir string, r store.Run, last int) store.StepState {
	t.Helper()
	s := open2(t, dir)
	defer s.Close()
	left, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, store.Paused, left[0].State)
	require.Equal(t, last, left[0].Progress.Steps, "a step that was begun counts")
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, last)
	for _, st := range steps[:last-1] {
		require.Equal(t, store.Done, st.State, "synced with the next intent")
	}
	state := steps[last-1].State
	notes := left[0].Progress.Notes
	if state == store.Unknown {
		require.Equal(t, agentloop.NoteOutcomeUnknown, notes[len(notes)-1].Kind)
	}
	return state
}

func TestAPictureThatWasNotWholeOnTheDiskIsNeverShown(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	r := started(t, s)
	j := s.Journal(r)
	for i := 1; i <= 2; i++ {
		st := step(t, i, actions.Home{})
		st.Screen.Frame = picture(t, i)
		require.NoError(t, j.Intent(t.Context(), st))
		require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: i}))
	}
	path, err := s.FramePath(t.Context(), r.FrameID(1))
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	another, err := s.Frame(t.Context(), r.FrameID(2))
	require.NoError(t, err)
	for name, b := range map[string][]byte{"empty": {}, "cut short": whole[:len(whole)/2],
		"zeros at the end": append(bytes.Clone(whole[:len(whole)-512]), make([]byte, 512)...),
		"another picture":  another, "gone": nil} {
		require.NoError(t, os.Remove(path))
		if b != nil {
			require.NoError(t, os.WriteFile(path, b, 0o600))
		}
		_, err := s.Frame(t.Context(), r.FrameID(1))
		lost := store.ErrFrameLost
		if b == nil && errors.Is(err, store.ErrFrameAway) { // where other machines have files, too
			lost = store.ErrFrameAway
		}
		require.ErrorIs(t, err, lost, name)
		require.ErrorIs(t, err, store.ErrNotFound, "those who can do without a picture do")
		_, err = s.FramePath(t.Context(), r.FrameID(1))
		require.ErrorIs(t, err, lost, name)
		_, err = j.(agentloop.Album).Frame(t.Context(), 1)
		require.ErrorIs(t, err, lost, name)
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
	b, err := s.Frame(t.Context(), r.FrameID(1))
	require.NoError(t, err)
	require.Equal(t, whole, b)
}
