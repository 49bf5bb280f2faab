package skill

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// switchOf is the switch that a touch of an element changes: it, or the one that lies in it. -1 if
// nothing fits, or several do.
func (p *page) switchOf(i int) int {
	at := -1
	for j := i; i >= 0 && j < p.end(i); j++ {
		if p.list[j].Checkable {
			if at >= 0 {
				return -1
			}
			at = j
		}
	}
	return at
}

// lit is whether the switch of an element is on. One that is none is known only if it is chosen.
func (p *page) lit(i int) (is, known bool) {
	if at := p.switchOf(i); at >= 0 {
		return p.list[at].Checked, true
	}
	return p.list[i].Selected, p.list[i].Selected
}

// changes reports whether a step switches its target, puts it in an order, or marks it.
func (s *Step) changes() bool {
	return len(s.Targets) > 0 && (s.After.On != nil || s.After.Order != "" ||
		slices.ContainsFunc(s.After.Elements, func(e element) bool { return e.Own }))
}

// with is what the page shows with an element: from it to the next of its kin.
func (p *page) with(i int) *page {
	end := i + 1
	for end < len(p.list) && !p.akin(i, end) {
		end++
	}
	return &page{list: p.list[i:end]}
}

// set reports whether what a step changes is as the step would have it. known is false if that
// cannot be told, or the step changes nothing.
func (s *Step) set(p *page) (is, known bool) {
	if !s.changes() {
		return false, false
	}
	i, err := p.locate(&s.Targets[0])
	if err != nil {
		return false, false
	}
	if s.After.On != nil {
		is, known = p.lit(i)
		return is == *s.After.On, known
	}
	if s.After.Order == "" {
		marked := p.with(i)
		return !slices.ContainsFunc(s.After.Elements, func(e element) bool {
			return e.Own && !marked.shows(&e)
		}), true
	}
	at, kin := p.order(i)
	return kin != nil && at == s.After.nth(kin), kin != nil
}

// order is where an element, or the row that it lies in, is among its kin, from 0, and all of them.
// None are known in what scrolls: there may be more.
func (p *page) order(i int) (at int, kin []int) {
	i = cmp.Or(max(p.row(i), 0), i)
	for j := range p.list {
		switch {
		case p.list[j].Scrollable && p.inside(i, j):
			return 0, nil
		case p.akin(i, j):
			kin = append(kin, j)
		}
	}
	return slices.Index(kin, i), kin
}

// nth is the index of the kin that are first or last.
func (s *State) nth(kin []int) int {
	return map[string]int{"first": 0, "last": len(kin) - 1}[s.Order]
}

// drop is where the drag of a step ends: at the first or the last of what is dragged.
func (s *Step) drop(p *page) (screen.Point, int, error) {
	i, err := p.locate(&s.Targets[0])
	if err != nil {
		return screen.Point{}, -1, err
	}
	_, kin := p.order(i)
	if kin == nil {
		return screen.Point{}, -1, errors.New("its list goes on beyond the screen")
	}
	return p.touch(&s.Targets[1], kin[s.After.nth(kin)])
}

// follows reports why the page is not what the step leads to, or nil. On another page, or once it
// was scrolled, the switch need not be there any more.
func (s *Step) follows(p *page, scrolled bool) error {
	if s.changes() {
		is, known := s.set(p)
		if same := p.state.Activity == "" || p.state.Activity == s.Before.Activity; known && !is ||
			!known && same && !scrolled {
			return fmt.Errorf("%s is not as the step would have it",
				text.Quote(s.Targets[0].words(), 60))
		}
	}
	a, _ := s.action()
	if _, opens := a.(actions.OpenApp); opens && s.After.App == "" && p.state.App != "" &&
		s.Before.App == p.state.App {
		return fmt.Errorf("%s is still in front", p.state.App)
	}
	moved := s.After.Activity != s.Before.Activity
	done := len(s.After.Elements) == 0 || moved && p.state.Activity == s.After.Activity
	for n := range s.After.Elements {
		e := &s.After.Elements[n]
		switch shown := p.shows(e); {
		case !shown && e.Must:
			return fmt.Errorf("%w %s", errUnseen, text.Quote(e.words(), 40))
		case shown, e.ID != "" && p.shows(&element{ID: e.ID}):
			done = true
		}
	}
	if done {
		return nil
	}
	return fmt.Errorf("after the step before, %w %s", errUnseen,
		text.Quote(s.After.Elements[0].words(), 40))
}

