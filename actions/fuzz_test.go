package actions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/golden"
)

// The law: what can be read is written so that it is read again as the same action, and checking
// and wording it are safe.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range golden.Load(f, golden.Shared(f, "actions")) {
		for line := range strings.Lines(c.Section(f, "cases")) {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := actions.Unmarshal(b)
		if err != nil {
			require.Nil(t, a)
			return
		}
		again, err := actions.Marshal(a)
		require.NoError(t, err)
		back, err := actions.Unmarshal(again)
		require.NoError(t, err)
		third, err := actions.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(again), string(third))
		require.NotEmpty(t, actions.Describe(a))
		if err := a.Validate(); err != nil {
			require.Less(t, len(err.Error()), 1000)
		}
	})
}
