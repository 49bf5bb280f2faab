package guard

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsOfOtherLanguagesCompile(t *testing.T) {
	require.NotEmpty(t, foreignMatchers())
	for class, f := range foreignMatchers() {
		for _, l := range []*late{f.line, f.ends, f.not, f.task, f.last} {
			if l == nil {
				continue
			}
			require.NotPanics(t, func() { l.re() }, class)
			require.NotEmpty(t, l.re().String(), class)
		}
		require.NotEmpty(t, f.line.hints, class) // else all texts would be looked through
	}
}
