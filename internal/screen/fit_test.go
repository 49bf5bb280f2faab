package screen_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/screen"
)

// Sizes that qwen-vl-utils gives for screens of phones, and where its rounding shows.
func TestAFitGivesTheSizeThatAModelWasTrainedWith(t *testing.T) {
	qwen := "multiple=28,min=3136,max=12845056"
	for _, c := range []struct {
		fit         string
		frame, want screen.Size
	}{
		{"full", screen.Size{W: 1081, H: 2401}, screen.Size{W: 1081, H: 2401}},
		{"728x700", screen.Size{W: 1081, H: 2401}, screen.Size{W: 728, H: 700}},
		{qwen, screen.Size{W: 1080, H: 2400}, screen.Size{W: 1092, H: 2408}},
		{qwen, screen.Size{W: 1440, H: 3120}, screen.Size{W: 1428, H: 3108}},
		{qwen, screen.Size{W: 14, H: 42}, screen.Size{W: 56, H: 112}},   // half to even, then min
		{qwen, screen.Size{W: 70, H: 98}, screen.Size{W: 56, H: 112}},   // 2.5 and 3.5
		{qwen, screen.Size{W: 1, H: 5000}, screen.Size{W: 28, H: 5012}}, // never below one
		{"multiple=28,max=1003520", screen.Size{W: 1080, H: 2400},
			screen.Size{W: 672, H: 1484}},
		{"multiple=32,min=4096,max=16777216", screen.Size{W: 1080, H: 2400},
			screen.Size{W: 1088, H: 2400}},
		{"long=1280", screen.Size{W: 1440, H: 3040}, screen.Size{W: 606, H: 1280}},
		{"long=1280", screen.Size{W: 3040, H: 1440}, screen.Size{W: 1280, H: 606}},
		{"long=1280", screen.Size{W: 720, H: 1200}, screen.Size{W: 720, H: 1200}},
	} {
		f, err := screen.ParseFit(c.fit)
		require.NoError(t, err, c.fit)
		require.Equal(t, c.fit, f.String())
		require.Equal(t, c.want, f.Size(c.frame), "%s of %v", c.fit, c.frame)
	}
}

func TestAFitThatCannotBeIsRefused(t *testing.T) {
	for _, s := range []string{"", "auto", "728", "728x", "x", "27x100", "100x8193", "-1x5",
		"1x2x3", "long=27", "long=-5", "long=8193", "long=1e3", "multiple=0", "multiple=28,",
		"multiple=28,multiple=28", "multiple=28,min=5,max=4", "multiple=28,max=700", "wide=3",
		"728x728,long=5", "long", "=", "multiple=28,max=99999999999999999999"} {
		_, err := screen.ParseFit(s)
		require.ErrorContains(t, err, "want full, WxH", "%q", s)
	}
}

func anySize(t *rapid.T, name string) screen.Size {
	return screen.Size{W: rapid.IntRange(1, 4000).Draw(t, name+" w"),
		H: rapid.IntRange(1, 4000).Draw(t, name+" h")}
}

func anyFit(t *rapid.T) screen.Fit {
	f := screen.Fit{}
	switch rapid.IntRange(0, 3).Draw(t, "fit") {
	case 1:
		f.Exact = anySize(t, "exact")
	case 2:
		f.Long = rapid.IntRange(28, 3000).Draw(t, "long")
	case 3:
		f.Multiple = rapid.SampledFrom([]int{1, 14, 28, 32}).Draw(t, "multiple")
		f.Min = rapid.SampledFrom([]int{0, 3136, 200704}).Draw(t, "min")
		f.Max = rapid.SampledFrom([]int{0, 1003520, 12845056}).Draw(t, "max")
	}
	return f
}

// The law: what is shown has a size, within the bounds that were set, whatever the frame's.
func TestAFitKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, frame := anyFit(t), anySize(t, "frame")
		got := f.Size(frame)
		require.True(t, got.Valid())
		require.Equal(t, got, f.Size(frame), "it is a pure function")
		if f.Long > 0 {
			require.LessOrEqual(t, max(got.W, got.H), max(f.Long, 1))
		}
		if f.Multiple > 0 {
			require.Zero(t, got.W%f.Multiple)
			require.Zero(t, got.H%f.Multiple)
			require.GreaterOrEqual(t, got.W*got.H, f.Min)
		}
		if f.Max > 0 && min(frame.W, frame.H) > 200 {
			require.LessOrEqual(t, got.W*got.H, f.Max)
		}
		again, err := screen.ParseFit(f.String())
		if err == nil {
			require.Equal(t, f, again)
		}
	})
}
