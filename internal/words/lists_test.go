package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/words"
)

func TestAListHasAnAlternativeALine(t *testing.T) {
	require.Equal(t, map[string]string{"one": "a|[bc]", "two": "x{1,2} (?:a|[bc])!|#"},
		words.Lists("# of one\n-- one --\na\n[bc]\n\n-- two --\nx{1,2} (?:{one})!\n#\n"))
}
