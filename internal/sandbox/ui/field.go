package ui

import (
	"image"
	"strings"
	"unicode/utf8"
)

// Field is a text that is edited in place.
type Field struct {
	Multi  bool   // Enter makes a new line in it
	Secret bool   // its text is not shown
	Digits bool   // it takes digits only, and has the number keyboard
	Action string // what the keyboard's enter key says, "" for none

	value  *string
	submit func()
	mem    *Memory // of its layout
}

// Insert types text behind the text. A field of one line takes newlines as spaces. A field for
// digits takes digits only.
func (f *Field) Insert(s string) {
	if !f.Multi {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	if f.Digits {
		s = strings.Map(digit, s)
	}
	f.set(*f.value + s)
}

func digit(r rune) rune {
	if r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// Delete removes the last rune.
func (f *Field) Delete() {
	_, n := utf8.DecodeLastRuneInString(*f.value)
	f.set((*f.value)[:len(*f.value)-n])
}

// Clear empties the field.
func (f *Field) Clear() { f.set("") }

func (f *Field) set(s string) { *f.value, f.mem.Reveal = s, true }

// Submit does what the keyboard's action key does and reports whether there is such an action.
func (f *Field) Submit() bool {
	if f.submit != nil {
		f.submit()
	}
	return f.submit != nil
}

// shown is the text to draw: a password as dots.
func (f *Field) shown() string {
	if f.Secret {
		return strings.Repeat("•", utf8.RuneCountInString(*f.value))
	}
	return *f.value
}

// shown is the text that is drawn: a field's value or its hint.
func (v *spec) shown() string {
	switch {
	case v.field == nil:
		return v.text
	case *v.field.value == "":
		return v.desc
	}
	return v.field.shown()
}

// Field is the field that v edits, nil when v takes no text.
func (v *Placed) Field() *Field { return v.field }

// Focused reports whether the field has the cursor.
func (v *Placed) Focused() bool { return v.field != nil && v.mem.Focus == v.name }

// Focus puts the cursor into the field.
func (v *Placed) Focus() { v.mem.Focus, v.mem.Reveal = v.name, true }

// drawn is the field's text without the composition, as drawn.
func (v *Placed) drawn() (lines []string) {
	if !v.field.Multi {
		return []string{v.field.shown()}
	}
	return breakLines(v.field.shown(), v.px, v.bold, max(v.inner().Dx(), 0))
}

// caret is where the cursor is behind these lines, from their beginning.
func (v *Placed) caret(lines []string) image.Point {
	last := len(lines) - 1
	return image.Pt(Measure(lines[last], v.px, v.bold), last*lineHeight(v.px))
}

// offset is how far the text is moved so that the cursor is inside the field.
func (v *Placed) offset(caret image.Point) image.Point {
	in := v.inner()
	if !v.Focused() {
		return image.Point{}
	}
	return image.Pt(max(caret.X-in.Dx()+v.dp(2), 0),
		max(caret.Y+lineHeight(v.px)-in.Dy(), 0))
}

func (p *painter) field(v *Placed) {
	in := v.inner()
	w := v.dp(2)
	clip := v.clip.Intersect(v.box).Intersect(in.Inset(-w))
	lines := v.drawn()
	caret := v.caret(lines)
	by := v.offset(caret)
	if v.Focused() {
		p.focusRing(v)
	}
	c := p.theme.color(v.ink)
	if *v.field.value == "" {
		lines, c = []string{v.desc}, p.theme.color(Dim)
	}
	cut := *v
	cut.clip = clip
	for i, line := range lines {
		p.line(&cut, line, image.Pt(in.Min.X, in.Min.Y+i*lineHeight(v.px)).Sub(by), c)
	}
	if v.Focused() && p.caret {
		at := in.Min.Add(caret).Sub(by)
		p.add(Op{Box: image.Rect(at.X, at.Y, at.X+w, at.Y+lineHeight(v.px)), Clip: clip,
			Color: p.theme.color(Accent)})
	}
}

// focusRing draws the field's surface again with a line around it.
func (p *painter) focusRing(v *Placed) {
	if v.fill == None {
		return
	}
	r, w := v.dp(v.radius), v.dp(2)
	p.add(Op{Box: v.box, Clip: v.clip, Color: p.theme.color(Accent), Radius: r})
	p.add(Op{Box: v.box.Inset(w), Clip: v.clip, Color: p.theme.color(v.fill), Radius: max(r-w, 0)})
}
