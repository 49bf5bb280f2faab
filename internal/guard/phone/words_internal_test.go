package phone

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoPhraseIsMissingInALanguage(t *testing.T) {
	en := slices.Sorted(maps.Keys(wordsOf("").Again))
	require.Equal(t, en, slices.Sorted(maps.Keys(wordsOf("zh-CN").Again)))
	for _, w := range languages() {
		require.NotContains(t, []string{w.Ask, w.ByHand, w.AnApp, w.Nothing}, "")
	}
	for _, why := range []string{"the approval", "expired", "the severity", "the action",
		"what is under the finger", "the app in front", "the screen"} {
		require.Contains(t, en, why)
	}
}
