package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

// Each hunk begins where its header says, in both texts, also behind one with several changes.
func TestAHunkBeginsWhereItsHeaderSays(t *testing.T) {
	var before []string
	for n := range 80 {
		before = append(before, fmt.Sprintf("line %d", n))
	}
	after := slices.Clone(before)
	after[3], after[8], after[70] = "three", "eight", "seventy"
	after = slices.Insert(slices.Delete(after, 40, 42), 38, "more")
	join := func(list []string) string { return strings.Join(list, "\n") + "\n" }
	diff := text.Diff("old", "new", join(before), join(after))
	hunks := 0
	var old, now int
	for line := range strings.Lines(strings.SplitN(diff, "\n", 3)[2]) {
		said := strings.TrimSuffix(line[1:], "\n")
		switch line[0] {
		case '@':
			hunks++
			var a, b int
			_, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &old, &a, &now, &b)
			require.NoError(t, err, line)
		case ' ':
			require.Equal(t, before[old-1], said)
			require.Equal(t, after[now-1], said)
			old, now = old+1, now+1
		case '-':
			require.Equal(t, before[old-1], said)
			old++
		case '+':
			require.Equal(t, after[now-1], said)
			now++
		}
	}
	require.Equal(t, 3, hunks, diff)
	require.Contains(t, text.Diff("a", "b", "", "x\n"), "@@ -0,0 +1 @@")
	require.Empty(t, text.Diff("a", "b", "x\n", "x\n"))
}
