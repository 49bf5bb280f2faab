package screen_test

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

func TestElementsSayThatTheyMove(t *testing.T) {
	for name, c := range map[string]struct {
		e    screen.Element
		want bool
	}{
		"a text":       {screen.Element{Class: "android.widget.TextView", Text: "Total $5.00"}, false},
		"a time":       {screen.Element{Class: "android.widget.TextView", Text: "Delivery 18:30"}, false},
		"a name":       {screen.Element{ResourceID: "a.clock:id/clock_name", Text: "Berlin"}, false},
		"an app":       {screen.Element{ResourceID: "a.clock:id/price", Text: "5"}, false},
		"a button":     {screen.Element{Class: "android.widget.Button", Text: "Pay"}, false},
		"a picture":    {screen.Element{Class: "android.widget.ImageView"}, false},
		"a view":       {screen.Element{Class: "android.view.View"}, false},
		"a field":      {screen.Element{Editable: true}, false},
		"a cursor":     {screen.Element{Editable: true, Focused: true}, true},
		"a clock":      {screen.Element{Class: "android.widget.TextClock", Text: "9:41"}, true},
		"a stopwatch":  {screen.Element{Class: "android.widget.Chronometer"}, true},
		"a countdown":  {screen.Element{ResourceID: "a:id/tv_countdown", Text: "04:59"}, true},
		"seconds":      {screen.Element{Text: "Ends in 2:04:59"}, true},
		"a video":      {screen.Element{Class: "android.widget.VideoView"}, true},
		"a player":     {screen.Element{Class: "androidx.media3.ui.PlayerView"}, true},
		"a surface":    {screen.Element{Class: "android.view.SurfaceView"}, true},
		"a texture":    {screen.Element{Class: "android.view.TextureView"}, true},
		"an animation": {screen.Element{Class: "com.airbnb.lottie.LottieAnimationView"}, true},
		"a spinner":    {screen.Element{Class: "android.widget.ProgressBar"}, true},
		"a banner":     {screen.Element{Class: "androidx.viewpager2.widget.ViewPager2"}, true},
	} {
		require.Equal(t, c.want, c.e.Moves(), name)
	}
}

func TestWhatMovesIsWhereSuchAnElementIsSeen(t *testing.T) {
	all := plain(t, 100, 200, color.White).Mosaic().Changed(plain(t, 100, 200, color.Black).Mosaic())
	part := func(x0, y0, x1, y1 float64) screen.Rect {
		return screen.Rect{Min: screen.Point{X: x0, Y: y0}, Max: screen.Point{X: x1, Y: y1}}
	}
	page := screen.Element{Bounds: part(0, 0, 1, 1), Depth: 1}
	video := screen.Element{Bounds: part(0, 0, 1, 0.4), Depth: 2, Class: "android.view.SurfaceView"}
	button := screen.Element{Bounds: part(0.25, 0, 0.75, 0.4), Depth: 2, Text: "Buy"}
	require.InDelta(t, 0.4, all.Moving([]screen.Element{page, video}, nil).Share(), 0.02)
	covered := all.Moving([]screen.Element{page, video, button}, nil)
	require.InDelta(t, 0.2, covered.Share(), 0.05, "a button over it does not")
	require.Zero(t, all.Moving([]screen.Element{page, button}, nil).Share())
	video.Bounds = part(0, 0, 1, 0.9)
	require.Zero(t, all.Moving([]screen.Element{page, video}, nil).Share(), "it is the page")

	banner := screen.Element{Bounds: part(0, 0, 1, 0.4), Depth: 2, Class: "a.BannerView"}
	button.Depth = 3
	require.InDelta(t, 0.4, all.Moving([]screen.Element{page, banner, button}, nil).Share(), 0.02,
		"and what lies in a banner moves with it")
	require.Zero(t, all.Moving([]screen.Element{page, banner}, (*screen.Element).Plays).Share())
}
