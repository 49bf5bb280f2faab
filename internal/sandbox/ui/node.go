package ui

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"image"
)

// Node is one element of a UI tree as uiautomator lists it, and writes it: its attributes stand in
// this order. Bounds are clipped to the visible part.
type Node struct {
	Index         int             `xml:"index,attr"`
	Text          string          `xml:"text,attr"`
	ResourceID    string          `xml:"resource-id,attr"`
	Class         string          `xml:"class,attr"`
	Package       string          `xml:"package,attr"`
	Desc          string          `xml:"content-desc,attr"`
	Checkable     bool            `xml:"checkable,attr"`
	Checked       bool            `xml:"checked,attr"`
	Clickable     bool            `xml:"clickable,attr"`
	Enabled       bool            `xml:"enabled,attr"`
	Focusable     bool            `xml:"focusable,attr"`
	Focused       bool            `xml:"focused,attr"`
	Scrollable    bool            `xml:"scrollable,attr"`
	LongClickable bool            `xml:"long-clickable,attr"`
	Password      bool            `xml:"password,attr"`
	Selected      bool            `xml:"selected,attr"`
	Place         string          `xml:"bounds,attr"` // the bounds, set by DumpXML
	Bounds        image.Rectangle `xml:"-"`
	Children      []Node          `xml:"node"`
}

// Walk calls f for n and everything below it, parents first.
func (n *Node) Walk(f func(*Node)) {
	n.Find(func(n *Node) bool { f(n); return false })
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
	root.Walk(func(n *Node) {
		b := n.Bounds
		n.Place = fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
	})
	b, err := xml.Marshal(struct {
		XMLName  xml.Name `xml:"hierarchy"`
		Rotation int      `xml:"rotation,attr"`
		Root     Node     `xml:"node"`
	}{Rotation: rotation, Root: root})
	if err != nil {
		panic(err) // there is no kind of value in it that cannot be written
	}
	return append([]byte(`<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`), b...)
}

var classes = map[kind]string{
	kindColumn: "android.widget.LinearLayout", kindRow: "android.widget.LinearLayout",
	kindStack: "android.widget.FrameLayout",
	kindList:  "androidx.recyclerview.widget.RecyclerView", kindText: "android.widget.TextView",
	kindIcon: "android.widget.ImageView", kindField: "android.widget.EditText",
	kindSwitch: "android.widget.Switch",
	kindSlider: "android.widget.SeekBar",
}

// Node lists the view and the views below it as uiautomator does, without hidden ones.
func (v *Placed) Node(pkg string) Node {
	clickable := Touchable(v) && !v.quiet
	n := Node{
		Text: v.text, Class: v.class, Package: pkg, Desc: v.desc, Bounds: v.Bounds(),
		Enabled: !v.off, Checkable: v.checkable, Checked: v.on, Clickable: clickable,
		LongClickable: Holdable(v), Scrollable: Scrolls(v), Selected: v.selected,
		Password: v.field != nil && v.field.Secret, Focusable: clickable || v.kind == kindList,
		Focused: v.Focused() || v.lit,
	}
	n.Class = cmp.Or(n.Class, classes[v.kind])
	if v.name != "" {
		n.ResourceID = pkg + ":id/" + v.name
	}
	if v.field != nil {
		n.Text, n.Desc = v.shown(), ""
	}
	for _, k := range v.kids {
		if k.kind != kindSpace && !k.Bounds().Empty() {
			child := k.Node(pkg)
			child.Index = len(n.Children)
			n.Children = append(n.Children, child)
		}
	}
	return n
}
