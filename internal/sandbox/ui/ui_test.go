package ui

import (
	"encoding/xml"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var phone = Metrics{Density: 160} // one pixel per dp

func laidOut(v *View, w, h int) *Placed {
	return Layout(v, image.Rect(0, 0, w, h), phone, &Memory{})
}

func TestAColumnStacksAndSharesWhatIsLeft(t *testing.T) {
	kids := laidOut(Column(Gap(10), Space(), Gap(20)).Gap(5).Pad(1, 2, 3, 4), 100, 200).kids
	require.Equal(t, image.Rect(1, 2, 11, 12), kids[0].Box(),
		"a width of its own stands at the start")
	require.Equal(t, image.Rect(1, 17, 97, 171), kids[1].Box())
	require.Equal(t, image.Rect(1, 176, 21, 196), kids[2].Box())
}

func TestARowSharesByWeightAndCentres(t *testing.T) {
	kids := laidOut(Row(Gap(10).Height(40), Space(), Space().Grow(3)).Gap(10), 110, 100).kids
	require.Equal(t, image.Rect(0, 30, 10, 70), kids[0].Box())
	require.Equal(t, 20, kids[1].Box().Dx())
	require.Equal(t, 60, kids[2].Box().Dx())
	require.Equal(t, 110, kids[2].Box().Max.X)
}

func TestAStackPlacesByAlignment(t *testing.T) {
	corner, middle := Gap(10).Align(End, End), Gap(20).Align(Center, Start)
	kids := laidOut(Stack(Stack(), corner, middle), 100, 100).kids
	require.Equal(t, image.Rect(0, 0, 100, 100), kids[0].Box())
	require.Equal(t, image.Rect(90, 90, 100, 100), kids[1].Box())
	require.Equal(t, image.Rect(40, 0, 60, 20), kids[2].Box())
}

func TestAListScrollsWithinItsContent(t *testing.T) {
	mem := &Memory{}
	list := List("l")
	for range 10 {
		list.Add(Stack().Height(50))
	}
	place := func() (*Placed, []*Placed) {
		l := Layout(list, image.Rect(0, 0, 100, 120), phone, mem)
		return l, l.kids
	}
	l, rows := place()
	require.True(t, Scrolls(l))
	require.Equal(t, image.Rect(0, 100, 100, 120), rows[2].Bounds(), "clipped at the edge")
	require.True(t, rows[3].Bounds().Empty())
	l.ScrollBy(70)
	_, rows = place()
	require.Equal(t, image.Rect(0, 0, 100, 30), rows[1].Bounds())
	mem.Scroll["l"] = 1 << 30
	_, rows = place()
	require.Equal(t, image.Rect(0, 70, 100, 120), rows[9].Bounds())
	mem.Scroll["l"] = -5
	_, rows = place()
	require.Equal(t, 0, rows[0].Box().Min.Y)
}

func TestAFocusedFieldIsScrolledIntoView(t *testing.T) {
	text := ""
	mem := &Memory{Focus: "f", Reveal: true}
	list := List("l", Stack().Height(500), Input("f", "", &text), Stack().Height(500))
	f := Layout(list, image.Rect(0, 0, 100, 200), phone, mem).kids[1]
	require.Equal(t, 200, f.Bounds().Max.Y)
	require.Equal(t, f.Box(), f.Bounds(), "whole")
}

func TestTouchFindsTheInnermostAndWhatIsInFront(t *testing.T) {
	got := ""
	hit := func(name string) func() { return func() { got = name } }
	root := laidOut(Stack(
		Column(Stack(Stack().Named("inner")).OnTap(hit("back")).Grow(1)),
		Stack().Width(50).Height(50).OnTap(hit("front")).Align(Start, Start),
		Stack().Width(20).Height(20).OnTap(hit("off")).Align(End, End).Enable(false),
		Stack().Width(30).Height(30).Align(End, Start).Modal(),
	), 200, 200)
	tap := func(x, y int) string {
		got = "nothing"
		if v, _ := root.At(image.Pt(x, y), Touchable); v != nil {
			v.Tap(image.Pt(x, y))
		}
		return got
	}
	require.Equal(t, "front", tap(10, 10))
	require.Equal(t, "back", tap(100, 100))
	require.Equal(t, "nothing", tap(195, 195), "what is switched off keeps its touches")
	require.Equal(t, "nothing", tap(190, 10), "nothing behind something modal")
	require.Equal(t, "nothing", tap(200, 200))
	for at, blocks := range map[image.Point]bool{{190, 10}: true, {100, 100}: false} {
		_, blocked := root.At(at, func(*Placed) bool { return false })
		require.Equal(t, blocks, blocked, at)
	}
}

func TestWrappedLinesFitAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("ab cdWi,. 你好，世界!\n👍é")), 0, 80, -1).
			Draw(r, "text")
		width := rapid.IntRange(1, 300).Draw(r, "width")
		lines := breakLines(s, 20, false, width)
		require.Equal(r, strings.ReplaceAll(s, "\n", ""), strings.Join(lines, ""))
		for _, line := range lines {
			line = strings.TrimRight(line, " ")
			require.True(r, Measure(line, 20, false) <= width || len([]rune(line)) <= 1,
				"%q is wider than %d", line, width)
		}
	})
}

