package ui

// Add puts views into a group. Nil ones are left out.
func (v *View) Add(kids ...*View) *View {
	for _, k := range kids {
		if k != nil {
			v.kids = append(v.kids, k)
		}
	}
	return v
}

// Named gives the view its resource name. Lists and fields need names that are unique on their
// screen.
func (v *View) Named(name string) *View { v.name = name; return v }

// Class overrides the Android class that the UI tree shows.
func (v *View) Class(class string) *View { v.class = class; return v }

// Desc describes the view for those who do not see it (content-desc). Of a field it is the hint.
func (v *View) Desc(s string) *View { v.desc = s; return v }

// Pad sets the padding by one size, by two (horizontal, vertical), or by four (left, top, right,
// bottom).
func (v *View) Pad(n ...int) *View {
	switch len(n) {
	case 1:
		v.pad = [4]int{n[0], n[0], n[0], n[0]}
	case 2:
		v.pad = [4]int{n[0], n[1], n[0], n[1]}
	case 4:
		v.pad = [4]int(n)
	default:
		panic("ui: Pad takes one, two or four numbers")
	}
	return v
}

// Inset sets the padding of a window: left and right in dp, top in dp, bottom in pixels, since a
// keyboard is that high.
func (v *View) Inset(left, top, right, bottomPx int) *View {
	v.pad, v.below = [4]int{left, top, right, 0}, bottomPx
	return v
}

// Gap sets the space between the views of a group.
func (v *View) Gap(n int) *View { v.gap = n; return v }

// Width fixes the width.
func (v *View) Width(n int) *View { v.width = n; return v }

// Height fixes the height.
func (v *View) Height(n int) *View { v.height = n; return v }

// Grow gives the view its share of the remaining room along its parent.
func (v *View) Grow(n int) *View { v.grow = n; return v }

// Align places the view across its parent. In a stack the two values are horizontal and vertical.
func (v *View) Align(a ...Align) *View {
	v.align, v.valign = a[0], a[len(a)-1]
	return v
}

// Fill sets the background.
func (v *View) Fill(i Ink) *View { v.fill = i; return v }

// Fade makes the background a gradient, from top to bottom.
func (v *View) Fade(top, bottom Ink) *View { v.fill, v.fade = top, bottom; return v }

// Ink sets the colour of text or icon.
func (v *View) Ink(i Ink) *View { v.ink = i; return v }

// Border draws a line around the view, which needs a background.
func (v *View) Border(i Ink) *View { v.border = i; return v }

// Radius rounds the corners.
func (v *View) Radius(n int) *View { v.radius = n; return v }

// Size sets the size of text or icon.
func (v *View) Size(n int) *View { v.size = n; return v }

// Bold makes text bold.
func (v *View) Bold() *View { v.bold = true; return v }

// Centered centres the lines of a text.
func (v *View) Centered() *View { v.centered = true; return v }

// Lines limits a text. One that is cut off ends with an ellipsis.
func (v *View) Lines(n int) *View { v.lines = n; return v }

// OnTap sets what a tap does.
func (v *View) OnTap(f func()) *View { v.tap = f; return v }

// OnLong sets what a long press does.
func (v *View) OnLong(f func()) *View { v.long = f; return v }

// OnDouble sets what a double tap does.
func (v *View) OnDouble(f func()) *View { v.double = f; return v }

// OnDrop lets the view be dragged: f gets the key of the draggable view that it is dropped on.
func (v *View) OnDrop(key string, f func(onto string)) *View {
	v.dragKey, v.drop = key, f
	return v
}

// Handle makes a swipe that starts here drag at once, without a long press.
func (v *View) Handle() *View { v.handle = true; return v }

// Select marks the view as the selected one.
func (v *View) Select(on bool) *View { v.selected = on; return v }

// Enable switches the view off when ok is false: it is drawn faintly and not touched.
func (v *View) Enable(ok bool) *View { v.off = !ok; return v }

// Modal keeps touches from the views behind it.
func (v *View) Modal() *View { v.modal = true; return v }

// Multi lets a field have several lines.
func (v *View) Multi() *View { v.field.Multi = true; return v }

// Password hides the text of a field.
func (v *View) Password() *View { v.field.Secret = true; return v }

// Digits gives a field the number keyboard and takes digits only.
func (v *View) Digits() *View { v.field.Digits = true; return v }

// OnSubmit names the keyboard's enter key and sets what it does.
func (v *View) OnSubmit(label string, f func()) *View {
	v.field.Action, v.field.submit = label, f
	return v
}

// Quiet makes a view that is tapped but not listed as clickable, such as the area around a dialog.
func (v *View) Quiet() *View { v.quiet = true; return v }

// Tail keeps a list that is at its end there when it grows or its place shrinks.
func (v *View) Tail() *View { v.tail = true; return v }
