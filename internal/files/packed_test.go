package files_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
)

func TestWhatIsPackedIsUnpackedAndStaysWhileItIsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gz")
	text := []byte(strings.Repeat("what is compiled in\n", 100))

	require.NoError(t, files.Pack(path, text))
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, files.Unpack(packed))
	require.Less(t, len(packed), len(text)/10)

	longer := slices.Clone(packed)
	longer[8] ^= 2 // says how well it was compressed, and nothing else
	require.NoError(t, os.WriteFile(path, longer, 0o600))
	require.NoError(t, files.Pack(path, text))
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, longer, kept)

	require.NoError(t, files.Pack(path, []byte("another")))
	changed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "another", string(files.Unpack(changed)))
	require.Panics(t, func() { files.Unpack([]byte("no archive")) })
}
