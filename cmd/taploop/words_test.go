package main

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/words"
)

// The program reads every text that there is, in every language, and uses it.
func TestEveryTextIsThereAndIsUsed(t *testing.T) {
	domains := words.Domains()
	files, err := filepath.Glob("../../internal/words/*/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.Contains(t, domains, strings.TrimSuffix(filepath.Base(f), ".yaml"),
			"nothing reads it")
	}
	all := sources(t)
	for name, d := range domains {
		for _, lang := range words.Languages() {
			require.NotPanics(t, func() { d.Read(lang) })
		}
		if d.Type.Kind() == reflect.Struct {
			requireUsed(t, codeWith(all, d.Type.PkgPath()), name, d.Type)
		}
	}
}

// codeWith is the code of a package and of those that import it, with their templates.
func codeWith(all map[string]string, pkg string) string {
	own := "../.." + strings.TrimPrefix(pkg, "github.com/taploop/taploop")
	if pkg == "main" {
		own = "../../cmd/taploop"
	}
	folders := map[string]bool{own: true}
	for file, text := range all {
		if strings.Contains(text, `"`+pkg+`"`) {
			folders[path.Dir(file)] = true
		}
	}
	var code strings.Builder
	for file, text := range all {
		if folders[path.Dir(file)] {
			code.WriteString(text)
		}
	}
	return code.String()
}

// requireUsed finds a selector of each field in the code.
func requireUsed(t *testing.T, code, name string, texts reflect.Type) {
	t.Helper()
	for _, f := range reflect.VisibleFields(texts) {
		require.True(t, regexp.MustCompile(`\.`+f.Name+`\b`).MatchString(code),
			"%s: nothing uses %s", name, f.Name)
		if f.Type.Kind() == reflect.Struct {
			requireUsed(t, code, name, f.Type)
		}
	}
}

func TestCodesThatHaveTextsAreInTheProgram(t *testing.T) {
	source := allSource(t)
	for _, lang := range words.Languages() {
		w := story.In(lang)
		require.Equal(t, lang == words.Default, len(w.InFront) == 0, "errors are in English")
		for code := range w.InFront {
			require.Contains(t, source, `"`+code+`"`)
		}
		for reason := range w.Reasons {
			require.Contains(t, source, `"`+string(reason)+`"`)
		}
		require.ElementsMatch(t, []actions.Outcome{actions.Answered, actions.Refused,
			actions.Silence, actions.DefaultAnswer, actions.ModelAnswer, actions.NoReply,
			actions.LimitReached, actions.HandedBack, actions.CouldNot, actions.Instructed,
			actions.Noted, actions.Delegated, actions.Remembered},
			slices.Collect(maps.Keys(w.Outcomes)), lang)
	}
	require.Equal(t, story.In("en"), story.In("fr"))
}
