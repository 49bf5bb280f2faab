package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packages that scripts/test runs without the race detector, and those that the Makefile
// compiles without it for all, are those in which nothing runs side by side, in the code or in the
// tests.
func TestWhatIsTestedWithoutTheRaceDetectorHasNoGoroutines(t *testing.T) {
	files, err := load(root)
	require.NoError(t, err)
	patterns := listed(t, "scripts/test", `(?m)^alone='([^']*)'$`)
	patterns = append(patterns,
		listed(t, "Makefile", `(?m)^CODECS = ([^\\\n]*(?:\\\n[^\\\n]*)*)$`)...)
	for _, pattern := range patterns {
		if !strings.HasPrefix(pattern, "./") {
			continue // not ours
		}
		seen := 0
		for _, f := range files {
			if !within(f.pkg, strings.TrimPrefix(pattern, "./")) {
				continue
			}
			seen++
			src, err := os.ReadFile(filepath.Join(root, f.name))
			require.NoError(t, err)
			require.Empty(t, sideBySide(t, src), f.name)
		}
		require.NotZero(t, seen, pattern)
	}
}

// The Makefile leaves the check of unsafe pointers out. Where nothing but a test calls the system
// with one there is nothing to check.
func TestOnlyTestsHaveUnsafePointers(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	require.Contains(t, string(rules), "-d=checkptr=0", "then this test is needless")
	files, err := load(root)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		if !f.test && f.pkg != "internal/adbtest" {
			require.NotContains(t, f.imports, "unsafe", f.name)
		}
	}
}

// listed are the words in what an expression finds in a file.
func listed(t *testing.T, file, expression string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	found := regexp.MustCompile(expression).FindSubmatch(text)
	require.NotNil(t, found)
	return strings.Fields(string(found[1]))
}

func TestWhatRunsSideBySideIsSeen(t *testing.T) {
	for _, code := range []string{"go f()", "wg.Go(f)", "t.Parallel()", "b.RunParallel(f)",
		"synctest.Test(t, f)", "httptest.NewServer(h)", "time.AfterFunc(1, f)", "exec.Command(x)"} {
		require.Len(t, sideBySide(t, []byte("package p\nfunc _() { "+code+" }")), 1, code)
	}
	require.Empty(t, sideBySide(t, []byte("package p\nfunc _() { g.Run(f) }")))
}

// sideBySide are the statements and calls of a file that start something which runs at the same
// time.
func sideBySide(t *testing.T, src []byte) (found []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "go")
		case *ast.SelectorExpr:
			from, _ := n.X.(*ast.Ident)
			switch {
			case n.Sel.Name == "Go" || strings.HasSuffix(n.Sel.Name, "Parallel"),
				n.Sel.Name == "AfterFunc",
				from != nil && (from.Name == "synctest" || from.Name == "httptest" ||
					from.Name == "exec"):
				found = append(found, n.Sel.Name)
			}
		}
		return true
	})
	return found
}
