package marks

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/screen"
)

func element(size screen.Size, x0, y0, x1, y1 int, text string) screen.Element {
	return screen.Element{Bounds: screen.RectOf(image.Rect(x0, y0, x1, y1), size), Text: text,
		Clickable: true, Enabled: true, Depth: 1}
}

func plain(t testing.TB, size screen.Size, c color.Color) *screen.Picture {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f.Resized(size)
}

func home(t testing.TB) *screen.Frame {
	t.Helper()
	b, err := os.ReadFile(golden.Shared(t, "screens/home.png"))
	require.NoError(t, err)
	f, err := new(screen.Decoder).Decode(b, new(screen.Sum))
	require.NoError(t, err)
	return f
}

// grounds is a picture of light, dark, grey, coloured and restless parts.
func grounds(t testing.TB, size screen.Size) *screen.Picture {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	for y := range size.H {
		for x := range size.W {
			c := color.RGBA{A: 255}
			switch y * 5 / size.H {
			case 0:
				c = color.RGBA{255, 255, 255, 255}
			case 2:
				c = color.RGBA{128, 128, 128, 255}
			case 3:
				c = color.RGBA{uint8(x * 255 / size.W), 40, uint8(255 - x*255/size.W), 255}
			case 4:
				v := uint8((x*7919 ^ y*104729) >> 3)
				c = color.RGBA{v, v * 3, v * 7, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f.Resized(size)
}

// Golden pictures, to be looked at; what differs from them is bounded, as fonts are smoothed in
// other ways on other machines.
func TestMarksLookAsTheyDid(t *testing.T) {
	size := screen.Size{W: 540, H: 1200}
	var icons, rows []screen.Element
	for i := range 5 {
		x, y := i%4*124, i/4*137
		icons = append(icons, element(size, 45+x, 260+y, 121+x, 372+y, "app"))
	}
	for i := range 4 {
		icons = append(icons, element(size, 53+i*119, 1026, 129+i*119, 1102, "app"))
	}
	small := screen.Size{W: 360, H: 640}
	for y := range 20 {
		rows = append(rows, element(small, 0, y*32, 360, y*32+32, "row"),
			element(small, 300, y*32+6, 320, y*32+26, "icon"))
	}
	for name, c := range map[string]struct {
		on   *screen.Picture
		list []screen.Element
	}{
		"home":    {home(t).Resized(size), icons},
		"grounds": {grounds(t, small), rows},
	} {
		list := List(c.list, c.on.Size())
		require.Len(t, list, len(c.list))
		compare(t, filepath.Join("testdata", name+".png"), Draw(c.on, list).Image())
	}
}

func compare(t *testing.T, path string, got image.Image) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, got))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	want, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, want.Bounds(), got.Bounds())
	other := 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if math.Abs(luminance(want.At(x, y))-luminance(got.At(x, y))) > 0.1 {
				other++
			}
		}
	}
	most := want.Bounds().Dx() * want.Bounds().Dy() / 500
	require.LessOrEqual(t, other, most, "%s: pixels that differ; go test -update rewrites it", path)
}

// luminance is that of WCAG 2, 0 to 1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// The contrast of digits on their label is that of text that anybody can read, and the label stands
// out from whatever it lies on.
func TestLabelsAreReadOnAnyGround(t *testing.T) {
	size := screen.Size{W: 200, H: 200}
	grounds := []color.Color{color.White, color.Black, color.Gray{128},
		color.RGBA{255, 255, 0, 255}}
	for _, c := range inks {
		grounds = append(grounds, c)
	}
	for _, ground := range grounds {
		for number := range 12 {
			p := newPen(size)
			img := copied(plain(t, size, ground).Image())
			at := image.Rectangle{Max: p.size(number)}.Add(image.Pt(80, 80))
			under := luminance(img.At(10, 10))
			p.label(img, at, number, inks[number%len(inks)])
			light, dark, digits := 0.0, 1.0, 0
			inner := at.Inset(2)
			for y := inner.Min.Y; y < inner.Max.Y; y++ {
				for x := inner.Min.X; x < inner.Max.X; x++ {
					l := luminance(color.GrayModel.Convert(img.At(x, y)))
					light, dark = max(light, l), min(dark, l)
					if l > 0.6 {
						digits++
					}
				}
			}
			require.GreaterOrEqual(t, contrast(light, dark), 4.5, "%d on %v", number, ground)
			require.Greater(t, digits, 15, "%d on %v", number, ground)
			edge := contrast(luminance(img.At(at.Min.X, at.Min.Y)), under)
			body := contrast(dark, under)
			require.GreaterOrEqual(t, max(edge, body), 3.0, "%d on %v", number, ground)
		}
	}
}

