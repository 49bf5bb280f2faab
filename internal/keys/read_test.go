package keys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/keys"
)

// What is nested without end is refused before it takes the memory of the machine.
func TestWhatIsNestedWithoutEndIsRefused(t *testing.T) {
	for _, piece := range []string{"[", "{a: ", "{", "[[{", "- ", "? ", "a: - ", "- ! ", "- !!seq ",
		"- &a ", "- !a &b ", "? !a ", "!a - ", "{a: - ! "} {
		_, err := keys.Parse("suite.yaml", []byte(strings.Repeat(piece, 1<<20/len(piece))))
		require.EqualError(t, err, "suite.yaml:1:1: the file is too deep", piece)
	}
	for _, text := range []string{strings.Repeat("- [a, {b: c}]\n", 5000), strings.Repeat("[", 40) +
		strings.Repeat("]", 40), "a: |\n  " + strings.Repeat("[x] - ", 500) + "\n"} {
		_, err := keys.Parse("suite.yaml", []byte(text))
		require.NoError(t, err)
	}
}
