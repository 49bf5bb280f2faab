package ui

// Column puts views below each other, each as wide as the column.
func Column(kids ...*View) *View { return group(kindColumn, kids) }

// Row puts views side by side, centred vertically.
func Row(kids ...*View) *View { return group(kindRow, kids) }

// Stack puts views on top of each other, the last in front.
func Stack(kids ...*View) *View { return group(kindStack, kids) }

// List is a column that scrolls when it is higher than its place. Its position is remembered under
// its name.
func List(name string, kids ...*View) *View { return group(kindList, kids).Named(name).Grow(1) }

// ListOf is a List with one view for each item.
func ListOf[T any](name string, items []T, f func(T) *View) *View {
	return List(name, Each(items, f)...)
}

// Each makes one view for each item.
func Each[T any](items []T, f func(T) *View) []*View {
	out := make([]*View, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

func group(k kind, kids []*View) *View {
	return (&View{spec: spec{kind: k}}).Add(kids...)
}

// Text is text in the theme's strong colour, 16 dp high. It wraps.
func Text(s string) *View {
	return &View{spec: spec{kind: kindText, text: s, size: 16, ink: Strong}}
}

// Small is secondary text.
func Small(s string) *View { return Text(s).Size(14).Ink(Dim) }

// Icon is one of the drawn icons, 24 dp. An unknown name draws a box, so that a mistake is seen.
func Icon(name string) *View {
	return &View{spec: spec{kind: kindIcon, icon: name, size: 24, ink: Strong}}
}

// IconButton is an icon to tap, described for those who do not see it.
func IconButton(name, desc string, tap func()) *View {
	return Icon(name).Pad(12).Class("android.widget.ImageButton").Desc(desc).OnTap(tap)
}

// Button is a filled button.
func Button(label string, tap func()) *View {
	return Text(label).Class("android.widget.Button").Bold().Centered().Ink(OnAccent).Fill(Accent).
		Pad(24, 12).
		Radius(24).OnTap(tap)
}

// Flat is a button without a surface, as dialogs have it.
func Flat(label string, tap func()) *View {
	return Text(label).Class("android.widget.Button").Bold().Centered().Ink(Accent).Pad(16, 12).
		Radius(20).OnTap(tap)
}

// Chip is a small choice. One of several is selected.
func Chip(label string, selected bool, tap func()) *View {
	v := Text(label).Class("android.widget.Button").Size(15).Centered().Pad(16, 9).Radius(18).
		Fill(Sunken).OnTap(tap).Select(selected)
	if selected {
		v.Fill(Accent).Ink(OnAccent).Bold()
	}
	return v
}

// Input is a field for text, edited in place. Its hint is shown while it is empty.
func Input(name, hint string, value *string) *View {
	return &View{spec: spec{kind: kindField, name: name, desc: hint, field: &Field{value: value},
		size: 16, ink: Strong, fill: Sunken, radius: 12, pad: [4]int{14, 12, 14, 12}}}
}

// Switch is a toggle. The tap handler is set with OnTap, on it or on the row around it.
func Switch(on bool) *View {
	return &View{spec: spec{kind: kindSwitch, checkable: true, on: on, width: 52, height: 32}}
}

// Slider sets a value between 0 and 1000 under the finger.
func Slider(name string, permille int, set func(permille int)) *View {
	return &View{spec: spec{kind: kindSlider, name: name, level: min(max(permille, 0), 1000),
		slide: set, height: 48}}
}

// Space takes the remaining room.
func Space() *View { return &View{spec: spec{kind: kindSpace, grow: 1}} }

// Gap is an empty square of n dp.
func Gap(n int) *View { return &View{spec: spec{kind: kindSpace, width: n, height: n}} }

// Card is a column on a raised surface.
func Card(kids ...*View) *View { return Column(kids...).Fill(Surface).Radius(16).Pad(16) }

// Tile is a square with an icon on a colour, as app icons and pictures are.
func Tile(icon string, side int, fill Ink) *View {
	return Stack(Icon(icon).Size(side*6/10).Ink(White).Align(Center, Center)).Width(side).
		Height(side).Fill(fill).
		Radius(side * 28 / 100).Class("android.widget.ImageView")
}