// Whatever the elements: labels are on the picture and do not overlap, numbers are 1, 2, 3, and
// each is that of an element, in their order.
func TestLabelsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size := screen.Size{W: rapid.IntRange(1, 800).Draw(r, "w"),
			H: rapid.IntRange(1, 800).Draw(r, "h")}
		var elements []screen.Element
		for i := range rapid.IntRange(0, 150).Draw(r, "n") {
			draw := func(low, high int) int { return rapid.IntRange(low, high).Draw(r, "n") }
			x, y := draw(0, size.W-1), draw(0, size.H-1)
			w, h := draw(1, size.W), draw(1, size.H)
			elements = append(elements, element(size, x, y, x+w, y+h, fmt.Sprint(i)))
		}
		list := List(elements, size)
		last := -1
		for i, m := range list {
			require.True(r, m.place.In(image.Rect(0, 0, size.W, size.H)), "%v", m.place)
			for _, other := range list[:i] {
				require.False(r, m.place.Overlaps(other.place), "%v and %v", m.place, other.place)
			}
			require.Equal(r, i+1, list[i].Number)
			var n int
			_, err := fmt.Sscan(m.Label, &n)
			require.NoError(r, err)
			require.Greater(r, n, last)
			last = n
		}
		if size.W >= 300 && size.H >= 300 && len(elements) < 40 {
			require.Len(r, list, len(uncovered(elements)), "there is room for all")
		}
	})
}

// uncovered are the places of elements that can be touched somewhere.
func uncovered(elements []screen.Element) map[screen.Rect]bool {
	there := map[screen.Rect]bool{}
	for i, e := range elements {
		if _, free := aim(elements, i); free {
			there[e.Bounds] = true
		}
	}
	return there
}

func TestWhatIsNumbered(t *testing.T) {
	size := screen.Size{W: 100, H: 100}
	at := func(x0, y0, x1, y1 int) screen.Rect {
		return screen.RectOf(image.Rect(x0, y0, x1, y1), size)
	}
	row := screen.Element{Bounds: at(0, 0, 100, 20), Clickable: true, Depth: 1}
	inner := screen.Element{Bounds: at(0, 0, 100, 20), Clickable: true, Depth: 2}
	title := screen.Element{Bounds: at(5, 0, 50, 10), Text: "Dark\ntheme", Depth: 3}
	detail := screen.Element{Bounds: at(5, 10, 50, 20), ContentDesc: "Off", Depth: 3}
	list := screen.Element{Bounds: at(0, 20, 100, 100), Scrollable: true, Depth: 1}
	secret := screen.Element{Bounds: at(0, 30, 100, 40), Editable: true, Password: true, Depth: 2,
		ContentDesc: "PIN"}
	nowhere := screen.Element{Clickable: true, Text: "gone"}
	got := List([]screen.Element{row, inner, title, detail, nowhere, list, secret}, size)
	require.Equal(t, []Mark{{1, row, "Dark theme, Off", row.Bounds.Center(), got[0].place},
		{2, secret, "PIN", secret.Bounds.Center(), got[1].place}}, got)
	m, ok := Find(got, 2)
	require.True(t, ok)
	require.Equal(t, screen.Point{X: 0.5, Y: 0.35}, m.At())
	for _, n := range []int{0, -1, 3, math.MaxInt, math.MinInt} {
		_, ok := Find(got, n)
		require.False(t, ok)
	}
	got = List([]screen.Element{title, detail}, size)
	require.Equal(t, []Mark{{1, title, "Dark theme", title.Bounds.Center(), got[0].place},
		{2, detail, "Off", detail.Bounds.Center(), got[1].place}}, got, "nothing that can be touched is listed")
	var many []screen.Element
	large := screen.Size{W: 2000, H: 2000}
	for i := range 3 * most {
		many = append(many, element(large, i, i, i+2, i+2, "x"))
	}
	require.Len(t, List(many, large), most)
}

