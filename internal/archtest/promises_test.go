package archtest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	promise = regexp.MustCompile(`(?m)^\d+\. `)
	named   = regexp.MustCompile("`((?:Test|Fuzz)\\w+)` \\(`([a-z/]+)`\\)")
)

// Each promise of the README names tests. They are there, on every system that the tests run on, and
// none of them is skipped.
func TestThePromisesOfTheReadmeAreTests(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "Its promises, in order of weight")
	require.True(t, found)
	list, _, _ := strings.Cut(rest, "They do not hold everywhere")
	starts := promise.FindAllStringIndex(list, -1)
	require.Len(t, starts, 5)
	for i, start := range starts {
		end := len(list)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		words := list[start[0]:end]
		tests := named.FindAllStringSubmatch(words, -1)
		require.NotEmpty(t, tests, "a promise without a test: %s", words)
		for _, test := range tests {
			require.Empty(t, problemOf(test[2], test[1]), "%s in %s", test[1], test[2])
		}
	}
}

// problemOf says why the test does not hold a promise, or "".
func problemOf(dir, name string) string {
	dir = filepath.Join(root, filepath.FromSlash(dir))
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err.Error()
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err.Error()
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Recv != nil || f.Name.Name != name {
				continue
			}
			if built, err := build.Default.MatchFile(dir, filepath.Base(path)); !built {
				return "it is not built here: " + path + errText(err)
			}
			if skips(f) {
				return "it may be skipped"
			}
			return ""
		}
	}
	return "there is no such test"
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// skips reports whether the test skips itself.
func skips(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, is := n.(*ast.SelectorExpr)
		found = found || is && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, call.Sel.Name)
		return true
	})
	return found
}

func TestATestThatIsNotThereOrIsSkippedHoldsNoPromise(t *testing.T) {
	require.Equal(t, "there is no such test", problemOf("agentloop", "TestThatIsNot"))
	require.Empty(t, problemOf("internal/archtest", "TestThePromisesOfTheReadmeAreTests"))
	for source, want := range map[string]bool{
		`t.Run("x", func(t *testing.T) { t.Skip("later") })`: true,
		`if x { t.SkipNow() }`:                               true,
		`require.NoError(t, skip())`:                         false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go",
			"package x\nfunc TestX(t *testing.T) {"+source+"}", 0)
		require.NoError(t, err)
		require.Equal(t, want, skips(file.Decls[0].(*ast.FuncDecl)), source)
	}
}
