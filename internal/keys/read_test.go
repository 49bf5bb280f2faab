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

// What is wrong is told where it is, and not at the value before it.
func TestAKeyThatIsTooFarInIsToldInItsOwnLine(t *testing.T) {
	for text, want := range map[string]string{
		"name: B\n bad: [": "f:2:5", "a:\n  name: B\n   bad: c": "f:3:7", "name: B\nbad: [": "f:2:6",
		"name: a: b": "f:1:8", "a: 1\nb: 2\na: 3": "f:3:1"} {
		_, err := keys.Parse("f", []byte(text))
		require.ErrorContains(t, err, want+": ", text)
	}
}
