package dialect

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/text"
)

// maxLabel is how many characters of what an element says are listed.
const maxLabel = 80

// Elements lists numbered elements, a line each: number, kind, what it says, and its state.
func (w *Words) Elements(list []marks.Mark) []string {
	return text.Each(list, func(m marks.Mark) string {
		return strconv.Itoa(m.Number) + ": " + shown(m) + w.state(&m.Element)
	})
}

// shown is what an element is and says.
func shown(m marks.Mark) string {
	kind := kindOf(m.Element.Class)
	if m.Label == "" {
		return kind
	}
	return kind + ` "` + escape(text.Cut(m.Label, maxLabel), true) + `"`
}

var className = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_]{0,39})$`)

// kindOf is the last part of a class's name.
func kindOf(class string) string { return cmp.Or(className.FindString(class), "View") }

// state returns the known state of an element, beside its texts.
func (w *Words) state(e *screen.Element) string {
	var is []string
	for i, yes := range []bool{e.Editable && !e.Password, e.Password, e.Checkable && e.Checked,
		e.Checkable && !e.Checked, e.Scrollable, e.Focused && e.Editable, !e.Enabled} {
		if yes {
			is = append(is, w.States[i])
		}
	}
	if len(is) == 0 {
		return ""
	}
	return " (" + strings.Join(is, ", ") + ")"
}

// elementNames are what models call the number of an element.
var elementNames = []string{"element", "element_id", "element_number", "index", "mark"}

// numberOf is the number of an element in a reply, with its name in front, in quotes or bare.
var numberOf = regexp.MustCompile(`((?:\\?["']` + anyElement + `\\?["']|[{,]\s*` + anyElement +
	`)\s*[:=]\s*)\\?["']?[\s#\[]*\d+[\s\]]*\\?["']?`)

var anyElement = `(?:` + strings.Join(elementNames, "|") + `)`

// unnumbered is a former reply with what it did in the place of an element's number, which may be
// that of another element by now.
func unnumbered(reply, did string) string {
	return numberOf.ReplaceAllStringFunc(reply, func(s string) string {
		return numberOf.FindStringSubmatch(s)[1] + `"` + escape(did, true) + `"`
	})
}

// called is the one element that says this, or that is listed so.
func called(list []marks.Mark, said string) (one marks.Mark, found bool) {
	for _, m := range list {
		if m.Label == "" ||
			said != text.Cut(m.Label, maxLabel) && !strings.HasSuffix(said, shown(m)) {
			continue
		}
		if found {
			return marks.Mark{}, false
		}
		one, found = m, true
	}
	return one, found
}

func numbers(n int) string {
	if n == 1 {
		return "1 alone"
	}
	return fmt.Sprintf("1 to %d", n)
}
