package main

import (
	"bytes"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

func TestEveryLanguageSaysEverything(t *testing.T) {
	directives := regexp.MustCompile(`%-?\d*[a-z]`)
	pad := regexp.MustCompile(`-?\d+`)
	of := func(s string) (kinds []string) {
		for _, d := range directives.FindAllString(s, -1) {
			kinds = append(kinds, pad.ReplaceAllString(d, ""))
		}
		return kinds
	}
	english := wordsIn("en")
	source := allSource(t)
	want := reflect.ValueOf(english)
	for lang, read := range vocabularies {
		w := read()
		got := reflect.ValueOf(w)
		for i := range got.NumField() {
			name := want.Type().Field(i).Name
			switch got.Field(i).Kind() {
			case reflect.String:
				require.NotEmpty(t, got.Field(i).String(), "%s: %s", lang, name)
				require.Equal(t, of(want.Field(i).String()), of(got.Field(i).String()),
					"%s: %s is made of other things", lang, name)
			case reflect.Struct:
				for j := range got.Field(i).NumField() {
					require.NotEmpty(t, got.Field(i).Field(j).String(), "%s: %s", lang, name)
					require.Equal(t, of(want.Field(i).Field(j).String()),
						of(got.Field(i).Field(j).String()), "%s: %s %d", lang, name, j)
				}
			default:
				if name == "InFront" { // of errors, which are English themselves
					require.Equal(t, lang == "en", got.Field(i).Len() == 0, lang)
				} else {
					require.Equal(t, keys(want.Field(i)), keys(got.Field(i)), "%s: %s", lang, name)
				}
				for _, k := range got.Field(i).MapKeys() {
					require.NotEmpty(t, got.Field(i).MapIndex(k).String(), "%s: %s %s", lang,
						name, k)
					require.Contains(t, source, `"`+k.String()+`"`, "nothing has this code")
				}
			}
		}
		require.ElementsMatch(t, []actions.Outcome{actions.Answered, actions.Refused,
			actions.Silence, actions.DefaultAnswer, actions.ModelAnswer, actions.NoReply,
			actions.LimitReached, actions.HandedBack, actions.CouldNot, actions.Instructed,
			actions.Noted, actions.Delegated, actions.Remembered},
			slices.Collect(maps.Keys(w.Outcomes)), lang)
	}
	require.Equal(t, english, wordsIn("fr"))
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

func keys(m reflect.Value) (names []string) {
	for _, k := range m.MapKeys() {
		names = append(names, k.String())
	}
	slices.Sort(names)
	return names
}
