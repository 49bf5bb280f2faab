package skill

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/screen"
)

// drawn is a screen whose elements know which thing they are: the same one on every mutation.
type drawn struct {
	list  []screen.Element
	thing []int
	state screen.State
}

func (d *drawn) add(thing int, e screen.Element, x, y, w, h float64) {
	e.Bounds = screen.Rect{Min: screen.Point{X: x, Y: y}, Max: screen.Point{X: x + w, Y: y + h}}
	e.Enabled = true
	d.list, d.thing = append(d.list, e), append(d.thing, thing)
}

func (d *drawn) page() *page {
	return &page{list: d.list, state: d.state, picture: func() image.Image { return nil }}
}

var people = []string{"Anna Berg", "Tom", "Dr. Lee", "李雷", "Mum", "Bank 24", "6:00", "8:15"}

// mutation is how a screen differs from the recorded one.
type mutation struct {
	order                                    []int // of the rows
	down                                     float64
	otherIDs, gone, renamed, twice, covered  bool
	dialog, otherPage, otherApp, otherNumber bool

	searching bool
	muted     map[int]bool // people, by their numbers
}

// draw draws an app with a list, whose things keep their numbers: 0 to 9 the bar, 100 and more the
// rows with their parts. target is the thing that is touched.
func draw(m mutation, target int) *drawn {
	d := &drawn{state: screen.State{App: "com.example.chat", Activity: "com.example.chat/.List"}}
	id := func(name string) string {
		if m.otherIDs {
			return "com.example.chat:id/v2_" + name
		}
		return "com.example.chat:id/" + name
	}
	if m.otherApp {
		d.state.App, d.state.Activity = "com.example.pay", "com.example.pay/.Main"
	}
	if m.dialog {
		d.add(50, screen.Element{Class: "android.widget.TextView", Depth: 1,
			Text: "Do you like this app?"}, 0.1, 0.4, 0.8, 0.1)
		for i, w := range []string{"Not now", "Rate it"} {
			d.add(51+i, screen.Element{Class: "android.widget.Button", Depth: 1, Text: w,
				Clickable: true, ResourceID: "android:id/button1"}, 0.1+0.4*float64(i), 0.55, 0.4, 0.1)
		}
		return d
	}
	title := "Chats"
	if m.searching {
		title = "Search"
	}
	if m.otherPage {
		title, d.state.Activity = "Blocked", "com.example.chat/.Blocked"
	}
	d.add(1, screen.Element{Class: "android.widget.TextView", Depth: 1, Text: title,
		ResourceID: id("title")}, 0.1, 0.03+m.down, 0.4, 0.05)
	d.add(2, screen.Element{Class: "android.widget.ImageButton", Depth: 1, ContentDesc: "Search",
		ResourceID: id("search"), Clickable: true}, 0.7, 0.03+m.down, 0.1, 0.05)
	unread := "Unread (2)"
	if m.otherNumber {
		unread = "Unread (17)"
	}
	d.add(3, screen.Element{Class: "android.widget.Button", Depth: 1, Text: unread,
		ResourceID: id("unread"), Clickable: true}, 0.8, 0.03+m.down, 0.2, 0.05)
	d.add(4, screen.Element{Class: "android.widget.ListView", Depth: 1, Scrollable: true,
		ResourceID: id("list")}, 0, 0.1+m.down, 1, 0.8-m.down)
	y := 0.1 + m.down
	row := func(n int, says string) {
		d.add(100+n, screen.Element{Class: "android.view.ViewGroup", Depth: 2, Clickable: true,
			ResourceID: id("row")}, 0, y, 1, 0.07)
		d.add(200+n, screen.Element{Class: "android.widget.TextView", Depth: 3, Text: says,
			ResourceID: id("name")}, 0.2, y, 0.4, 0.03)
		d.add(300+n, screen.Element{Class: "android.widget.Switch", Depth: 3, Checkable: true,
			Checked: m.muted[n], ContentDesc: "Mute", ResourceID: id("mute"), Clickable: true}, 0.85, y, 0.1, 0.06)
		y += 0.08
	}
	for _, n := range m.order {
		says := people[n]
		if target%100 == n && target >= 100 {
			switch {
			case m.gone:
				continue
			case m.renamed:
				says = "Somebody else"
			case m.twice:
				row(n, says)
			}
		}
		row(n, says)
	}
	if m.covered {
		d.add(60, screen.Element{Class: "android.widget.FrameLayout", Depth: 1, Clickable: true,
			ContentDesc: "Advertisement"}, 0, 0, 1, 1)
	}
	return d
}

func mutated(r *rand.Rand) mutation {
	m := mutation{order: r.Perm(len(people))[:1+r.IntN(8)], down: r.Float64() * 0.1}
	one := func() bool { return r.IntN(6) == 0 }
	m.otherIDs, m.gone, m.renamed, m.twice, m.covered = one(), one(), one(), one(), one()
	m.dialog, m.otherPage, m.otherApp, m.otherNumber = one(), one(), one(), one()
	return m
}

