package guard

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Without hints the words of a class, and how people are told to slide, would never be found.
func TestEachClassHasHintsOfItsWords(t *testing.T) {
	all := map[string][]string{"slides": slideHints()}
	for name, s := range foreignMatchers() {
		all["foreign "+name] = s.hints
	}
	for _, c := range matchers() {
		all[c.name] = c.hints
	}
	for name, hints := range all {
		require.NotEmpty(t, hints, name)
		require.NotContains(t, hints, "", name)
	}
}
