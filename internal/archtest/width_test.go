package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// widest is how many columns a line of Go may have, with a tab as four.
const widest = 100

func TestNoLineIsWiderThanAHundredColumns(t *testing.T) {
	files, err := load(root)
	require.NoError(t, err)
	for _, f := range files {
		src, err := os.ReadFile(filepath.Join(root, f.name))
		require.NoError(t, err)
		for _, n := range tooWide(t, src) {
			t.Errorf("%s:%d is wider than %d columns", f.name, n, widest)
		}
	}
}

func TestTooWideSparesOnlyWhatCannotBeBroken(t *testing.T) {
	long := strings.Repeat("x", widest)
	src := "package p\n" +
		"// " + long + "\n" + // 2
		"var a = \"" + long + "\"\n" + // 3
		"var b, c = f(1,2,3), f(" + strings.Repeat("1,", widest) + ")\n" + // 4
		"var d = `\n" + long + long + "\n`\n" +
		"type t struct {\n\tF int `help:\"" + long + "\"`\n}\n" +
		"var e = \"" + strings.Repeat("字", widest/2) + "\"\n" +
		"// https://" + long + "\n" +
		"var g = `" + long + "`\n" // 13
	require.Equal(t, []int{2, 3, 4, 13}, tooWide(t, []byte(src)))
}

// tooWide are the numbers of the lines that are wider than they may be. What cannot be broken is
// spared: addresses, the tags of fields, and what stands in a string of several lines.
func tooWide(t *testing.T, src []byte) (numbers []int) {
	t.Helper()
	spared := unbreakable(t, src)
	for i, line := range strings.Split(string(src), "\n") {
		columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		address := strings.HasPrefix(strings.TrimSpace(line), "// https://")
		if columns > widest && !spared[i+1] && !address {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// unbreakable are the lines of tags, and of strings that have several lines.
func unbreakable(t *testing.T, src []byte) map[int]bool {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	require.NoError(t, err)
	lines := map[int]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				lines[fset.Position(n.Tag.Pos()).Line] = true
			}
		case *ast.BasicLit:
			first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
			for line := first; line <= last && first < last; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}
