package guard

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without hints the words of a class, and how people are told to slide, would never be found.
func TestEachClassHasHintsOfItsWords(t *testing.T) {
	all := map[string][]string{"slides": slideHints()}
	for name, s := range foreignMatchers() {
		all["foreign "+name] = s.line.hints
	}
	for _, c := range matchers() {
		all[c.Name], all["words of "+c.Name] = c.asked.hints, c.anywhere.hints
		all["ids of "+c.Name] = c.id.hints
	}
	for name, hints := range all {
		require.NotEmpty(t, hints, name)
		require.NotContains(t, hints, "", name)
	}
}

func TestTheFilesOfWordsAreWhole(t *testing.T) {
	for name, words := range wordLists {
		require.NotEmpty(t, words, name)
	}
	for _, name := range []string{"yes", "confirms", "no", "everyday", "sum_foreign",
		"slide_foreign", "not_foreign", "money_apps", "permission_apps",
		"installer_apps", "store_apps", "keypads", "launchers"} {
		require.Contains(t, wordLists, name)
	}
	names := map[string]bool{}
	for _, c := range classes() {
		require.False(t, names[c.Name], "%s is there twice", c.Name)
		names[c.Name] = true
		require.NotEmpty(t, c.says("en"), c.Name)
		require.NotEmpty(t, c.says("zh"), c.Name)
		require.NotEqual(t, Routine, c.Severity, c.Name)
		for _, p := range []pattern{c.Words, c.Han, c.IDs, c.Asks} {
			require.NotEmpty(t, p, c.Name)
		}
		for _, p := range []pattern{c.Words, c.Han, c.Not, c.IDs, c.Asks, c.Task, c.TaskHan,
			c.ToolsHan, c.Foreign.Latin, c.Foreign.Other, c.Foreign.Not, c.Foreign.Task,
			c.Foreign.Last} {
			_, err := regexp.Compile(string(p))
			require.NoError(t, err, c.Name)
		}
	}
}

// A list that nobody has written matches nothing, and would take a rule away without a word.
func TestAPatternOfAListThatIsNotThereIsAMistake(t *testing.T) {
	for _, pattern := range []string{"^{contnues}$", "^(?:{yes}|{*nno})$"} {
		require.Panics(t, func() { listed(pattern) }, pattern)
	}
	require.NotPanics(t, func() { listed("^(?:{yes}|{*no})$") })
	require.Panics(t, func() { apps("launchrs") })
}
