package actions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
)

// The vocabulary is what the source says is an action, found by reading it: a new member cannot be forgotten.
func TestVocabularyHoldsEveryMember(t *testing.T) {
	var inSource []string
	for name, methods := range methodsOfSource(t) {
		if methods["action"] {
			inSource = append(inSource, name)
		}
	}
	var listed []string
	verbs := map[string]bool{}
	for _, a := range actions.Vocabulary() {
		listed = append(listed, reflect.TypeOf(a).Name())
		require.Regexp(t, `^[A-Z_]+$`, a.Verb())
		require.False(t, verbs[a.Verb()], "%s is there twice", a.Verb())
		verbs[a.Verb()] = true
	}
	require.NotEmpty(t, inSource)
	require.ElementsMatch(t, inSource, listed)
}

func TestEveryMemberIsAGestureOrForTheLoop(t *testing.T) {
	var forTheLoop []string
	for _, a := range actions.Vocabulary() {
		if _, ok := a.(actions.Gesture); !ok {
			forTheLoop = append(forTheLoop, a.Verb())
		}
	}
	require.Equal(t, []string{"INFO", "NOTE", "COMPLETE", "ABORT"}, forTheLoop)
}

func TestKeysAndDirectionsAreComplete(t *testing.T) {
	require.ElementsMatch(t, constantsOfSource(t, "Key"), texts(actions.Keys))
	require.ElementsMatch(t, constantsOfSource(t, "Direction"), texts(actions.Directions))
}

func texts[S ~string](all []S) []string {
	var out []string
	for _, s := range all {
		out = append(out, string(s))
	}
	return out
}

func eachDecl(t *testing.T, f func(ast.Decl)) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f(d)
		}
	}
}

func methodsOfSource(t *testing.T) map[string]map[string]bool {
	methods := map[string]map[string]bool{}
	eachDecl(t, func(d ast.Decl) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			return
		}
		if recv, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
			if methods[recv.Name] == nil {
				methods[recv.Name] = map[string]bool{}
			}
			methods[recv.Name][fn.Name.Name] = true
		}
	})
	return methods
}

func constantsOfSource(t *testing.T, typ string) []string {
	var out []string
	eachDecl(t, func(d ast.Decl) {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			return
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				out = append(out, strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
			}
		}
	})
	return out
}
