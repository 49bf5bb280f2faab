package stage

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A killed call leaves its folder, and its lock ends with it. The next call removes the folder, and
// none that belongs to a call that runs or to something else.
func TestWhatAKilledCallHasLeftIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	make := func(name string) string {
		dir := filepath.Join(os.TempDir(), name)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "attempt-1"), 0o700))
		return dir
	}
	killed, foreign, other := make("taploop-test-1"), make("taploop-test-2"), make("x-taploop-test-3")
	for _, dir := range []string{killed, other} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, lockName), nil, 0o600))
	}
	running, end, err := temporary()
	require.NoError(t, err)
	require.NoDirExists(t, killed)
	require.DirExists(t, foreign)
	require.DirExists(t, other)
	_, endNext, err := temporary()
	require.NoError(t, err)
	require.DirExists(t, running)
	require.NoError(t, end())
	require.NoDirExists(t, running)
	require.NoError(t, endNext())
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{foreign, other}, left)
	taken := flock.New(filepath.Join(foreign, lockName))
	require.NoError(t, taken.Lock())
	_, end, err = temporary()
	require.NoError(t, err)
	require.DirExists(t, foreign)
	require.NoError(t, end())
	require.NoError(t, taken.Close())
}

// Calls that begin at the same moment leave one another their folders: one that has no lock yet is
// not one that was left.
func TestCallsThatBeginTogetherHaveTheirFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 100 {
				dir, end, err := temporary()
				if assert.NoError(t, err) {
					assert.DirExists(t, dir)
					assert.NoError(t, end())
				}
			}
		})
	}
	calls.Wait()
}