// A mark's place presses the element that it names, however the elements lie over each other.
func TestAMarkPressesWhatItNames(t *testing.T) {
	size := screen.Size{W: 1000, H: 1000}
	card := element(size, 0, 0, 1000, 400, "")
	buy := element(size, 300, 100, 700, 300, "Buy") // in the card's middle
	buy.Depth = 2
	title := element(size, 0, 0, 1000, 80, "Shoes")
	title.Depth, title.Clickable = 2, false
	covered := element(size, 0, 900, 200, 1000, "Covered")
	bar := element(size, 0, 890, 1000, 1000, "Bar")
	bubble := element(size, 0, 500, 600, 600, "Hello")
	bubble.Clickable, bubble.LongClickable = false, true
	field := screen.Element{Bounds: screen.RectOf(image.Rect(0, 650, 900, 700), size),
		Editable: true, Hint: "Your city", Depth: 1}
	icon := screen.Element{Bounds: screen.RectOf(image.Rect(900, 650, 1000, 700), size),
		Clickable: true, ResourceID: "com.app:id/btn_send", Depth: 1}
	all := []screen.Element{card, title, buy, covered, bubble, field, icon, bar}
	got := List(all, size)
	var labels []string
	for _, m := range got {
		labels = append(labels, m.Label)
	}
	require.Equal(t, []string{"Shoes", "Buy", "Hello", "Your city", "btn send", "Bar"}, labels)
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.IntRange(0, 999)
		var all []screen.Element
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			x, y := edge.Draw(t, "x"), edge.Draw(t, "y")
			e := element(size, x, y, x+edge.Draw(t, "w")+1, y+edge.Draw(t, "h")+1, "x")
			e.Depth = rapid.IntRange(1, 3).Draw(t, "depth")
			all = append(all, e)
		}
		for _, m := range List(all, size) {
			top := -1 // what takes a touch there: the last one that is drawn
			for i := range all {
				if all[i].Bounds.Contains(m.At()) {
					top = i
				}
			}
			require.Equal(t, m.Element.Bounds, all[top].Bounds)
		}
	})
}

func TestThePictureThatWasGivenStays(t *testing.T) {
	size := screen.Size{W: 200, H: 200}
	p := plain(t, size, color.White)
	list := List([]screen.Element{element(size, 20, 20, 90, 90, "x")}, size)
	require.Len(t, list, 1)
	require.NotEqual(t, p.Image(), Draw(p, list).Image())
	require.Equal(t, plain(t, size, color.White).Image(), p.Image())
	require.Same(t, p, Draw(p, nil))
}

func TestATouchIsMarkedAroundItsPlace(t *testing.T) {
	size := screen.Size{W: 400, H: 800}
	p := plain(t, size, color.White)
	at := screen.Point{X: 0.5, Y: 0.5}
	out := Touch(p, []screen.Point{at, {X: 1, Y: 0}}).Image() // at an edge, too
	white := p.Image().At(0, 0)
	require.Equal(t, white, out.At(200, 400), "what is touched stays to be seen")
	require.NotEqual(t, white, out.At(200-20, 400), "the frame is around it")
	require.NotEqual(t, white, out.At(399-20, 4))
	require.Equal(t, plain(t, size, color.White).Image(), p.Image())
	require.Same(t, p, Touch(p, nil))
}

func BenchmarkDraw(b *testing.B) {
	f := home(b)
	size := f.Size()
	var elements []screen.Element
	for i := range 60 {
		x, y := i%4*270, i/4*150
		elements = append(elements, element(size, x+10, y+10, x+250, y+140, "app"))
	}
	p := f.Resized(size)
	b.ReportAllocs()
	for b.Loop() {
		Draw(p, List(elements, size))
	}
}
