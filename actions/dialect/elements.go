package dialect

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/screen/marks"
)

// marks are the elements of the screen of s with the numbers that they have on its picture; none
// when the dialect does not want them.
func (b *Base) marks(s *Situation, picture screen.Size) []marks.Mark {
	if !b.profile.Elements {
		return nil
	}
	return marks.List(s.Look.Elements, picture)
}

// maxLabel is how many characters of what an element says are listed.
const maxLabel = 80

// Elements lists numbered elements, a line each: number, kind, what it says, and its state.
func (w *Words) Elements(list []marks.Mark) []string {
	var lines []string
	for _, m := range list {
		line := strconv.Itoa(m.Number) + ": " + kindOf(m.Element.Class)
		if m.Label != "" {
			line += ` "` + escape(text.Cut(m.Label, maxLabel), true) + `"`
		}
		lines = append(lines, line+w.state(&m.Element))
	}
	return lines
}

var className = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_]{0,39})$`)

// kindOf is the last part of a class's name.
func kindOf(class string) string { return cmp.Or(className.FindString(class), "View") }

// state is what there is to know of an element besides what it says.
func (w *Words) state(e *screen.Element) string {
	var is []string
	for i, yes := range []bool{e.Editable && !e.Password, e.Password, e.Checkable && e.Checked,
		e.Checkable && !e.Checked, e.Scrollable, e.Focused && e.Editable, !e.Enabled} {
		if yes {
			is = append(is, w.states[i])
		}
	}
	if len(is) == 0 {
		return ""
	}
	return " (" + strings.Join(is, ", ") + ")"
}

// Element is the middle of a numbered element that the arguments name by its number; ok is false
// when they name none.
func (a *Args) Element(names ...string) (at screen.Point, ok bool) {
	v := a.value(names)
	if v == nil {
		return screen.Point{}, false
	}
	shown := text.Quote(written(v), MaxShown)
	n, err := strconv.Atoi(strings.Trim(loose.Text(v), " #[]"))
	mark, found := marks.Find(a.Marks, n)
	switch {
	case err == nil && found:
		return mark.At(), true
	case len(a.Marks) == 0:
		a.Complain("%s %s: no elements are numbered on this screen, name a place instead", names[0],
			shown)
	default:
		a.Complain("%s %s is none of the numbered elements, which are %s", names[0], shown,
			numbers(len(a.Marks)))
	}
	return screen.Point{}, true
}

func numbers(n int) string {
	if n == 1 {
		return "1 alone"
	}
	return fmt.Sprintf("1 to %d", n)
}
