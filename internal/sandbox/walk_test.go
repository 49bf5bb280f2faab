package sandbox

import (
	"encoding/xml"
	"image"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Whatever is touched in whatever order: nothing panics, the tree stays on the screen, and what the
// tree calls clickable is what a finger finds there.
func TestAnyWalkKeepsTreeAndTouchTogether(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := hold(t, &Options{
			More: rapid.Bool().Draw(r, "more"), Lower: rapid.Bool().Draw(r, "lower"),
			Locale: rapid.SampledFrom([]string{"en", "zh"}).Draw(r, "locale"),
			Size: rapid.SampledFrom([]image.Point{{1080, 2400}, {720, 1280}, {480, 800}}).
				Draw(r, "size"),
		})
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			h.anyStep(r)
			h.checkTree(r)
			h.checkShown(r, "walk", h.checkDrawn(r, "walk"))
		}
		h.phone.Screenshot()
		require.NoError(r, wellFormed(h.phone.Screen.DumpXML()))
	})
}

// On a small phone that is turned, buttons that float over a list are higher than their place.
func TestWhatIsCutOffIsListedAndTouchedAlike(t *testing.T) {
	for _, app := range append(apps.All(), apps.More()...) {
		h := hold(t, &Options{Size: image.Pt(480, 800), More: true})
		h.phone.Display.SetRotation(1)
		h.open(app.Package)
		h.checkTree(t)
	}
}

func (h *hand) anyStep(r *rapid.T) {
	size := h.phone.Display.Size()
	point := func(name string) image.Point {
		return image.Pt(rapid.IntRange(0, size.X-1).Draw(r, name+" x"), rapid.IntRange(0, size.Y-1).
			Draw(r, name+" y"))
	}
	h.wait(time.Duration(rapid.IntRange(0, 3000).Draw(r, "wait")) * time.Millisecond)
	switch rapid.IntRange(0, 9).Draw(r, "kind") {
	case 0, 1, 2, 3, 4:
		if nodes := h.clickable(); len(nodes) > 0 {
			c := rapid.SampledFrom(nodes).Draw(r, "node").Center()
			h.phone.Touch.Tap(c.X, c.Y)
		}
	case 5:
		a, b := point("from"), point("to")
		h.phone.Touch.Swipe(a.X, a.Y, b.X, b.Y, 300*time.Millisecond)
	case 6:
		a := point("hold")
		h.phone.Touch.Swipe(a.X, a.Y, a.X, a.Y, time.Second)
	case 7:
		h.phone.Keys.Text(rapid.StringN(0, 12, -1).Draw(r, "text"))
	case 8:
		a, b := point("from"), point("to")
		h.phone.Touch.DragAndDrop(a.X, a.Y, b.X, b.Y, time.Second)
	case 9:
		h.anyKey(r)
	}
}

func (h *hand) anyKey(r *rapid.T) {
	switch code := rapid.SampledFrom([]int{3, 4, 4, 4, 19, 20, 21, 22, 24, 26, 61, 66, 67, 112, 122,
		123, 187, 0}).Draw(r, "key"); code {
	case 26:
		_ = h.phone.Keys.Key(KeySleep)
		_ = h.phone.Keys.Key(KeyWakeUp)
		h.phone.Lock.DismissKeyguard()
	case 0:
		h.phone.Display.SetRotation(rapid.IntRange(0, 3).Draw(r, "rotation"))
	default:
		_ = h.phone.Keys.Key(code)
	}
}

func (h *hand) clickable() []*Node {
	root := h.phone.Screen.UITree()
	return clickableOf(&root)
}

// checkTree wants every node on the screen and every clickable one under the finger: the touch at
// its middle finds the node, something inside it, or what lies in front of it.
func (h *hand) checkTree(r require.TestingT) {
	root, screen := h.phone.Screen.UITree(), image.Rectangle{Max: h.phone.Display.Size()}
	root.Walk(func(n *Node) {
		require.True(r, n.Bounds.In(screen), "%s %q at %v is beyond %v", n.Class, n.Text, n.Bounds,
			screen)
		require.False(r, n.Bounds.Empty(), "%s %q has no place", n.Class, n.Text)
		require.NotEmpty(r, n.Class)
	})
	h.phone.core.do(func() {
		s := h.phone.Screen.scene()
		var order []*ui.Placed // from back to front
		s.front().view.Walk(func(v *ui.Placed) { order = append(order, v) })
		for _, n := range clickableOf(&root) {
			c := n.Center()
			v := s.at(c, ui.Touchable)
			if v == nil {
				require.True(r, s.covered(c), "a tap at %v finds nothing, yet %s %q (%s) is there",
					c, n.Class, n.Text, n.ResourceID)
				continue
			}
			require.True(r, c.In(v.Bounds()))
			own := slices.IndexFunc(order, func(o *ui.Placed) bool {
				return ui.Touchable(o) &&
					o.Bounds() == n.Bounds
			})
			require.GreaterOrEqual(r, own, 0, "%q is listed where no view is", n.ResourceID)
			if hit := slices.Index(order, v); hit >= 0 {
				require.GreaterOrEqual(r, hit, own, "a tap at %v hits %q, which lies behind %q", c,
					v.Name(), n.ResourceID)
			}
		}
	})
}

func clickableOf(root *Node) (nodes []*Node) {
	root.Walk(func(n *Node) {
		if n.Clickable && n.Enabled {
			nodes = append(nodes, n)
		}
	})
	return nodes
}

// covered reports whether the system's bars, the keyboard or something modal takes the touch.
func (s *scene) covered(at image.Point) bool {
	for _, v := range s.stack() {
		if _, blocked := v.At(at, func(*ui.Placed) bool { return false }); blocked {
			return true
		}
	}
	return false
}

func wellFormed(b []byte) error {
	d := xml.NewDecoder(strings.NewReader(string(b)))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// What is listed is drawn where it is listed: every line of text on the screen lies inside a node
// that holds it.
func TestTextIsDrawnInsideItsNode(t *testing.T) {
	for _, pkg := range []string{settingsApp, messagesApp, clockApp, notesApp, shopApp} {
		h := hold(t, nil)
		h.open(pkg)
		root := h.phone.Screen.UITree()
		h.phone.core.do(func() {
			for _, op := range h.phone.stage.ops() {
				if op.Shape != ui.Glyphs {
					continue
				}
				visible := op.Box.Intersect(op.Clip)
				n := root.Find(func(n *Node) bool {
					return strings.Contains(n.Text, strings.TrimSuffix(op.Text, "…")) &&
						visible.In(n.Bounds.Inset(-1))
				})
				bar := visible.Min.Y < 80
				require.True(t, n != nil || bar || visible.Empty(),
					"%s draws %q at %v, where no node is", pkg, op.Text, op.Box)
			}
		})
	}
}
