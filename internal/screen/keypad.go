package screen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Digits returns the indices of the elements that are the keys of a pad by which a number is
// entered: each of ten digits, in any script, alone or before the letters of a telephone's key. It
// is nil for calculators, diallers, clocks and scales, which have other keys between, and if there
// is no pad.
func Digits(list []Element) []int {
	var keys []int
	seen := map[int]bool{}
	for i := range list {
		label := list[i].label()
		if slices.Contains(noPad, label) {
			return nil
		}
		if d := keyDigit(label); d >= 0 && list[i].Bounds.Area() < smallKey {
			keys, seen[d] = append(keys, i), true
		}
	}
	if len(seen) < 10 {
		return nil
	}
	for i := range list {
		if n := list[i].label(); utf8.RuneCountInString(n) > 1 && all(n, unicode.IsDigit) &&
			slices.ContainsFunc(keys, func(k int) bool { return sameSize(&list[i], &list[k]) }) {
			return nil
		}
	}
	return keys
}

// noPad are the keys that calculators and diallers have, and pads for sums, and none for a PIN.
var noPad = strings.Split("+ - − × ÷ = % * # . ,", " ")

const (
	smallKey = 0.06 // of the screen, more than any key has
	canvas   = 0.25 // of the screen, at least, on which keys may be drawn that are not listed
	fewKeys  = 10   // of a keyboard that is drawn
	grid     = 9    // of keys without labels
	widest   = 0.4  // of the screen's width, more than such a key has
)

// SecretPlace reports whether p is on a key by which a secret is entered: a digit of a pad, a
// letter of a drawn keyboard, or, on a page that asks for a secret, a place of which nothing is
// listed. It returns the place that stands for all keys of the kind, on the first of them, and the
// digit if it is known. named says whether words name a password, a code or a PIN; said is what the
// touch is for, in a model's words.
func SecretPlace(
	list []Element, p Point, said string, named func(string) bool,
) (place Point, digit string, is bool) {
	asks, hidden, plain := secretPage(list, named)
	at := smallest(list, p)
	if pad := Digits(list); pad != nil && (asks || hidden || !plain) {
		for _, k := range pad {
			around := at >= 0 && at != k && list[at].label() == "" &&
				list[at].Bounds.Area() < smallKey &&
				list[at].Bounds.Contains(list[k].Bounds.Center())
			if list[k].Bounds.Contains(p) || around {
				return free(list, pad[0]), strconv.Itoa(keyDigit(list[k].label())), true
			}
		}
	}
	empty := !slices.ContainsFunc(list, func(e Element) bool { return e.label() != "" })
	switch {
	case empty && (asks || hidden || named(said)):
	case !asks && !hidden:
		return p, "", false
	}
	if at < 0 || list[at].Bounds.Area() >= canvas && !list[at].Editable && list[at].label() == "" {
		if p.X > 0.8 && p.Y > 0.8 { // the key that ends the entry
			return p, "", false
		}
		return free(list, at), "", true
	}
	if k := firstAlike(list, at); k >= 0 {
		return free(list, k), "", true
	}
	return p, "", false
}

// secretPage reports whether words of the list, or a field, ask for a secret, whether one is shown
// hidden, and whether there is a field for what is no secret, or a sum.
func secretPage(list []Element, named func(string) bool) (asks, hidden, plain bool) {
	for i := range list {
		e := &list[i]
		label := e.label()
		hidden = hidden || e.Password || masked(e.Text) || masked(e.ContentDesc)
		asks = asks || !e.Touchable() && named(label) || e.Editable && named(cmp.Or(e.Hint, label))
		plain = plain || e.Editable && !e.Password || sum(e.Text)
	}
	return asks, hidden, plain
}

// firstAlike is the first of the keys of a drawn keyboard among which the element at is: letters
// and digits, or a grid of pictures. It is -1 if there are too few.
func firstAlike(list []Element, at int) int {
	letter := func(e *Element) bool { return letterKey(e.label()) && e.Bounds.Area() < smallKey }
	picture := func(e *Element) bool {
		return e.label() == "" && e.Touchable() && !e.Editable && sameSize(e, &list[at]) &&
			e.Bounds.Max.X-e.Bounds.Min.X < widest
	}
	is, want := letter, fewKeys
	if list[at].label() == "" {
		is, want = picture, grid
	}
	first, n := -1, 0
	for i := range list {
		if is(&list[i]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n < want || !is(&list[at]) {
		return -1
	}
	return first
}

// free is the first place on the element at, or on the screen for -1, at which no smaller element
// is.
func free(list []Element, at int) Point {
	r := Rect{Max: Point{X: 1, Y: 1}}
	if at >= 0 {
		r = list[at].Bounds
	}
	const steps = 24
	for n := range steps * steps {
		row, column := n/steps, n%steps
		p := Point{X: r.Min.X + (r.Max.X-r.Min.X)*(float64((column+steps/2)%steps)+0.5)/steps,
			Y: r.Min.Y + (r.Max.Y-r.Min.Y)*(float64((row+steps/2)%steps)+0.5)/steps}
		if smallest(list, p) == at {
			return p
		}
	}
	return r.Center()
}

// smallest is the smallest element that contains p, -1 if none does.
func smallest(list []Element, p Point) int {
	at := -1
	for i := range list {
		r := list[i].Bounds
		if r.Contains(p) && (at < 0 || r.Area() <= list[at].Bounds.Area()) {
			at = i
		}
	}
	return at
}

func (e *Element) label() string { return strings.TrimSpace(cmp.Or(e.Text, e.ContentDesc)) }

// keyDigit is the digit of a key's label, or -1.
func keyDigit(label string) int {
	r, n := utf8.DecodeRuneInString(label)
	letters := strings.TrimSpace(label[n:])
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || r == '+' }
	if !unicode.IsDigit(r) || utf8.RuneCountInString(letters) > 5 || !all(letters, letter) {
		return -1
	}
	zero := r // the digits of a script follow each other from its zero, in tens
	for d := range 10 {
		if !unicode.IsDigit(zero - 1) {
			return d
		}
		zero--
	}
	return -1
}

func letterKey(label string) bool {
	r, n := utf8.DecodeRuneInString(label)
	return n > 0 && n == len(label) && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// masked reports whether a text is a secret's that is not shown: dots alone.
func masked(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	return utf8.RuneCountInString(s) > 1 &&
		all(s, func(r rune) bool { return strings.ContainsRune("•●○∙·*＊⚫⚪◦◯▪■□_＿", r) })
}

// sum reports whether a text is a sum of money.
func sum(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) &&
		strings.ContainsFunc(s, unicode.IsDigit)
}

func all(s string, is func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !is(r) })
}

func sameSize(a, b *Element) bool {
	const near = 0.012
	x := (a.Bounds.Max.X - a.Bounds.Min.X) - (b.Bounds.Max.X - b.Bounds.Min.X)
	y := (a.Bounds.Max.Y - a.Bounds.Min.Y) - (b.Bounds.Max.Y - b.Bounds.Min.Y)
	return max(x, -x) < near && max(y, -y) < near
}
