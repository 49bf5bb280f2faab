package skill

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// page is a screen with its elements.
type page struct {
	list  []screen.Element
	state screen.State
	// picture is that of the screen, or nil if it is not known
	picture func() image.Image
	known   *facts
}

// sumOf tells a page from one that was scrolled.
func sumOf(p *page) uint32 { return crc32.ChecksumIEEE(fmt.Append(nil, p.list)) }

// facts are what is found out about a page once: a screen may list thousands of elements.
type facts struct {
	ends   []int             // the index behind the last element that lies in each
	words  []string          // each one's own
	worded []int             // the ones with words
	listed []bool            // each lies in a list, where its kin differ in what they say only
	kin    map[[2]string]int // how many there are of a class and id
}

func (p *page) facts() *facts {
	if p.known != nil {
		return p.known
	}
	n := len(p.list)
	p.known = &facts{ends: slices.Repeat([]int{n}, n), words: make([]string, n),
		listed: make([]bool, n), kin: map[[2]string]int{}}
	var open []int
	for i := range p.list {
		e := &p.list[i]
		for len(open) > 0 && p.list[open[len(open)-1]].Depth >= e.Depth {
			p.known.ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		if up := len(open) - 1; up >= 0 {
			p.known.listed[i] = p.known.listed[open[up]] || lists(&p.list[open[up]])
		}
		open = append(open, i)
		if p.known.words[i] = said(e); p.known.words[i] != "" {
			p.known.worded = append(p.known.worded, i)
		}
		p.known.kin[[2]string{e.Class, e.ResourceID}]++
	}
	return p.known
}

// inside reports whether element i lies in element of, or is it.
func (p *page) inside(i, of int) bool { return i >= of && (i == of || p.end(of) > i) }

// end is the index behind the last element that lies in element i.
func (p *page) end(i int) int { return p.facts().ends[i] }

// says is what an element says: its own words, or those of what lies in it.
func (p *page) says(i int) string {
	f := p.facts()
	if f.words[i] != "" {
		return f.words[i]
	}
	first, _ := slices.BinarySearch(f.worded, i)
	var words []string
	for _, n := range f.worded[first:] {
		if n >= p.end(i) {
			break
		}
		if words = append(words, f.words[n]); len(words) > 4 {
			return "" // a group, which says too much to be known by it
		}
	}
	return strings.Join(lasting(words), " ")
}

// states are words that say how something is, and not what.
var states = regexp.MustCompile(`(?i)^(?:on|off|enabled|disabled|已?[开关]启?|已?关闭|已?[启停禁]用)$`)

// lasting are the words without those of a state, if there are others.
func lasting(words []string) []string {
	if !slices.ContainsFunc(words, func(w string) bool { return !states.MatchString(w) }) {
		return words
	}
	return slices.DeleteFunc(words, states.MatchString)
}

// said are an element's own words. What is typed into a field is not: it is what the field is for.
func said(e *screen.Element) string {
	if e.Editable {
		return plain(e.Hint + " " + e.ContentDesc)
	}
	if e.Text != "" {
		return plain(e.Text)
	}
	return plain(e.ContentDesc)
}

// blank reports whether an element is a field without text.
func blank(e *screen.Element) bool {
	return e.Editable && (e.Text == "" || e.Text == e.Hint)
}

func plain(s string) string { return text.Cut(text.Line(s), 120) }

// focused is the field that has the focus, or -1.
func (p *page) focused() int {
	return slices.IndexFunc(p.list, func(e screen.Element) bool { return e.Focused && e.Editable })
}

// at is the element that answers a touch at a place, or -1. What fills most of the screen says
// nothing of a place on it, unless it is a field.
func (p *page) at(where screen.Point) int {
	if i := screen.At(p.list, where, math.Inf(1)); i >= 0 && p.list[i].Editable {
		return i
	}
	return screen.At(p.list, where, screen.Large)
}

// place is an element's number among its kin, from 1: among those of its row, if it lies in one.
func (p *page) place(i int) int {
	n := 0
	for j := max(p.row(i), 0); j <= i; j++ {
		if p.akin(i, j) {
			n++
		}
	}
	return n
}

// akin reports whether two elements have the same class and id.
func (p *page) akin(i, j int) bool {
	return p.list[i].Class == p.list[j].Class && p.list[i].ResourceID == p.list[j].ResourceID
}

// row is the one of several alike that take touches in which an element lies, or -1.
func (p *page) row(i int) int {
	for of := i - 1; of >= 0; of-- {
		if !p.list[of].Touchable() || !p.inside(i, of) {
			continue
		}
		if p.facts().kin[[2]string{p.list[of].Class, p.list[of].ResourceID}] > 1 {
			return of
		}
	}
	return -1
}

// near are words in the row of an element that are not its own.
func (p *page) near(i int) (words []string) {
	row := p.list[i].Bounds
	for j := range p.list {
		e := &p.list[j]
		middle := e.Bounds.Center().Y
		w := p.facts().words[j]
		if w == "" || foreign(w) || p.inside(j, i) ||
			max(e.Bounds.Area(), row.Area()) >= screen.Large || middle < row.Min.Y ||
			middle > row.Max.Y || slices.Contains(words, w) {
			continue
		}
		words = append(words, w)
	}
	words = lasting(words)
	return words[:min(len(words), 3)]
}

// What may keep a step from being repeated.
var (
	errMissing   = errors.New("it is not on the screen")
	errAmbiguous = errors.New("several things on the screen could be it")
	errCovered   = errors.New("something else lies over it")
	errOpen      = errors.New("what it types or touches was not known by itself when recorded")
	// of what a screen has to show
	errUnseen = errors.New("the screen does not show")
)

// find is where a target is on the page, unless something else would answer there.
func (p *page) find(t *Target) (screen.Point, int, error) {
	i, err := p.locate(t)
	if err != nil {
		return screen.Point{}, -1, err
	}
	return p.touch(t, i)
}

// like are the elements that say the same as a target, else in another spelling, or all.
func (p *page) like(t *Target) (fit []int) {
	var others []int
	for i := range p.list {
		switch says := p.says(i); {
		case !p.list[i].Enabled || !p.list[i].Bounds.Valid():
		case t.Label == "" || alike(t.Label, says, p.inList(i)):
			fit = append(fit, i)
		case spells(says, t.Label):
			others = append(others, i)
		}
	}
	if fit == nil {
		return others
	}
	return fit
}

// locate finds the element that a target is. Each locator narrows down what says the same as the
// target, the best first, until one element remains.
func (p *page) locate(t *Target) (int, error) {
	fit := p.like(t)
	several := false // a locator fits more than one
	for n := range t.Locators {
		l := &t.Locators[n]
		hits := p.hits(t, l, fit)
		switch {
		case len(hits) == 1:
			return hits[0], nil
		case len(hits) > 1:
			fit, several = hits, true
		case several && len(l.Near) > 0: // all of them are in other rows
			return -1, errMissing
		}
	}
	if several {
		return -1, errAmbiguous
	}
	return -1, errMissing
}

// hits are the elements of fit that a locator fits. Of a target without words, a locator that only
// says where it is has to be confirmed.
func (p *page) hits(t *Target, l *locator, fit []int) []int {
	placed := t.Label == "" && !l.tells()
	return p.outermost(slices.DeleteFunc(slices.Clone(fit), func(i int) bool {
		return !p.fits(l, i) || placed && !p.confirmed(t, i)
	}))
}

// looks reports whether an element looks like the fingerprint.
func (p *page) looks(fingerprint string, i int) bool {
	img := p.picture()
	return img != nil && looksLike(fingerprint, patch(img, p.list[i].Bounds))
}

// tells reports whether a locator says which element it is, and not only where.
func (l *locator) tells() bool {
	return l.ID != "" && l.Place == 0 || l.Text != "" || l.Desc != "" || len(l.Near) > 0
}

// confirmed reports whether an element without words looks as the target did, or has its words
// near.
func (p *page) confirmed(t *Target, i int) bool {
	return slices.ContainsFunc(t.Locators, func(l locator) bool {
		return l.Picture != "" && p.looks(l.Picture, i)
	})
}

// outermost leaves out what lies in another of the hits: a button and its text are one thing.
func (p *page) outermost(hits []int) []int {
	return slices.DeleteFunc(slices.Clone(hits), func(i int) bool {
		return slices.ContainsFunc(hits, func(of int) bool {
			return of != i && p.inside(i, of) && p.says(of) == p.says(i)
		})
	})
}

// touch is the place in an element that is touched, unless something else would answer there.
func (p *page) touch(t *Target, i int) (screen.Point, int, error) {
	b := p.list[i].Bounds
	x, y := t.X, t.Y
	if x == 0 && y == 0 {
		x, y = 0.5, 0.5
	}
	at := screen.Point{X: b.Min.X + x*(b.Max.X-b.Min.X), Y: b.Min.Y + y*(b.Max.Y-b.Min.Y)}
	for j := i + 1; j < len(p.list); j++ {
		e := &p.list[j]
		if e.Touchable() && e.Bounds.Contains(at) && !p.inside(j, i) && !p.inside(i, j) {
			return screen.Point{}, -1, errCovered
		}
	}
	return at, i, nil
}

// fits reports whether all of a locator fits an element.
func (p *page) fits(l *locator, i int) bool {
	e := &p.list[i]
	switch {
	case l.ID != "" && !spells(e.ResourceID, l.ID), // it may have a value in it
		l.Text != "" && !spells(plain(e.Text), l.Text) &&
			!alike(l.Text, plain(e.Text), p.inList(i)),
		l.Desc != "" && !spells(plain(e.ContentDesc), l.Desc) &&
			!alike(l.Desc, plain(e.ContentDesc), p.inList(i)),
		l.Class != "" && l.Class != e.Class,
		l.Place != 0 && l.Place != p.place(i):
		return false
	case l.Picture != "" && !p.looks(l.Picture, i):
		return false
	}
	if len(l.Near) == 0 {
		return true
	}
	words := p.near(i)
	return !slices.ContainsFunc(l.Near, func(w string) bool {
		return !slices.ContainsFunc(words, func(says string) bool { return spells(says, w) })
	})
}

// inList reports whether an element lies in a list.
func (p *page) inList(i int) bool { return p.facts().listed[i] }

// lists reports whether what lies in an element is one of many: it scrolls, or would if there were
// more of it.
func lists(e *screen.Element) bool {
	return e.Scrollable || slices.ContainsFunc([]string{"RecyclerView", "ListView", "GridView"},
		func(kind string) bool { return strings.HasSuffix(e.Class, kind) })
}

// What texts of the moment and of a place differ in.
var (
	numeral  = regexp.MustCompile(`\p{Nd}(?:[\p{Nd}.,:'\x{a0}\x{202f}]*\p{Nd})?`)
	currency = regexp.MustCompile(`\p{Sc}`)
	point    = strings.NewReplacer(",", ".", "'", ".", "\u00a0", ".", "\u202f", ".")
	worded   = regexp.MustCompile(`\pL.*\pL.*\pL`)
)

// written is a text with its numbers written in one way, whatever parts their digits and wherever
// the currency stands.
func written(s string) string {
	s = numeral.ReplaceAllStringFunc(s, point.Replace)
	bare := strings.Fields(currency.ReplaceAllString(s, ""))
	return strings.Join(append(bare, currency.FindAllString(s, -1)...), " ")
}

// alike reports whether two texts say the same. Outside of lists their numbers may differ, which
// count or tell the time, if there are words beside them.
func alike(recorded, now string, listed bool) bool {
	recorded = text.Line(recorded)
	if recorded == now || written(recorded) == written(now) {
		return true
	}
	words := numeral.ReplaceAllString(recorded, "#")
	return !listed && words == numeral.ReplaceAllString(now, "#") && worded.MatchString(words)
}

// stands reports whether an element has a value, or as much of it as the app shows of long ones.
func stands(value string, e *screen.Element) bool {
	value = text.Line(value)
	shown := text.Line(cmp.Or(e.Text, e.ContentDesc))
	head := strings.TrimRight(strings.TrimSuffix(shown, text.Ellipsis), ". ")
	n, all := utf8.RuneCountInString(head), utf8.RuneCountInString(value)
	cut := strings.HasSuffix(shown, text.Ellipsis) || strings.HasSuffix(shown, "...")
	return spells(shown, value) || cut && n < all && strings.HasPrefix(value, head) &&
		(n >= 10 || n >= 3 && 2*n >= all)
}
