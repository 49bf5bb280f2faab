package calibrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/lab/calibrate"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
)

// screens are four empty ones, with targets of 40 by 26 pixels all over each.
func screens(t *testing.T) []calibrate.Screen {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var all []calibrate.Screen
	for i, size := range []image.Point{{360, 800}, {800, 360}, {324, 700}, {700, 324}} {
		f, err := screen.NewFrame(image.NewRGBA(image.Rectangle{Max: size}))
		require.NoError(t, err)
		s := calibrate.Screen{Frame: f, Groups: []string{fmt.Sprint("size ", size)}}
		for j := range 6 {
			at := image.Pt(random.IntN(size.X-40), random.IntN(size.Y-26))
			task := fmt.Sprintf("tap target %d on screen %d", j, i)
			s.Targets = append(s.Targets, calibrate.Target{
				Task: map[string]string{"en": task, "zh": task}, Groups: []string{"all"},
				Box: image.Rectangle{Min: at, Max: at.Add(image.Pt(40, 26))}})
		}
		all = append(all, s)
	}
	return all
}

// scripted is a model that sees rightly, and writes places in a way of its own.
type scripted struct {
	screens []calibrate.Screen
	write   func(x, y float64, size screen.Size) string // of a place as fractions
	asked   int
}

func (m *scripted) Complete(_ context.Context, r model.Request) (model.Response, error) {
	m.asked++
	var prompt strings.Builder
	for _, msg := range r.Messages {
		for _, p := range msg.Parts {
			prompt.WriteString(p.Text)
		}
	}
	for _, s := range m.screens {
		for _, target := range s.Targets {
			if strings.Contains(prompt.String(), target.Task["en"]) {
				size, box := s.Frame.Size(), target.Box
				x := float64(box.Min.X+box.Max.X) / 2 / float64(size.W)
				y := float64(box.Min.Y+box.Max.Y) / 2 / float64(size.H)
				return model.Response{Text: m.write(x, y, size),
					Usage: model.Usage{PromptTokens: 100, CompletionTokens: 20}}, nil
			}
		}
	}
	return model.Response{}, errors.New("no target is asked for")
}

func tap(x, y float64) string {
	return fmt.Sprintf("<THINK>-</THINK>\nexplain:-\taction:CLICK\tpoint:%v,%v\tsummary:-", x, y)
}

func whole(f float64) float64 { return float64(int(f + 0.5)) }

// in writes numbers of a unit, whole ones but for fractions, or the pixels of a picture.
func in(c screen.Coordinates, fit screen.Fit) func(x, y float64, size screen.Size) string {
	return func(x, y float64, size screen.Size) string {
		a, b := c.Numbers(screen.Point{X: x, Y: y}, fit.Size(size))
		if c.Unit == 1 {
			return tap(a, b) // with all decimals, as programs print them
		}
		return tap(whole(a), whole(b))
	}
}

// shrunk writes pixels of the picture as a server shrinks what it is sent: to that long side,
// exactly.
func shrunk(long int, sent screen.Fit) func(x, y float64, size screen.Size) string {
	return func(x, y float64, size screen.Size) string {
		if size = sent.Size(size); max(size.W, size.H) > long {
			size = size.Scaled(long)
		}
		return tap(whole(x*float64(size.W)), whole(y*float64(size.H)))
	}
}

// A server that shrinks pictures to a long side has the model reckon in those. To send them no
// larger is what helps.
func TestTheSideThatAServerShrinksToIsFound(t *testing.T) {
	for _, long := range []int{341, 512, 600} {
		write := shrunk(long, screen.Fit{})
		r := calibrated(t, &scripted{screens: screens(t), write: write}, screen.Fit{})
		fit, err := screen.ParseFit(r.ImageSize)
		require.NoError(t, err)
		require.InDelta(t, long, fit.Long, 2, "%+v", r)
		require.True(t, r.Sure && r.Hits == 24 && r.Coordinates == "pixels", "%+v", r)

		r = calibrated(t, &scripted{screens: screens(t), write: shrunk(long, fit)}, fit)
		require.True(t, r.Sure && r.Hits == 24 && r.ImageSize == fit.String(), "%+v", r)
	}
}