// On no mutation of a screen is another thing found than the one that was recorded, and the thing
// itself is found on most that still show it.
func TestNothingElseIsFoundOnAScreenThatDiffers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	found, could := 0, 0
	for range 4000 {
		plain := draw(mutation{order: []int{0, 1, 2, 3, 4, 5, 6, 7}}, -1)
		target := []int{2, 3, 100, 101, 102, 103, 104, 105, 106, 107, 300, 302}[r.IntN(12)]
		at := slices.Index(plain.thing, target)
		p := plain.page()
		m := &maker{used: map[string]int{}}
		where := plain.list[at].Bounds.Center()
		got, err := m.target(p, where, at)
		require.NoError(t, err)
		before := m.state(p, nil)

		how := mutated(r)
		now := draw(how, target)
		q := now.page()
		place, i, err := q.find(&got)
		if before.holds(q) != nil {
			err = errMissing
		}
		there := slices.Contains(now.thing, target) && !how.gone && !how.renamed && !how.twice &&
			!how.covered && !how.dialog && !how.otherPage && !how.otherApp
		what := fmt.Sprintf("thing %d on %+v", target, how)
		if err != nil {
			if there {
				could++
			}
			continue
		}
		require.Equal(t, target, now.thing[i], what)
		require.True(t, now.list[i].Bounds.Contains(place), what)
		require.False(t, how.dialog || how.otherPage || how.otherApp || how.covered, what)
		if target >= 100 {
			require.False(t, how.gone || how.renamed || how.twice, what)
		}
		if there {
			could++
			found++
		}
	}
	require.Greater(t, could, 500)
	require.Greater(t, float64(found), 0.95*float64(could))
}

func TestTextsThatSayTheSame(t *testing.T) {
	for _, c := range []struct {
		recorded, now string
		listed, alike bool
	}{
		{"Cart (2)", "Cart (12)", false, true},
		{"Cart (2)", "Cart (12)", true, false},
		{"Pay 1,234.50", "Pay 1.234,50", false, true},
		{"6:00", "8:15", false, false},
		{"Send", "Save", false, false},
		{"Send", "", false, false},
		{"Delete 3 chats", "Delete 4 chats", true, false},
		{"T-shirt $39.00", "T-shirt 39,00 $", true, true},
		{"T-shirt $39.00", "T-shirt 38,00 $", true, false},
		{"T-shirt $39.00", "T-shirt 39,00 €", true, false},
		{"Total 1,234.50", "Total 1\u202f234,50", true, true},
		{"Part 1.5", "Part 15", true, false},
		{"Chapter 1. Two", "Chapter 1, Two", true, false},
	} {
		require.Equal(t, c.alike, alike(c.recorded, c.now, c.listed), "%+v", c)
	}
}

func TestAValueIsShownWholeOrByItsBeginning(t *testing.T) {
	long := strings.Repeat("Long title ", 27)
	for _, c := range []struct {
		value, shown string
		there        bool
	}{
		{long, long, true},
		{long, strings.TrimSpace(long), true},
		{long, long[:150] + "…", true},
		{long, long[:60] + " ...", true},
		{long, long[:150], false}, // the rest of it was not taken
		{long, "Long…", false},
		{long, long[:150] + "x…", false},
		{long, long + "…", false},
		{"日本語のとても長い題名", "日本語のとても…", true},
		{"日本語のとても長い題名", "日本…", false},
		{"say \"hi\"\n and {{text}} 😀", "say \"hi\" and {{text}} 😀", true},
		{"say \"hi\"\n and {{text}} 😀", "say \"hi\"\nand {{text}} 😀", true},
		{"say \"hi\"\n and {{text}} 😀", "say \"hi\"", false},
		{"Room 12", "Room 13", false},
		{"1,234.50 EUR", "1.234,50 EUR", true},
	} {
		p := &page{list: []screen.Element{{Text: c.shown}}}
		x := &element{Text: c.value, Must: true}
		require.Equal(t, c.there, p.shows(x), "%q as %q", c.value, c.shown)
		p.list[0] = screen.Element{Text: c.shown, Editable: true, Hint: "Title"}
		if c.value != "1,234.50 EUR" { // what a field holds is not written in another way
			require.Equal(t, c.there, p.shows(x), "%q in a field as %q", c.value, c.shown)
		}
	}
	p := &page{list: []screen.Element{{Text: "Room 13"}}}
	require.True(t, p.shows(&element{Text: "Room 12"}), "what need not be there may count on")
}

// A page of as many elements as a phone lists at most, however they lie in each other, is searched
// without looking through all of them for each one.
func TestALargePageIsSearched(t *testing.T) {
	const most = 20_000
	for name, depth := range map[string]func(n int) int{
		"nested": func(n int) int { return n }, "flat": func(int) int { return 1 },
		"one row each": func(n int) int { return n % 2 }} {
		p := &page{picture: func() image.Image { return nil }}
		for n := range most {
			p.list = append(p.list, screen.Element{Class: "View", Depth: depth(n), Enabled: true,
				Clickable: true, Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.5}}})
		}
		p.list[most-1].Text = "Pay"
		target := &Target{Label: "Pay", Locators: []locator{{Class: "View", Text: "Pay"}}}
		_, i, err := p.find(target)
		require.NoError(t, err, name)
		require.Equal(t, most-1, i)
		target.Locators = []locator{{Class: "View", Text: "Pay", Place: 7}}
		_, _, err = p.find(target)
		require.ErrorIs(t, err, errMissing, name)
	}
}
