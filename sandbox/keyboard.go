package sandbox

import (
	"strings"
	"unicode"

	"github.com/taploop/taploop/sandbox/ui"
)

var (
	keyboardFill = ui.Sunken
	letterRows   = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	symbolRows   = []string{"1234567890", "@#$_&-+()/", "*\"':;!?%="}
	moreRows     = []string{"~`|{}[]<>^", "\\$€£¥°•…§÷", "×±©®«»¿"}
	digitRows    = []string{"123", "456", "789", "0"}
)

// keyHeight is a row's height in dp; a low display has low keys.
func (p *Phone) keyHeight() int {
	if p.sys.Wide {
		return 38
	}
	return 52
}

func (p *Phone) keyboardHeight(s *scene) int {
	if p.ime() == adbIME {
		return s.metrics.Px(36)
	}
	return s.metrics.Px(4*p.keyHeight() + 3*6 + 2*8)
}

// keyboard is the soft keyboard for the focused field of s. The ADB keyboard only says that it is there.
func (p *Phone) keyboard(s *scene) *ui.View {
	switch {
	case p.ime() == adbIME:
		return ui.Text("ADB Keyboard {ON}").Size(14).Ink(ui.Dim).Centered().Fill(keyboardFill).Modal()
	case s.field.WantsDigits():
		return p.rows(s, digitRows, p.lastDigitRow)
	case p.symbols && p.shift:
		return p.rows(s, moreRows, p.lastRow)
	case p.symbols:
		return p.rows(s, symbolRows, p.lastRow)
	}
	return p.rows(s, letterRows, p.lastRow)
}

// rows lays the rows of keys out; the third one has shift and delete beside it.
func (p *Phone) rows(s *scene, rows []string, last func(s *scene) *ui.View) *ui.View {
	board := ui.Column().Gap(6).Pad(4, 8).Fill(keyboardFill).Modal()
	for i, keys := range rows[:3] {
		row := ui.Row().Gap(5)
		if len(keys) == 9 && i == 1 {
			row.Pad(18, 0)
		}
		if i == 2 && !s.field.WantsDigits() {
			row.Add(p.shiftKey(s))
		}
		for _, r := range keys {
			row.Add(p.charKey(s, r))
		}
		if i == 2 && !s.field.WantsDigits() {
			row.Add(p.key(s, ui.Icon("erase"), "Delete", ui.Line, 15, func() { p.press(KeyDelete) }))
		}
		board.Add(row)
	}
	return board.Add(last(s))
}

func (p *Phone) key(s *scene, face *ui.View, desc string, fill ui.Ink, width int, tap func()) *ui.View {
	return face.Height(p.keyHeight()).Fill(fill).Radius(7).Grow(width).Desc(desc).Class("android.inputmethodservice.Key").
		Named("key_" + strings.ToLower(strings.ReplaceAll(desc, " ", "_"))).OnTap(tap)
}

func (p *Phone) charKey(s *scene, r rune) *ui.View {
	if p.shift && !p.symbols && !s.field.WantsDigits() {
		r = unicode.ToUpper(r)
	}
	return p.key(s, ui.Text(string(r)).Size(21).Centered(), string(r), ui.Surface, 10, func() {
		p.commit(string(r))
		p.shift = p.shift && p.symbols
	})
}

// shiftKey makes the next letter a capital; among the symbols it turns to the others.
func (p *Phone) shiftKey(s *scene) *ui.View {
	flip := func() { p.shift = !p.shift }
	switch {
	case p.symbols && p.shift:
		return p.key(s, ui.Text("?123").Size(15).Centered(), "Symbols", ui.Line, 15, flip)
	case p.symbols:
		return p.key(s, ui.Text("=\\<").Size(15).Centered(), "More symbols", ui.Line, 15, flip)
	case p.shift:
		return p.key(s, ui.Icon("shift-on"), "Shift", ui.Line, 15, flip)
	}
	return p.key(s, ui.Icon("shift"), "Shift", ui.Line, 15, flip)
}

func (p *Phone) lastRow(s *scene) *ui.View {
	other := "?123"
	if p.symbols {
		other = "ABC"
	}
	return ui.Row(
		p.key(s, ui.Text(other).Size(16).Centered(), other, ui.Line, 15, func() { p.symbols, p.shift = !p.symbols, false }),
		p.charKey(s, ','),
		p.key(s, ui.Text(p.sys.Say("English", "英文")).Size(14).Ink(ui.Dim).Centered(), "Space", ui.Surface, 45, func() { p.commit(" ") }),
		p.charKey(s, '.'),
		p.enterKey(s, 20),
	).Gap(5)
}

func (p *Phone) lastDigitRow(s *scene) *ui.View {
	return ui.Row(
		p.key(s, ui.Icon("erase"), "Delete", ui.Line, 10, func() { p.press(KeyDelete) }),
		p.charKey(s, '0'),
		p.enterKey(s, 10),
	).Gap(5)
}

// enterKey is a new line, the field's action, or the end of typing.
func (p *Phone) enterKey(s *scene, width int) *ui.View {
	f := s.field
	if f.Action() != "" {
		face := ui.Text(f.Action()).Size(16).Bold().Ink(ui.OnAccent).Centered().Lines(1)
		return p.key(s, face, "Enter", ui.Accent, width, p.enter)
	}
	icon := "check"
	if f.Multiline() {
		icon = "enter"
	}
	return p.key(s, ui.Icon(icon).Ink(ui.OnAccent), "Enter", ui.Accent, width, p.enter)
}

// commit puts text into the focused field, as an input method does.
func (p *Phone) commit(s string) {
	if f := p.field(); f != nil {
		p.stage.edited = p.sys.Now()
		f.Insert(s)
	}
}

// enter does what the keyboard's enter key does.
func (p *Phone) enter() {
	f := p.field()
	switch {
	case f == nil:
	case f.Multiline():
		p.commit("\n")
	case !f.Submit():
		p.keyboardHidden = true
	}
}

// typed is text from a hardware keyboard: the lock screen takes digits, a field takes all.
func (p *Phone) typed(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			p.press(KeyEnter)
		}
		if !p.locked {
			p.commit(line)
			continue
		}
		for _, d := range line {
			if p.bouncer {
				p.pinDigit(d)
			}
		}
	}
}