// A way that explains two screens of four and no answer on the others is not the model's.
func TestAModelThatHitsOnSomeScreensOnlyIsNotSure(t *testing.T) {
	right := in(screen.Coordinates{Unit: 1000}, screen.Fit{})
	m := &scripted{screens: screens(t), write: func(x, y float64, size screen.Size) string {
		if size.W == 324 {
			return right(1-x, 1-y, size)
		}
		return right(x, y, size)
	}}
	r := calibrated(t, m, screen.Fit{})
	require.Greater(t, r.Share, 0.7)
	require.False(t, r.Sure, "%+v", r)
}

func calibrated(t *testing.T, m *scripted, sent screen.Fit) calibrate.Report {
	r, err := calibrate.Run(t.Context(), calibrate.Options{Model: m, Table: families.Known,
		Dialect: "gelab", Prompt: dialect.Options{Lang: "en", Fit: &sent}, Screens: m.screens})
	require.NoError(t, err)
	require.Equal(t, 24, r.Asked)
	require.Equal(t, 24, m.asked)
	return r
}

func TestEveryConventionIsFound(t *testing.T) {
	full, square := screen.Fit{}, screen.Fit{Exact: screen.Size{W: 400, H: 400}}
	for _, c := range []struct {
		unit           float64
		sent, reckoned screen.Fit
		want           string
	}{
		{1000, square, square, "1000"},
		{999, square, square, "1000"}, // a pixel apart
		{1, square, square, "1"},
		{0, square, square, "pixels"},
		{0, square, full, "pixels"},
		{1000, full, full, "1000"},
		{0, full, full, "pixels"},
		{0, full, screen.Fit{Multiple: 28}, "pixels"},
		{0, screen.Fit{Long: 500}, screen.Fit{Long: 500, Multiple: 28}, "pixels"},
		{0, full, screen.Fit{Multiple: 28, Max: 256 * 28 * 28}, "pixels"},
	} {
		for _, yFirst := range []bool{false, true} {
			want, noises := c.want, []float64{0}
			if yFirst {
				want, noises = want+" yx", []float64{0, 0.01} // shaken once is enough
			}
			t.Run(fmt.Sprint(want, " of ", c.reckoned, ", sent ", c.sent), func(t *testing.T) {
				how := screen.Coordinates{Unit: c.unit, YFirst: yFirst}
				for _, noise := range noises {
					random := rand.New(rand.NewPCG(3, 4))
					write := in(how, c.reckoned)
					m := &scripted{screens: screens(t),
						write: func(x, y float64, size screen.Size) string {
							shake := func() float64 { return noise * random.NormFloat64() }
							w := float64(size.W)
							return write(x+shake(), y+shake()*w/float64(size.H), size)
						}}
					r := calibrated(t, m, c.sent)
					require.Equal(t, want, r.Coordinates, "%+v", r)
					if noise == 0 {
						got, err := screen.ParseFit(r.ImageSize)
						require.NoError(t, err)
						for _, s := range m.screens {
							require.Equal(t, c.reckoned.Size(s.Frame.Size()),
								got.Size(s.Frame.Size()), "%+v", r)
						}
						require.Equal(t, 24, r.Hits)
						require.Less(t, r.Pixels, 3.0)
					}
					require.True(t, r.Sure)
					require.Greater(t, r.Share, 0.8)
					require.Equal(t, "gelab", r.Dialect)
					require.Equal(t, []float64{100, 20}, []float64{r.PromptTokens,
						r.CompletionTokens})
				}
			})
		}
	}
}

