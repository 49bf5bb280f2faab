package ui

import (
	"image"
	"slices"
	"strings"
)

// IsField reports whether v takes text.
func (v *View) IsField() bool { return v.kind == kindField }

// Focused reports whether the field has the cursor.
func (v *View) Focused() bool {
	return v.kind == kindField && v.mem != nil && v.mem.Focus == v.name
}

// Multiline reports whether Enter makes a new line in the field.
func (v *View) Multiline() bool { return v.multi }

// WantsDigits reports whether the field has the number keyboard.
func (v *View) WantsDigits() bool { return v.digits }

// Action is what the keyboard's enter key says for the field, "" for none.
func (v *View) Action() string { return v.action }

// shown is the text that is drawn: a field's value or its hint, a password as dots.
func (v *View) shown() string {
	switch {
	case v.kind != kindField:
		return v.text
	case *v.value == "":
		return v.desc
	case v.secret:
		return strings.Repeat("•", len([]rune(*v.value)))
	}
	return *v.value
}

func (v *View) cursor() int {
	n := len([]rune(*v.value))
	if c, ok := v.mem.Cursor[v.name]; ok {
		return min(max(c, 0), n)
	}
	return n
}

// Focus puts the cursor into the field, under the finger.
func (v *View) Focus(at image.Point) {
	v.mem.Focus, v.mem.Reveal = v.name, true
	v.mem.All = false
	v.MoveTo(v.runeAt(at))
}

// MoveTo puts the cursor before the n-th rune.
func (v *View) MoveTo(n int) {
	if v.mem.Cursor == nil {
		v.mem.Cursor = map[string]int{}
	}
	v.mem.Cursor[v.name] = min(max(n, 0), len([]rune(*v.value)))
	v.mem.All = false
}

// Move moves the cursor by n runes.
func (v *View) Move(n int) { v.MoveTo(v.cursor() + n) }

// End puts the cursor behind the text.
func (v *View) End() { v.MoveTo(len([]rune(*v.value))) }

// SelectAll selects the whole text: what is typed next replaces it.
func (v *View) SelectAll() { v.mem.All = *v.value != "" }

// Insert types text at the cursor. A field of one line takes newlines as spaces; a field for digits
// takes digits only.
func (v *View) Insert(s string) {
	if !v.multi {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if v.digits {
		s = strings.Map(digit, s)
	}
	if v.mem.All {
		v.set(nil, 0)
	}
	add := []rune(s)
	at := v.cursor()
	v.set(slices.Insert([]rune(*v.value), at, add...), at+len(add))
}

func digit(r rune) rune {
	if r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// Delete removes the selection, or n runes behind the cursor; before it when n is negative.
func (v *View) Delete(n int) {
	runes, at := []rune(*v.value), v.cursor()
	if v.mem.All {
		v.set(nil, 0)
		return
	}
	from, to := max(min(at, at+n), 0), min(max(at, at+n), len(runes))
	v.set(slices.Delete(runes, from, to), from)
}

// Clear empties the field.
func (v *View) Clear() { v.set(nil, 0) }

func (v *View) set(runes []rune, cursor int) {
	*v.value = string(runes)
	v.MoveTo(cursor)
	v.mem.Reveal = true
}

// Submit does what the keyboard's action key does and reports whether there is such an action.
func (v *View) Submit() bool {
	if v.submit != nil {
		v.submit()
	}
	return v.submit != nil
}

// drawn is the field's own text as it is drawn, and its lines.
func (v *View) drawn() (runes []rune, lines []lineSpan) {
	runes = []rune(*v.value)
	if v.secret {
		runes = []rune(strings.Repeat("•", len(runes)))
	}
	if !v.multi {
		return runes, []lineSpan{{0, len(runes)}}
	}
	return runes, breakLines(runes, v.px, v.bold, max(v.inner().Dx(), 0))
}

// caretAt is the line of the cursor and its distance from the line's left end.
func (v *View) caretAt(runes []rune, lines []lineSpan) (row, x int) {
	at := v.cursor()
	for i, l := range lines {
		if l.start <= at {
			row = i
		}
	}
	return row, Measure(string(runes[lines[row].start:min(at, len(runes))]), v.px, v.bold)
}

// offset is how far the text is moved so that the cursor is inside the field.
func (v *View) offset(row, x int) image.Point {
	in := v.inner()
	if !v.Focused() {
		return image.Point{}
	}
	return image.Pt(max(x-in.Dx()+v.dp(2), 0), max((row+1)*lineHeight(v.px)-in.Dy(), 0))
}

func (v *View) runeAt(at image.Point) int {
	runes, lines := v.drawn()
	by := v.offset(v.caretAt(runes, lines))
	at = at.Sub(v.inner().Min).Add(by)
	l := lines[min(max(at.Y/lineHeight(v.px), 0), len(lines)-1)]
	x := 0
	for i := l.start; i < l.end; i++ {
		w := advance(runes[i], v.px, v.bold)
		if x+w/2 > at.X {
			return i
		}
		x += w
	}
	return l.end
}

func (p *painter) field(v *View) {
	in := v.inner()
	w := v.dp(2)
	clip := v.clip.Intersect(v.box).Intersect(in.Inset(-w))
	runes, lines := v.drawn()
	row, x := v.caretAt(runes, lines)
	by := v.offset(row, x)
	if v.Focused() {
		p.focusRing(v)
	}
	c := p.theme.color(v.ink)
	if len(runes) == 0 {
		runes, c = []rune(v.desc), p.theme.color(Dim)
		lines = []lineSpan{{0, len(runes)}}
	}
	old := v.clip
	v.clip = clip
	for i, l := range lines {
		text := strings.TrimRight(string(runes[l.start:l.end]), "\n")
		at := image.Pt(in.Min.X, in.Min.Y+i*lineHeight(v.px)).Sub(by)
		if v.mem.All && v.Focused() && *v.value != "" {
			p.add(Op{Box: image.Rect(at.X, at.Y, at.X+Measure(text, v.px, v.bold),
				at.Y+lineHeight(v.px)), Clip: clip, Color: p.theme.color(Soft)})
		}
		p.line(v, text, at, c)
	}
	v.clip = old
	if v.Focused() && p.caret && !v.mem.All {
		at := image.Pt(in.Min.X+x, in.Min.Y+row*lineHeight(v.px)).Sub(by)
		p.add(Op{Box: image.Rect(at.X, at.Y, at.X+w, at.Y+lineHeight(v.px)), Clip: clip,
			Color: p.theme.color(Accent)})
	}
}

// focusRing draws the field's surface again with a line around it.
func (p *painter) focusRing(v *View) {
	if v.fill == None {
		return
	}
	r, w := v.dp(v.radius), v.dp(2)
	p.add(Op{Box: v.box, Clip: v.clip, Color: p.theme.color(Accent), Radius: r})
	p.add(Op{Box: v.box.Inset(w), Clip: v.clip, Color: p.theme.color(v.fill), Radius: max(r-w, 0)})
}
