package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
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
		w := wordsIn(lang)
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
	require.Equal(t, wordsIn("en"), wordsIn("fr"))
}

func TestAWaitThatWasCutShortIsNoRefusalOfThePhone(t *testing.T) {
	s := agentloop.Step{Refusal: agentloop.CutShort + "the person pressed Ctrl-C"}
	s.Proposal.Action = actions.Wait{For: time.Second}
	require.Contains(t, wordsIn("en").made(s), "; cut short")
	require.NotContains(t, wordsIn("en").made(s), "refused")
	require.Contains(t, wordsIn("zh").made(s), "；已中断")
	s.Refusal = "not carried out: Killed"
	require.Contains(t, wordsIn("en").made(s), "); not carried out: Killed")
}

// What came of a question ends without a colon when there was no answer.
func TestAQuestionWithoutAnAnswerEndsWithItsOutcome(t *testing.T) {
	for lang, want := range map[string]string{"en": "Which? not asked",
		"zh": "Which? 没有提问"} {
		var out bytes.Buffer
		s := steps{out: &out, words: wordsIn(lang)}
		s.exchange(actions.Exchange{Question: "Which?", Outcome: actions.NoReply})
		require.Equal(t, want, strings.TrimSpace(out.String()))
	}
}
