package sandbox

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// What is drawn in the window in front is in the tree that uiautomator gives, at its place, on
// every page of the walks.
func TestWhatIsDrawnIsInTheTree(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range golden.Load(t, "testdata/dump") {
		locale := "en"
		if strings.HasPrefix(c.Name, "zh-") {
			locale = "zh"
		}
		h := hold(t, &Options{Locale: locale, PIN: "2468"})
		for line := range strings.Lines(c.Section(t, "do")) {
			h.step(strings.TrimSpace(line))
			h.checkShown(t, c.Name, h.checkDrawn(t, c.Name))
			seen[h.phone.Screen.Foreground().Package] = true
		}
	}
	require.GreaterOrEqual(t, len(seen), 6, "%v", seen)
}

// checkDrawn wants each line of text that is painted in the tree, and returns them.
func (h *hand) checkDrawn(t require.TestingT, page string) (texts []ui.Op) {
	if !h.phone.Lock.On() {
		return nil
	}
	root := h.phone.Screen.UITree()
	ops := ask(h.phone.core, func() []ui.Op {
		s := h.phone.Screen.scene()
		return ui.Paint(s.front().view, h.phone.Display.theme(), false)
	})
	for _, op := range ops {
		drawn := op.Box.Intersect(op.Clip)
		if op.Shape != ui.Glyphs || strings.TrimSpace(op.Text) == "" || drawn.Empty() {
			continue
		}
		texts = append(texts, op)
		found := root.Find(func(n *Node) bool {
			return strings.Contains(n.Text, said(op)) && drawn.In(n.Bounds.Inset(-1))
		})
		require.NotNil(t, found, "%s: %q is drawn at %v and not in the tree", page, op.Text, drawn)
	}
	return texts
}

// checkShown wants each text of the tree among those that are painted. Of what is cut off at the
// edge of a list, the part that is seen may hold none of it, a field one line high may show a line
// of its text that is blank, and signs without a width show nothing.
func (h *hand) checkShown(t require.TestingT, page string, texts []ui.Op) {
	if !h.phone.Lock.On() {
		return
	}
	root := h.phone.Screen.UITree()
	cut := map[image.Rectangle]bool{}
	h.phone.core.do(func() {
		s := h.phone.Screen.scene()
		s.front().view.Walk(func(v *ui.Placed) {
			cut[v.Bounds()] = cut[v.Bounds()] || v.Bounds() != v.Box()
		})
	})
	root.Walk(func(n *Node) {
		blank := strings.HasSuffix(n.Class, "EditText") &&
			strings.Contains("\n"+n.Text+"\n", "\n\n")
		require.True(t, strings.TrimSpace(n.Text) == "" || cut[n.Bounds] || blank ||
			ui.Measure(n.Text, 16, false) == 0 ||
			slices.ContainsFunc(texts, func(op ui.Op) bool {
				return strings.Contains(n.Text, said(op)) && op.Box.Overlaps(n.Bounds)
			}), "%s: %q is in the tree at %v and not drawn", page, n.Text, n.Bounds)
	})
}

// said is a painted line without the mark of what was cut off.
func said(op ui.Op) string { return strings.TrimSpace(strings.TrimSuffix(op.Text, "\u2026")) }
