package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
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
	for name, d := range domains {
		for _, lang := range words.Languages() {
			require.NotPanics(t, func() { d.Read(lang) })
		}
		folder := strings.TrimPrefix(d.Type.PkgPath(), "github.com/taploop/taploop")
		if folder == "main" {
			folder = "/cmd/taploop"
		}
		if d.Type.Kind() == reflect.Struct {
			requireUsed(t, "../.."+folder, name, d.Type)
		}
	}
}

// requireUsed finds a selector of each field in the code of the folder.
func requireUsed(t *testing.T, folder, name string, texts reflect.Type) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			code.Write(b)
		}
	}
	for _, f := range reflect.VisibleFields(texts) {
		require.Regexp(t, `\.`+f.Name+`\b`, code.String(), "%s: nothing uses it", name)
		if f.Type.Kind() == reflect.Struct {
			requireUsed(t, folder, name, f.Type)
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
