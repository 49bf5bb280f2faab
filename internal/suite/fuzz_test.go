package suite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/suite"
)

// Whatever a file holds, it is a suite, or an error that says where it is not.
func FuzzRead(f *testing.F) {
	ar, err := txtar.ParseFile("testdata/broken.txtar")
	require.NoError(f, err)
	for _, x := range ar.Files {
		f.Add(string(x.Data))
	}
	f.Add(whole)
	for _, s := range []string{"cases: &a [*a]", "a: &a {<<: *a}\ncases: [*a]",
		"cases: [{name: a, task: t, approvals: [{match: {app: x}, decide: edit, " +
			"edited_action: &b {name: *b, args: *b}}], expect: none}]",
		"- displayName: a\n  steps: &s [*s]", "[]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		file := filepath.Join(t.TempDir(), "s.yaml")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		items, err := suite.Read(t.Context(), []string{file}, suite.Options{Getenv: pins})
		if err == nil {
			require.NotEmpty(t, items)
			return
		}
		if wrong, ok := errors.AsType[keys.Problems](err); ok {
			for _, p := range wrong {
				require.Positive(t, p.Line)
				require.NotEmpty(t, p.Text)
			}
		}
	})
}
