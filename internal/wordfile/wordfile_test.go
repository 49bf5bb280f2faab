package wordfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/wordfile"
)

func TestAListHasAnAlternativeALine(t *testing.T) {
	require.Equal(t, map[string]string{"one": "a|[bc]", "two": "x{1,2} (?:a|[bc])!|#"},
		wordfile.Lists("# of one\n-- one --\na\n[bc]\n\n-- two --\nx{1,2} (?:{one})!\n#\n"))
}

func TestAFileThatDoesNotFitPanicsWhenItIsWanted(t *testing.T) {
	type words struct{ Yes, No string }
	in := wordfile.YAML[map[string]words]([]byte("en: {yes: ja, no: 'nein: '}\n"))
	require.Equal(t, map[string]words{"en": {"ja", "nein: "}}, in())
	bad := wordfile.YAML[words]([]byte("maybe: vielleicht\n"))
	require.Panics(t, func() { bad() })
}
