package ui

import (
	"bytes"
	"fmt"
	"image"
	"strconv"
	"strings"
)

// Node is one element of a UI tree as uiautomator lists it. Bounds are clipped to what is visible.
type Node struct {
	Text, ResourceID, Class, Package, Desc string
	Checkable, Checked, Clickable, Enabled bool
	Focusable, Focused, Scrollable         bool
	LongClickable, Password, Selected      bool
	Bounds                                 image.Rectangle
	Children                               []Node
}

// Walk calls f for n and everything below it, parents first.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for i := range n.Children {
		n.Children[i].Walk(f)
	}
}

// Find returns the first node for which f holds, or nil.
func (n *Node) Find(f func(*Node) bool) *Node {
	if f(n) {
		return n
	}
	for i := range n.Children {
		if m := n.Children[i].Find(f); m != nil {
			return m
		}
	}
	return nil
}

// Center is the middle of the node's bounds.
func (n *Node) Center() image.Point { return n.Bounds.Min.Add(n.Bounds.Max).Div(2) }

// DumpXML writes the tree as uiautomator does: one line, one element a node.
func DumpXML(root Node, rotation int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy "+
		"rotation=\"%d\">", rotation)
	root.xml(&b, 0)
	b.WriteString("</hierarchy>")
	return b.Bytes()
}

func (n *Node) xml(b *bytes.Buffer, index int) {
	flag := strconv.FormatBool
	attrs := []string{
		"index", strconv.Itoa(index), "text", n.Text, "resource-id", n.ResourceID, "class", n.Class,
		"package", n.Package,
		"content-desc", n.Desc, "checkable", flag(n.Checkable), "checked", flag(n.Checked),
		"clickable", flag(n.Clickable),
		"enabled", flag(n.Enabled), "focusable", flag(n.Focusable), "focused", flag(n.Focused),
		"scrollable", flag(n.Scrollable), "long-clickable", flag(n.LongClickable), "password",
		flag(n.Password),
		"selected", flag(n.Selected), "bounds", boundsText(n.Bounds),
	}
	b.WriteString("<node")
	for i := 0; i < len(attrs); i += 2 {
		fmt.Fprintf(b, ` %s="%s"`, attrs[i], escape(attrs[i+1]))
	}
	if len(n.Children) == 0 {
		b.WriteString(" />")
		return
	}
	b.WriteString(">")
	for i := range n.Children {
		n.Children[i].xml(b, i)
	}
	b.WriteString("</node>")
}

func boundsText(r image.Rectangle) string {
	return fmt.Sprintf("[%d,%d][%d,%d]", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n",
	"&#10;", "\t", "&#9;", "\r", "&#13;")

// escape writes text for an attribute; characters that XML forbids become dots, as uiautomator does
// it.
func escape(s string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r <= 0x9f ||
			r == 0xfffe || r == 0xffff {
			return '.'
		}
		return r
	}, s))
}

var classes = map[kind]string{
	kindColumn: "android.widget.LinearLayout", kindRow: "android.widget.LinearLayout",
	kindStack: "android.widget.FrameLayout",
	kindList:  "androidx.recyclerview.widget.RecyclerView", kindText: "android.widget.TextView",
	kindIcon: "android.widget.ImageView", kindField: "android.widget.EditText",
	kindSwitch: "android.widget.Switch",
	kindSlider: "android.widget.SeekBar",
}

// Node lists the view and what is below it as uiautomator does; what is not seen is left out.
func (v *View) Node(pkg string) Node {
	clickable := Touchable(v) && !v.quiet
	n := Node{
		Text: v.text, Class: v.class, Package: pkg, Desc: v.desc, Bounds: v.Bounds(),
		Enabled: !v.off, Checkable: v.checkable, Checked: v.on, Clickable: clickable,
		LongClickable: Holdable(v), Scrollable: Scrolls(v), Selected: v.selected,
		Password: v.secret, Focusable: clickable || v.kind == kindList,
		Focused: v.Focused() || v.lit,
	}
	if n.Class == "" {
		n.Class = classes[v.kind]
	}
	if v.name != "" {
		n.ResourceID = pkg + ":id/" + v.name
	}
	if v.kind == kindField {
		n.Text, n.Desc = v.shown(), ""
	}
	for _, k := range v.kids {
		if k.kind != kindSpace && !k.Bounds().Empty() {
			n.Children = append(n.Children, k.Node(pkg))
		}
	}
	return n
}
