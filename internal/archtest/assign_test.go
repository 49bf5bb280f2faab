package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// together are names that are one thing: three or more of one row may be set in one assignment.
// Names of at most two letters, such as coordinates and colours, may always.
var together = []string{
	"left top right bottom",
	"Stdin Stdout Stderr",
}

// Three assignments in one line are three things to be matched by counting commas.
func TestNothingButOneThingIsAssignedThreeAtATime(t *testing.T) {
	files, err := load(root)
	require.NoError(t, err)
	for _, f := range files {
		if f.test {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, f.name))
		require.NoError(t, err)
		for _, at := range crowded(t, src) {
			t.Errorf("%s:%s: give each its own assignment", f.name, at)
		}
	}
}

func TestCrowdedAssignmentsAreSeen(t *testing.T) {
	src := "package p\nfunc f() {\n" +
		"a, b, c := 1, 2, 3\n" +
		"left, top, right := 1, 2, 3\n" +
		"c.Stdin, c.Stdout, c.Stderr = in, out, err\n" +
		"one, two, three := g()\n" +
		"name, kind, on := 1, 2, 3\n" + // 7
		"p.x, p.left, p.top = 1, 2, 3\n" + // 8
		"list[0], b, c = 1, 2, 3\n" + // 9
		"var text, number, password = 1, 2, 3\n" + // 10
		"}\n"
	require.Equal(t, []string{"7", "8", "9", "10"}, crowded(t, []byte(src)))
}

// crowded are the lines of a file in which three or more things are assigned to as many that are
// not one.
func crowded(t *testing.T, src []byte) (lines []string) {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	require.NoError(t, err)
	check := func(at token.Pos, to []ast.Expr, values int) {
		if len(to) >= 3 && values >= 3 && !oneThing(to) {
			lines = append(lines, fmt.Sprint(fset.Position(at).Line))
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			check(n.Pos(), n.Lhs, len(n.Rhs))
		case *ast.ValueSpec:
			var to []ast.Expr
			for _, name := range n.Names {
				to = append(to, name)
			}
			check(n.Pos(), to, len(n.Values))
		}
		return true
	})
	return lines
}

func oneThing(targets []ast.Expr) bool {
	var names []string
	for _, e := range targets {
		switch e := e.(type) {
		case *ast.Ident:
			names = append(names, e.Name)
		case *ast.SelectorExpr:
			names = append(names, e.Sel.Name)
		default:
			return false
		}
	}
	all := func(fits func(string) bool) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !fits(name) })
	}
	return all(func(name string) bool { return len(name) <= 2 }) ||
		slices.ContainsFunc(together, func(row string) bool {
			return all(func(name string) bool { return slices.Contains(strings.Fields(row), name) })
		})
}
