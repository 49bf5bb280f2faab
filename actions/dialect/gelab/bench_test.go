package gelab_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/gelab"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// What a step's prompt costs from a full-size frame: scaling, JPEG, words.
func BenchmarkPrompt(b *testing.B) {
	png, err := os.ReadFile(golden.Shared(b, "screens/home.png"))
	require.NoError(b, err)
	f, err := new(screen.Decoder).Decode(png, new(screen.Sum))
	require.NoError(b, err)
	d := gelab.New(dialect.Options{Lang: "zh", Quality: 85})
	for b.Loop() {
		_, err := d.Prompt(
			dialect.Situation{Task: "open the shop", Screen: screen.Observation{Frame: f}},
		)
		require.NoError(b, err)
	}
}

func BenchmarkParse(b *testing.B) {
	d := small("zh")
	r := actions.Reply{
		Text: "<THINK> The search field is at the top. " +
			"</THINK>\nexplain:Tap\taction:CLICK\tpoint:512,334\tsummary:Tapped",
	}
	for b.Loop() {
		_, err := d.Parse(r, dialect.Situation{})
		require.NoError(b, err)
	}
}
