package screen_test

import (
	"image"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

// captures are the two forms of one screen of a phone.
func captures(b *testing.B) map[string][]byte {
	png, err := os.ReadFile(golden.Shared(b, "screens/home.png"))
	require.NoError(b, err)
	f, err := decoded(png)
	require.NoError(b, err)
	img := image.NRGBA(*f.Image()) // opaque: the same pixels
	return map[string][]byte{"raw": rawOf(&img, 1), "png": png}
}

func BenchmarkDecode(b *testing.B) {
	for name, data := range captures(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1080 * 2400 * 4)
			b.ReportAllocs()
			for b.Loop() {
				_, err := decoded(data)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkCaptureToPrompt is our own share of a step: from what screencap sent to what the model
// gets.
func BenchmarkCaptureToPrompt(b *testing.B) {
	for name, data := range captures(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := decoded(data)
				require.NoError(b, err)
				_, err = f.Resized(screen.Size{W: 728, H: 728}).JPEG(85)
				require.NoError(b, err)
			}
		})
	}
}