// did reports whether the page shows that a step was done, by whomever.
func (s *Step) did(p *page) bool {
	if s.changes() {
		is, known := s.set(p)
		return known && is
	}
	moved := s.After.Activity != "" && s.After.Activity != s.Before.Activity
	return (moved || len(s.After.Elements) > 0) && s.After.holds(p) == nil
}

// dialogs are what asks for permissions, by the ends of its names.
var dialogs = regexp.MustCompile(`\.(permissioncontroller|packageinstaller)$`)

// fronts reports which other app or page is in front, or nil.
func (s *State) fronts(p *page) error {
	if s.App == "" && (p.state.App == "android" || dialogs.MatchString(p.state.App)) {
		return fmt.Errorf("a dialog of %s is in front", p.state.App)
	}
	if s.App != "" && p.state.App != "" && s.App != p.state.App {
		return fmt.Errorf("%s is in front, and not %s", p.state.App, s.App)
	}
	if s.Activity != "" && p.state.Activity != "" && s.Activity != p.state.Activity {
		return fmt.Errorf("the page %s is in front, and not %s", p.state.Activity, s.Activity)
	}
	return nil
}

// holds reports why the page is not the state, or nil.
func (s *State) holds(p *page) error {
	if err := s.fronts(p); err != nil {
		return err
	}
	there, must := 0, false
	var lacks []string
	for n := range s.Elements {
		e := &s.Elements[n]
		if p.shows(e) {
			there++
		} else {
			lacks = append(lacks, text.Quote(e.words(), 40))
			must = must || e.Must
		}
	}
	if must || there*2 < len(s.Elements) {
		return fmt.Errorf("%w %s", errUnseen, strings.Join(lacks, ", "))
	}
	return nil
}

func (e *element) words() string { return cmp.Or(e.Text, e.ID) }

// shows reports whether an element is there, by its text where it has one. Its id alone is enough
// where it has none.
func (p *page) shows(e *element) bool {
	for i := range p.list {
		x := &p.list[i]
		switch {
		case e.Text == "" && e.ID != "" && x.ResourceID == e.ID,
			e.Text != "" && (alike(e.Text, said(x), e.Must) || stands(e.Text, x)):
			return true
		}
	}
	return false
}

// What models and the program name places of a screen by.
var (
	places = regexp.MustCompile(`[(\[<]\s*\d[\d.]*\s*,\s*\d[\d.]*`)
	placed = regexp.MustCompile(`( at)? \(\d\.\d{3},\d\.\d{3}\)`)
)

// intent is what a step is for, in words: what was said of it, unless that names a place of the
// screen.
func (s *Step) intent() string {
	a, err := s.action()
	if err != nil || s.Say != "" && !places.MatchString(s.Say) {
		return s.Say
	}
	words := spoken(a, func(n int) string {
		switch {
		case n == 1 && s.After.Order != "":
			return " where it is " + s.After.Order
		case n >= len(s.Targets):
			return " something"
		}
		return " " + text.Quote(s.Targets[n].words(), 60)
	})
	if s.Focus != nil {
		words += " into " + text.Quote(s.Focus.words(), 60)
	}
	return words
}

// spoken is an action with what its places are called instead of where they are. A scroll has none.
func spoken(a actions.Action, place func(n int) string) string {
	n := -1
	return placed.ReplaceAllStringFunc(actions.Describe(a), func(string) string {
		if n++; a.Traits().Scrolls {
			return ""
		}
		return place(n)
	})
}

// called is what is at one of some places, in words.
func (p *page) called(places []screen.Point, n int) string {
	i := -1
	if n < len(places) {
		i = p.at(places[n])
	}
	if i < 0 {
		return " an empty place"
	}
	return " " + text.Quote(cmp.Or(p.says(i), p.list[i].Name(), "something"), 60)
}

// words are what a target is called: by what it says, else by its id or class, and what is beside
// it.
func (t *Target) words() string {
	name, near := cmp.Or(t.Label, t.Hint), ""
	for _, l := range t.Locators {
		kind := l.Class[strings.LastIndex(l.Class, ".")+1:]
		name = cmp.Or(name, l.Text, l.Desc, l.ID[strings.LastIndex(l.ID, "/")+1:], kind)
		near = cmp.Or(near, strings.Join(l.Near, ", "))
	}
	if t.Label+t.Hint == "" && near != "" {
		return name + " beside " + near
	}
	return cmp.Or(name, "something")
}
