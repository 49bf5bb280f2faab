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