func TestRepliesInAnotherDialectAreTold(t *testing.T) {
	m := &scripted{screens: screens(t), write: func(x, y float64, _ screen.Size) string {
		return fmt.Sprintf("<think>-</think><answer>do(action=\"Tap\", element=[%v, %v])</answer>",
			whole(x*1000), whole(y*1000))
	}}
	r := calibrated(t, m, screen.Fit{})
	require.Equal(t, []string{"gelab", "autoglm", "1000"}, []string{r.Prompted, r.Dialect,
		r.Coordinates})
	require.Equal(t, map[string]int{"autoglm": 24}, r.Forms)
	require.Equal(t, 24, r.Hits)
}

func TestAModelThatDoesNotPointIsNotSure(t *testing.T) {
	for name, reply := range map[string]string{
		"prose":     "The button is\x1b[31m on the left side.",
		"a refusal": "I'm sorry, I can't help with that.",
		"nothing":   "",
		"an end":    "<THINK>-</THINK>\nexplain:-\taction:COMPLETE\treturn:done\tsummary:-",
		"a corner":  tap(0, 0),
		"nowhere":   tap(9e99, -5),
		"words":     "<THINK>-</THINK>\nexplain:-\taction:CLICK\tpoint:left,top\tsummary:-",
	} {
		t.Run(name, func(t *testing.T) {
			m := &scripted{screens: screens(t),
				write: func(float64, float64, screen.Size) string { return reply }}
			r := calibrated(t, m, screen.Fit{})
			require.False(t, r.Sure)
			require.Zero(t, r.Hits)
			require.NotContains(t, r.Example, "\x1b")
			if name != "a corner" {
				require.Equal(t, 24, r.Unreadable)
			}
			b, err := json.Marshal(r)
			require.NoError(t, err)
			require.NotContains(t, string(b), "NaN")
		})
	}
}

// failing is a model behind an endpoint that fails at times.
type failing struct {
	*scripted
	fails func(n int) bool
}

var errStalled = errors.New("no reply within 90s")

func (f *failing) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if f.fails(f.asked + 1) {
		f.asked++
		return model.Response{}, errStalled
	}
	return f.scripted.Complete(ctx, r)
}

func TestAnEndpointThatFailsOnceIsGoneOnWithAndTwiceInARowIsLeft(t *testing.T) {
	of := func(fails func(n int) bool) (r calibrate.Report, asked int, err error) {
		m := &scripted{screens: screens(t), write: in(screen.Coordinates{Unit: 1000}, screen.Fit{})}
		r, err = calibrate.Run(t.Context(), calibrate.Options{Model: &failing{m, fails},
			Table: families.Known, Dialect: dialect.Auto, Screens: m.screens})
		return r, m.asked, err
	}
	r, asked, err := of(func(n int) bool { return n%2 == 0 })
	require.NoError(t, err)
	require.Equal(t, []int{24, 24, 12, 12}, []int{asked, r.Asked, r.Unanswered, r.Hits})
	require.True(t, r.Sure)
	require.Equal(t, errStalled.Error(), r.LastError)
	r, asked, err = of(func(n int) bool { return n > 3 })
	require.ErrorIs(t, err, errStalled)
	require.Equal(t, []int{5, 5, 2, 3}, []int{asked, r.Asked, r.Unanswered, r.Hits})
	r, _, err = of(func(int) bool { return true })
	require.ErrorIs(t, err, errStalled)
	require.False(t, r.Sure)
	require.Equal(t, 2, r.Asked)
}

func TestACalibrationThatIsCalledOffSaysWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	m := &scripted{screens: screens(t), write: in(screen.Coordinates{Unit: 1000}, screen.Fit{})}
	why := errors.New("called off")
	r, err := calibrate.Run(ctx, calibrate.Options{Model: m, Table: families.Known,
		Dialect: "gelab", Screens: m.screens, Asking: func(done, all int) {
			require.Equal(t, 24, all)
			if done == 3 {
				cancel(why)
			}
		}})
	require.ErrorIs(t, err, why)
	require.Equal(t, 3, r.Hits)
	_, err = calibrate.Run(t.Context(), calibrate.Options{Table: families.Known,
		Dialect: "klingon"})
	require.ErrorContains(t, err, `unknown dialect "klingon"`)
}
