package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
)

// Each archive that is compiled in has the files of the folder as they are now.
func TestWhatIsPackedIsWhatTheFilesSay(t *testing.T) {
	const root, mark = "../../..", "//go:generate go run ../files/genpacked "
	archives := 0
	err := filepath.WalkDir(root+"/internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(code)) {
			args, ok := strings.CutPrefix(line, mark)
			if !ok {
				continue
			}
			archives++
			words := strings.Fields(args)
			want, err := archive(filepath.Dir(path), words[1:])
			require.NoError(t, err)
			packed, err := os.ReadFile(filepath.Join(filepath.Dir(path), words[0]))
			require.NoError(t, err)
			require.True(t, string(want) == string(files.Unpack(packed)),
				"%s is not as its files: make generate", filepath.Join(filepath.Dir(path), words[0]))
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 4, archives)
}
