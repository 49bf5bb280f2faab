package ui

import (
	"image"
	"strings"
	"unicode/utf8"
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

// Focus puts the cursor into the field.
func (v *View) Focus() { v.mem.Focus, v.mem.Reveal = v.name, true }

// Insert types text behind what is there. A field of one line takes newlines as spaces; a field for
// digits takes digits only.
func (v *View) Insert(s string) {
	if !v.multi {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if v.digits {
		s = strings.Map(digit, s)
	}
	v.set(*v.value + s)
}

func digit(r rune) rune {
	if r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// Delete removes the last rune.
func (v *View) Delete() {
	_, n := utf8.DecodeLastRuneInString(*v.value)
	v.set((*v.value)[:len(*v.value)-n])
}

// Clear empties the field.
func (v *View) Clear() { v.set("") }

func (v *View) set(s string) { *v.value, v.mem.Reveal = s, true }

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

// caret is where the cursor is, from the beginning of the text.
func (v *View) caret(runes []rune, lines []lineSpan) image.Point {
	last := lines[len(lines)-1]
	return image.Pt(Measure(string(runes[last.start:last.end]), v.px, v.bold),
		(len(lines)-1)*lineHeight(v.px))
}

// offset is how far the text is moved so that the cursor is inside the field.
func (v *View) offset(caret image.Point) image.Point {
	in := v.inner()
	if !v.Focused() {
		return image.Point{}
	}
	return image.Pt(max(caret.X-in.Dx()+v.dp(2), 0),
		max(caret.Y+lineHeight(v.px)-in.Dy(), 0))
}

func (p *painter) field(v *View) {
	in := v.inner()
	w := v.dp(2)
	clip := v.clip.Intersect(v.box).Intersect(in.Inset(-w))
	runes, lines := v.drawn()
	caret := v.caret(runes, lines)
	by := v.offset(caret)
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
		p.line(v, text, at, c)
	}
	v.clip = old
	if v.Focused() && p.caret {
		at := in.Min.Add(caret).Sub(by)
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
