package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

func TestManyWhoChangeAFileLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "list.json")
	none, err := files.Value[[]int](path)
	require.NoError(t, err)
	require.Nil(t, none)
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() {
			errs[i] = files.Change(path, func() ([]int, error) {
				list, err := files.Value[[]int](path)
				if err != nil || list == nil {
					return []int{i}, err
				}
				return append(*list, i), nil
			})
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	list, err := files.Value[[]int](path)
	require.NoError(t, err)
	require.Len(t, *list, len(errs))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAFileThatMayNotBeWrittenSaysWhatHelps(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "list.json.lock"), 0o700))
	for _, path := range []string{"/proc/list.json", filepath.Join(dir, "file", "list.json"),
		filepath.Join(dir, "list.json")} {
		err := files.Change(path, func() (int, error) { return 1, nil })
		require.Error(t, err, path)
		require.Contains(t, hint.Of(err), "this user may write to", path)
		require.NotContains(t, err.Error(), "another change", path)
	}
}

func TestAnEditThatFailsLeavesTheFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.json")
	require.NoError(t, os.WriteFile(path, []byte("[1]"), 0o600))
	no := errors.New("no")
	require.Equal(t, no, files.Change(path, func() ([]int, error) { return nil, no }))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "[1]", string(b))
}

func TestWhatIsNotTheValueIsNotTakenForNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.json")
	for _, text := range []string{"", "{}", `["a"]`, "[1"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := files.Value[[]int](path)
		require.ErrorIs(t, err, files.ErrContent, "%q", text)
		require.ErrorContains(t, err, path)
	}
	_, err := files.Value[[]int](t.TempDir())
	require.Error(t, err)
	require.NotErrorIs(t, err, files.ErrContent, "a folder cannot be read")
}
