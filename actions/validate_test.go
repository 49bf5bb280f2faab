package actions_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

var middle = screen.Point{X: 0.5, Y: 0.5}

// What a golden file cannot hold or would be too long for.
func TestNumbersEncodingsAndLengthsAreChecked(t *testing.T) {
	for want, a := range map[string]actions.Action{
		"CLICK: the point (NaN,0.000) is off the screen": actions.Click{
			At: screen.Point{X: math.NaN()},
		},
		"TYPE: the text holds the control character U+0085": actions.Type{Text: "a\u0085"},
		"TYPE: the text is not UTF-8":                       actions.Type{Text: "\xff"},
		"TYPE: the text has 4001 characters (want at most 4000)": actions.Type{
			Text: strings.Repeat("字", 4001),
		},
		"AWAKE: the app's name has 201 characters (want at most 200)": actions.OpenApp{
			App: strings.Repeat("a", 201),
		},
		"ABORT: the reason has 20001 characters (want at most 20000)": actions.Abort{
			Reason: strings.Repeat("a", 20001),
		},
	} {
		require.ErrorContains(t, a.Validate(), want)
	}
	require.NoError(t, actions.Type{Text: strings.Repeat("字", actions.MaxText)}.Validate())
}
