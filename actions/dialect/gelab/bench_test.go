package gelab_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/gelab"
	"github.com/taploop/taploop/screen"
)

// What a step's prompt costs from a full-size frame: scaling, JPEG, words.
func BenchmarkPrompt(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	for i := range img.Pix {
		img.Pix[i] = byte(i / 7)
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 0xff
	}
	f, err := screen.NewFrame(img)
	require.NoError(b, err)
	d := gelab.New(dialect.Options{Quality: 85})
	for b.Loop() {
		_, err := d.Prompt(dialect.Situation{Task: "open the shop", Look: screen.Observation{Frame: f}})
		require.NoError(b, err)
	}
}

func BenchmarkParse(b *testing.B) {
	d := small("zh")
	r := actions.Reply{Text: "<THINK> The search field is at the top. </THINK>\nexplain:Tap\taction:CLICK\tpoint:512,334\tsummary:Tapped"}
	for b.Loop() {
		_, err := d.Parse(r)
		require.NoError(b, err)
	}
}
