package screen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// pad is a page with keys in lines of three, below whatever else is on it.
func pad(keys string, above ...screen.Element) []screen.Element {
	list := append([]screen.Element{}, above...)
	for i, label := range strings.Fields(keys) {
		if label == "-" {
			label = ""
		}
		list = append(list, screen.Element{Text: strings.ReplaceAll(label, "~", " "),
			Clickable: true, Depth: 1, Bounds: screen.Rect{Min: keyCorner(i), Max: screen.Point{
				X: keyCorner(i).X + 0.25, Y: keyCorner(i).Y + 0.08}}})
	}
	return list
}

func keyCorner(i int) screen.Point {
	return screen.Point{X: 0.05 + 0.3*float64(i%3), Y: 0.5 + 0.1*float64(i/3)}
}

func keyMiddle(i int) screen.Point {
	return screen.Point{X: keyCorner(i).X + 0.125, Y: keyCorner(i).Y + 0.04}
}

var (
	field = screen.Element{Password: true, Editable: true, Depth: 1,
		Bounds: screen.Rect{Min: screen.Point{X: 0.1, Y: 0.2}, Max: screen.Point{X: 0.9, Y: 0.26}}}
	phoneNumber = screen.Element{Editable: true, Text: "0151", Depth: 1, Bounds: field.Bounds}
	amount      = screen.Element{Text: "₫ 120", Depth: 1, Bounds: field.Bounds}
	dots        = screen.Element{Text: "● ● ○ ○", Depth: 1, Bounds: field.Bounds}
	root        = screen.Element{Class: "android.view.View", Bounds: screen.Rect{
		Max: screen.Point{X: 1, Y: 1}}}
)

func names(words string) bool { return strings.Contains(words, "PIN") }

func TestKeysOfASecretHaveOnePlace(t *testing.T) {
	const inOrder = "1 2 3 4 5 6 7 8 9 ⌫ 0 OK"
	for name, c := range map[string]struct {
		list []screen.Element
		said string
		keys []int // that are a secret's
		free []int // and others
	}{
		"a pad": {list: pad(inOrder), keys: []int{0, 4, 10}, free: []int{9, 11}},
		"shuffled": {list: pad("7 0 5 3 9 4 1 8 6 ⌫ 2 OK", dots), keys: []int{0, 5, 10},
			free: []int{9}},
		"Arabic": {list: pad("١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩ حذف ٠ تم"), keys: []int{0, 6, 10},
			free: []int{9, 11}},
		"Devanagari": {list: pad("१ २ ३ ४ ५ ६ ७ ८ ९ x ०"), keys: []int{0, 8, 10},
			free: []int{9}},
		"Thai": {list: pad("๑ ๒ ๓ ๔ ๕ ๖ ๗ ๘ ๙ ลบ ๐", field), keys: []int{1, 10},
			free: []int{9}},
		"with letters": {list: pad("1 2~ABC 3~DEF 4~GHI 5~JKL 6~MNO 7~PQRS 8~TUV 9~WXYZ ⌫ 0~+ OK"),
			keys: []int{1, 8, 10}},
		"letters":     {list: pad("q w e r t y u i o p a s", field), keys: []int{0, 7, 11}},
		"of pictures": {list: pad("- - - - - - - - - - - -", field), keys: []int{0, 5, 11}},
		"drawn":       {list: []screen.Element{root, field}, keys: []int{0, 4}},
		"not listed":  {said: "tap 4 of the PIN", keys: []int{0, 4}},

		"an unlisted game": {said: "tap the door", free: []int{0, 4}},
		"a calculator":     {list: pad(inOrder + " + - ="), free: []int{0, 4, 10}},
		"a dialler":        {list: pad("1 2 3 4 5 6 7 8 9 * 0 #"), free: []int{0, 4, 10}},
		"a timer":          {list: pad("1 2 3 4 5 6 7 8 9 00 0 x"), free: []int{0, 4, 10}},
		"a scale":          {list: pad("0 1 2 3 4 5 6 7 8 9 10"), free: []int{0, 4, 10}},
		"a telephone":      {list: pad(inOrder, phoneNumber), free: []int{0, 4, 10}},
		"a sum":            {list: pad(inOrder, amount), free: []int{0, 4, 10}},
		"a calendar":       {list: pad("1 2 3 4 5 6 7 8 9 10 11 12"), free: []int{0, 4, 10}},
		"pictures":         {list: pad("- - - - - - - - - - - -"), free: []int{0, 5, 11}},
		"a log-in":         {list: pad("Log~in Register Help", field), free: []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var same *screen.Point
			for _, i := range c.keys {
				place, _, is := screen.SecretPlace(c.list, keyMiddle(i), c.said, names)
				require.True(t, is, "key %d", i)
				if same == nil {
					same = &place
				}
				require.Equal(t, *same, place, "key %d has the place of all", i)
			}
			for _, i := range c.free {
				place, digit, is := screen.SecretPlace(c.list, keyMiddle(i), c.said, names)
				require.False(t, is, "key %d", i)
				require.Equal(t, keyMiddle(i), place)
				require.Empty(t, digit)
			}
		})
	}
	_, digit, _ := screen.SecretPlace(pad("١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩ حذف ٠ تم"), keyMiddle(6), "", names)
	require.Equal(t, "7", digit)
}
