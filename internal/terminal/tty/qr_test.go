package tty

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"rsc.io/qr"

	"github.com/taploop/taploop/internal/text"
)

// TestACodeIsDrawnAsItIs reads the drawn code back, also behind a writer that cleans what it is
// given: in colour ink is black, and without it the letters of the terminal are the light.
func TestACodeIsDrawnAsItIs(t *testing.T) {
	const words = "http://127.0.0.1:8702/ui#login=1C0TP82tGJkUR6d2IdtgqAzC"
	code, err := qr.Encode(words, qr.M)
	require.NoError(t, err)
	for _, colour := range []bool{true, false} {
		var shown bytes.Buffer
		require.NoError(t, Painter{colour}.QR(text.NewWriter(&shown), words))
		require.Equal(t, colour, strings.Contains(shown.String(), "\x1b[30;107m"))
		rows := strings.Split(strings.TrimRight(ansi.Strip(shown.String()), "\n"), "\n")
		require.Len(t, rows, (code.Size+2*2+1)/2)
		for i, row := range rows {
			cells := []rune(row)
			require.Len(t, cells, code.Size+2*2)
			for j, cell := range cells {
				x, y := j-2, 2*i-2
				require.Equal(t, code.Black(x, y), strings.ContainsRune("▀█", cell) == colour)
				require.Equal(t, code.Black(x, y+1), strings.ContainsRune("▄█", cell) == colour)
			}
		}
	}
}
