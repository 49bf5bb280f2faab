package store

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// The elements of a screen are stored twice a step, and what compresses them is large.
func TestPackingTheElementsAllocatesLittle(t *testing.T) {
	const times = 100
	list := []screen.Element{{Text: "Pay"}, {Text: "Cancel"}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		v, err := packed{&list}.Value()
		require.NoError(t, err)
		var read []screen.Element
		require.NoError(t, packed{&read}.Scan(v))
		require.Equal(t, list, read)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/times, uint64(900_000))
}

// The elements of a full screen take at most 8 kB of a step.
func TestTheElementsOfAFullScreenAreSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	words := strings.Fields("meeting Anna tomorrow invoice photo ticket garden call number list")
	var list []screen.Element
	for i := range 60 { // rows of three, on a display of 1080x2400
		top, bottom := float64(40*i)/2400, float64(40*i+36)/2400
		for j, class := range []string{"android.view.ViewGroup", "android.widget.TextView",
			"android.widget.ImageButton"} {
			e := screen.Element{Class: class, Depth: 8 + j, Enabled: true, Clickable: j != 1,
				ResourceID: "com.example.mail:id/row_part_" + strconv.Itoa(j),
				Bounds: screen.Rect{Min: screen.Point{X: float64(157*j) / 1080, Y: top},
					Max: screen.Point{X: float64(613+157*j) / 1080, Y: bottom}}}
			for range 6 * j {
				e.Text += words[r.IntN(len(words))] + " "
			}
			list = append(list, e)
		}
	}
	v, err := packed{&list}.Value()
	require.NoError(t, err)
	require.NotEmpty(t, v)
	require.LessOrEqual(t, len(v.([]byte)), 8<<10)
}
