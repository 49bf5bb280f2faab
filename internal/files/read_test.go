package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
)

func TestAFileIsReadUpToItsBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	_, err := files.Read(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("a\nb"), 0o600))
	b, err := files.Read(path)
	require.NoError(t, err)
	require.Equal(t, "a\nb", string(b))
	require.NoError(t, os.Truncate(path, 16<<20))
	b, err = files.Read(path)
	require.NoError(t, err)
	require.Len(t, b, 16<<20)
	require.NoError(t, os.Truncate(path, 16<<20+1))
	_, err = files.Read(path)
	require.ErrorContains(t, err, "is longer than 16 MiB")
}

// What Replaceable says is what Replace does, and it leaves nothing behind.
func TestAFileThatCannotBeReplacedIsKnownBefore(t *testing.T) {
	dir := t.TempDir()
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	require.NoError(t, os.WriteFile(in("mine"), []byte("a mark of mine"), 0o600))
	require.NoError(t, os.WriteFile(in("empty"), nil, 0o600))
	require.NoError(t, os.Mkdir(in("folder"), 0o700))
	require.NoError(t, os.Symlink(in("nowhere", "at all"), in("link")))
	for path, ok := range map[string]bool{in("link"): false, in("mine"): true, in("empty"): true, in("new"): true,
		in("a", "b", "new"): true, in("folder"): false, in("mine", "new"): false,
		in("mine", "a", "new"): false, in("foreign"): false} {
		require.NoError(t, os.WriteFile(in("foreign"), []byte("other"), 0o600))
		before, err := filepath.Glob(in("*"))
		require.NoError(t, err)
		err = files.Replaceable(path, "mark")
		require.Equal(t, ok, err == nil, "%s: %v", path, err)
		after, globbed := filepath.Glob(in("*"))
		require.NoError(t, globbed)
		require.Equal(t, before, after)
		replaced := files.Replace(path, "mark", []byte("mark"))
		require.Equal(t, ok, replaced == nil, "%s: %v", path, replaced)
		require.NoError(t, os.RemoveAll(in("a")))
		require.NoError(t, os.RemoveAll(in("new")))
	}
}