func TestWrapping(t *testing.T) {
	width := Measure("hello wide", 20, false)
	require.Equal(t, []string{"hello wide", "world"}, wrap("hello wide world", 20, false, width, 0))
	require.Equal(t, []string{"", "a", ""}, wrap("\na\n", 20, false, width, 0))
	require.Equal(t, []string{""}, wrap("", 20, false, width, 0))
	cut := wrap("hello wide world and more", 20, false, width, 1)
	require.Len(t, cut, 1)
	require.True(t, strings.HasSuffix(cut[0], "…"))
	require.LessOrEqual(t, Measure(cut[0], 20, false), width)
	three := Measure("你好吗", 20, false)
	require.Equal(t, []string{"你好世", "界。"}, wrap("你好世界。", 20, false, three, 0))
	require.Equal(t, []string{"你好", "世。"}, wrap("你好世。", 20, false, three, 0),
		"a line does not begin with a full stop")
}

func TestEveryScriptHasSomeGlyph(t *testing.T) {
	for _, s := range []string{"A", "é", "ж", "中", "か", "한", "。", "👍", "\u0e01", "\U0010ffff", "€",
		"•", "⌫"} {
		require.Positive(t, Measure(s, 40, false), "%q", s)
		require.True(t, inked(s), "%q draws nothing", s)
	}
	for _, s := range []string{"\u200d", "\ufe0f", "\x00"} {
		require.Zero(t, Measure(s, 40, false), "%q takes no room", s)
	}
}

func inked(s string) bool {
	img := image.NewRGBA(image.Rect(0, 0, 900, 120))
	Draw(img, []Op{{Shape: Glyphs, Box: image.Rect(10, 54, 890, 107), Clip: img.Rect,
		Color: rgb(0xffffff), Text: s, Size: 40}})
	for _, b := range img.Pix {
		if b != 0 {
			return true
		}
	}
	return false
}

func TestEveryIconDrawsSomethingInsideItsSquare(t *testing.T) {
	for name := range icons() {
		m := iconMask(name, 48)
		ink := 0
		for _, a := range m.Pix {
			if a > 100 {
				ink++
			}
		}
		require.Greater(t, ink, 20, "icon %s", name)
	}
	require.Equal(t, drawIcon(icons()["box"], 48).Pix, iconMask("no such icon", 48).Pix)
}

func TestDrawingStaysInsideTheClip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := func(name string) int { return rapid.IntRange(-40, 140).Draw(r, name) }
		box := image.Rect(n("x0"), n("y0"), n("x1"), n("y1"))
		clip := image.Rect(n("cx0"), n("cy0"), n("cx1"), n("cy1"))
		op := Op{
			Shape: rapid.SampledFrom([]Shape{Fill, Glyphs, drawing}).Draw(r, "shape"),
			Box:   box, Clip: clip, Color: rgb(0xffffff),
			Radius: rapid.IntRange(0, 60).Draw(r, "radius"), Text: "gear", Size: 20,
		}
		img := image.NewRGBA(image.Rect(0, 0, 100, 100))
		Draw(img, []Op{op})
		for y := range 100 {
			for x := range 100 {
				if img.RGBAAt(x, y).R != 0 {
					require.True(r, image.Pt(x, y).In(clip), "drew at %d,%d outside %v", x, y, clip)
				}
			}
		}
	})
}

func TestAFieldOfOneLineTakesNoNewlines(t *testing.T) {
	text := ""
	f := laidOut(Column(Input("f", "hint", &text)), 300, 300).kids[0].Field()
	f.Insert("a\nb")
	require.Equal(t, "a b", text)
	f.Clear()
	require.Equal(t, "", text)
	require.False(t, f.Submit(), "nothing to submit to")
}

func TestANodeSaysWhatTheViewIs(t *testing.T) {
	text := "secret"
	root := laidOut(Column(
		Row(Text("Wi-Fi"), Switch(true)).Named("row").OnTap(func() {}),
		Input("pin", "PIN", &text).Password(),
		Button("Go", func() {}).Enable(false),
		Stack().Height(5000), Text("far below"),
	), 300, 300)
	n := root.Node("com.x")
	require.Len(t, n.Children, 4, "what is not seen is left out")
	row := n.Children[0]
	require.Equal(t, "com.x:id/row", row.ResourceID)
	require.True(t, row.Clickable)
	require.Equal(t, "android.widget.Switch", row.Children[1].Class)
	require.True(t, row.Children[1].Checked && row.Children[1].Checkable)
	require.Equal(t, "••••••", n.Children[1].Text)
	require.True(t, n.Children[1].Password)
	require.False(t, n.Children[2].Enabled)
}

func TestDumpsAreXMLWhateverTheTextHolds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String().Draw(r, "text") + "\x00\xff<\"'&>\n\ufffe"
		b := DumpXML(Node{Text: text, Children: []Node{{Desc: text}}}, 2)
		var out struct {
			Rotation string `xml:"rotation,attr"`
			Node     struct {
				Text string `xml:"text,attr"`
			} `xml:"node"`
		}
		require.NoError(r, xml.Unmarshal(b, &out))
		require.Equal(r, "2", out.Rotation)
		require.True(r, strings.HasSuffix(out.Node.Text, "<\"'&>\n\ufffd"))
		require.Equal(r, 1, strings.Count(string(b), "\n")+1, "one line")
	})
}

func TestPadRefusesThreeNumbers(t *testing.T) {
	require.Panics(t, func() { Gap(1).Pad(1, 2, 3) })
}
