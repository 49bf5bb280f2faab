package sandbox

import (
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var (
	keyboardFill = ui.Sunken
	letterRows   = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	symbolRows   = []string{"1234567890", "@#$_&-+()/", "*\"':;!?%="}
)

// around is the height in dp of the gaps between and around the rows of keys.
const around = 3*6 + 2*8

// keyHeight is a row's height in dp. On a low display all of the keys take 46 % of it at most.
func (k *Keyboard) keyHeight() int { return min(52, (k.sys.High*46/100-around)/4) }

func (k *Keyboard) keyboardHeight(s *scene) int {
	if k.ime() == adbIME {
		return s.metrics.Px(36)
	}
	return s.metrics.Px(4*k.keyHeight() + around)
}

// board is the soft keyboard for the focused field of s. The ADB keyboard only says that it is
// there.
func (k *Keyboard) board(s *scene) *ui.View {
	switch {
	case k.ime() == adbIME:
		on := ui.Text("ADB Keyboard {ON}").Size(14).Ink(ui.Dim).Centered()
		return on.Fill(keyboardFill).Modal()
	case s.field.Digits:
		return keyRows(k.chars(s, "123"), k.chars(s, "456"), k.chars(s, "789"),
			[]*ui.View{k.deleteKey(10), k.charKey(s, '0'), k.enterKey(s, 10)})
	}
	rows := letterRows
	if k.symbols {
		rows = symbolRows
	}
	third := append(append([]*ui.View{k.shiftKey()}, k.chars(s, rows[2])...), k.deleteKey(15))
	return keyRows(k.chars(s, rows[0]), k.chars(s, rows[1]), third, k.lastRow(s))
}

// keyRows lays rows of keys out. A second one of nine keys is indented.
func keyRows(rows ...[]*ui.View) *ui.View {
	board := ui.Column().Gap(6).Pad(4, 8).Fill(keyboardFill).Modal()
	for i, keys := range rows {
		row := ui.Row(keys...).Gap(5)
		if i == 1 && len(keys) == 9 {
			row.Pad(18, 0)
		}
		board.Add(row)
	}
	return board
}

// chars are keys that type what they show.
func (k *Keyboard) chars(s *scene, keys string) (row []*ui.View) {
	for _, r := range keys {
		row = append(row, k.charKey(s, r))
	}
	return row
}

func (k *Keyboard) key(face *ui.View, desc string, fill ui.Ink, width int, tap func()) *ui.View {
	name := "key_" + strings.ToLower(strings.ReplaceAll(desc, " ", "_"))
	return face.Height(k.keyHeight()).Fill(fill).Radius(7).Grow(width).Desc(desc).
		Class("android.inputmethodservice.Key").Named(name).OnTap(tap)
}

func (k *Keyboard) deleteKey(width int) *ui.View {
	return k.key(ui.Icon("erase"), "Delete", ui.Line, width, func() { k.typist.press(KeyDelete) })
}

func (k *Keyboard) charKey(s *scene, r rune) *ui.View {
	if k.shift && !s.field.Digits {
		r = unicode.ToUpper(r)
	}
	return k.key(ui.Text(string(r)).Size(21).Centered(), string(r), ui.Surface, 10, func() {
		k.typist.commit(string(r))
		k.shift = false
	})
}

// shiftKey makes the next letter a capital.
func (k *Keyboard) shiftKey() *ui.View {
	icon := map[bool]string{false: "shift", true: "shift-on"}[k.shift]
	return k.key(ui.Icon(icon), "Shift", ui.Line, 15, func() { k.shift = !k.shift && !k.symbols })
}

func (k *Keyboard) lastRow(s *scene) []*ui.View {
	other := "?123"
	if k.symbols {
		other = "ABC"
	}
	space := ui.Text(k.sys.Say("English", "英文")).Size(14).Ink(ui.Dim).Centered()
	flip := func() { k.symbols, k.shift = !k.symbols, false }
	return []*ui.View{
		k.key(ui.Text(other).Size(16).Centered(), other, ui.Line, 15, flip),
		k.charKey(s, ','),
		k.key(space, "Space", ui.Surface, 45, func() { k.typist.commit(" ") }),
		k.charKey(s, '.'),
		k.enterKey(s, 20),
	}
}

// enterKey is a new line, the field's action, or the end of typing.
func (k *Keyboard) enterKey(s *scene, width int) *ui.View {
	f := s.field
	if f.Action != "" {
		face := ui.Text(f.Action).Size(16).Bold().Ink(ui.OnAccent).Centered().Lines(1)
		return k.key(face, "Enter", ui.Accent, width, k.typist.enter)
	}
	icon := "check"
	if f.Multi {
		icon = "enter"
	}
	return k.key(ui.Icon(icon).Ink(ui.OnAccent), "Enter", ui.Accent, width, k.typist.enter)
}
