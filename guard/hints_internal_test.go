package guard

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Without hints a class's words in other languages would never be found.
func TestEachClassHasHintsOfItsWords(t *testing.T) {
	for name, s := range foreignMatchers() {
		require.NotEmpty(t, s.hints, name)
		require.NotContains(t, s.hints, "", name)
	}
}
