package dialect

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/text"
)

// Numbered stands among the names of a place for the element that is named by its number.
const Numbered = "#"

// Point is a place: [x,y], "x,y", {"x": x, "y": y}, or the four numbers of a box. A name such as
// "x,y" stands for two arguments, which say themselves which is which.
func (a *Args) Point(names ...string) screen.Point {
	name, v := a.place(names)
	_, described := a.elementNumber()
	if slices.Contains(names, Numbered) && (v == nil || name == "element" || described == nil) {
		if mark, ok := a.element(); ok {
			a.agree(mark, name, v)
			return mark.At()
		}
	}
	if v == nil {
		missing := "the field " + name + " is missing"
		if x, y, pair := strings.Cut(name, ","); pair {
			missing = "the place is missing: " + x + " and " + y
		}
		a.Complain("%s", missing)
		return screen.Point{}
	}
	n, named, ok := numbersIn(v)
	if !ok {
		a.Complain("%s %s is no point", name, text.Quote(written(v), MaxShown))
		return screen.Point{}
	}
	return a.corners(name, n, named, text.Quote(written(v), MaxShown))
}

// agree complains of a place that is far from the element that is named with it. One that is 0,0
// or 1,1 was filled in.
func (a *Args) agree(mark marks.Mark, name string, v any) {
	n, named, ok := numbersIn(v)
	if !ok || name == "element" || mark.Number == 0 || slices.Max(n) <= 1 {
		return
	}
	said, at := text.Quote(written(v), MaxShown), mark.At()
	p := a.corners(name, n, named, said)
	if !mark.Element.Bounds.Contains(p) && math.Hypot(p.X-at.X, p.Y-at.Y) > 0.1 {
		a.Complain("element %d is not at %s %s: name one of them", mark.Number, name, said)
	}
}

// corners is the place of the numbers: two of a point, or four of a box, whose corners have to be
// on the screen. Where the numbers have names x stands in front.
func (a *Args) corners(name string, n []float64, named bool, shown string) screen.Point {
	if !named && !a.ordered(name) {
		a.Complain("%s %s does not say which number is x: write x and y", name, shown)
		return screen.Point{}
	}
	swap := named && a.Coordinates.YFirst ||
		!named && !a.Coordinates.YFirst && a.boxes == yFirst && boxNames[name]
	scale := a.Coordinates
	if strings.Contains(shown, "%") {
		scale.Unit = 100
	}
	var all []screen.Point
	for i := 0; i < len(n); i += 2 {
		first, second := n[i], n[i+1]
		if swap {
			first, second = second, first
		}
		p, err := scale.Point(first, second, a.Picture)
		if err != nil && a.complaint == "" {
			a.Complain("%s %s %v", name, shown, err)
			a.off, _ = errors.AsType[*screen.OffScale](err)
		}
		all = append(all, p)
	}
	if last := all[len(all)-1]; !a.corner {
		return screen.Point{X: (all[0].X + last.X) / 2, Y: (all[0].Y + last.Y) / 2}
	}
	return all[0]
}

// boxOrder is the order of the numbers of a box by the word of Gemini and GLM, who differ.
type boxOrder int

const (
	unsaid boxOrder = iota
	xFirst
	yFirst
)

// boxNames are that word, and what Gemini calls other places with y in front.
var boxNames = map[string]bool{"box_2d": true, "point": true, "box": true, "bbox": true,
	"bounding_box": true, "bbox_2d": true, "bounds": true}

var (
	writesYFirst = regexp.MustCompile(`gemini|gemma`)
	writesXFirst = regexp.MustCompile(`glm`)
)

// boxesOf returns the order in which a model of that name writes boxes.
func boxesOf(model string) boxOrder {
	switch model = Plain(model); {
	case writesYFirst.MatchString(model):
		return yFirst
	case writesXFirst.MatchString(model):
		return xFirst
	}
	return unsaid
}

// ordered reports whether it is known which of the numbers of a place is x.
func (a *Args) ordered(name string) bool {
	switch {
	case a.Coordinates.YFirst:
		return true
	case a.boxes == yFirst:
		return name == "box_2d" || !boxNames[name]
	}
	return a.boxes == xFirst || name != "box_2d"
}

// place is the first of the arguments that is there, with its name.
func (a *Args) place(names []string) (name string, v any) {
	for _, n := range names {
		x, y, pair := strings.Cut(n, ",")
		both := loose.Object{{Name: "x", Value: a.Values.Get(x)},
			{Name: "y", Value: a.Values.Get(y)}}
		switch {
		case !pair:
			if v := a.value([]string{n}); v != nil {
				return n, v
			}
		case both[0].Value != nil && both[1].Value != nil:
			return n, both
		case both[0].Value != nil: // "x": [1, 2]
			if _, _, place := numbersIn(both[0].Value); place {
				return x, both[0].Value
			}
		}
	}
	return names[0], nil
}

var (
	pointForm = regexp.MustCompile(`^[\s\[(（<]*([^\[\]()（）<>]*)[\s\])）>]*$`)
	// corner is what stands between the corners of a box.
	corner = regexp.MustCompile(`[\])）]\s*[,，]?\s*[\[(（]`)
	// namedForm is two numbers with their names in front: x=1, y=2.
	namedForm = regexp.MustCompile(
		`^[\s\[(（]*[{｛]?\s*(["']?[xy]["']?\s*[:：=＝][^\[\]()（）{}｛｝]*)[\s\])）}｝]*$`)
	between = regexp.MustCompile(`\s*[,，、;；]\s*|\s+`)
	number  = regexp.MustCompile(`^-?\d{1,12}(?:\.\d{1,40})?(?:[eE]\+?\d)?(%?)$`)
)

// numbersIn is the two or four numbers of a place. named says that each has a name, and x stands in
// front.
func numbersIn(v any) (n []float64, named, ok bool) {
	if list, is := v.([]any); is && len(list) == 1 {
		v = list[0]
	}
	if s, is := v.(string); is && namedForm.MatchString(s) {
		o, _, _ := loose.ReadObject("{" + namedForm.FindStringSubmatch(s)[1] + "}")
		v = o
	}
	var each []any
	if o, is := v.(loose.Object); is {
		each, named = namedNumbers(snake(o)), true
		v = each
	}
	parts, ok := flat(v)
	if !ok || len(parts) != 2 && len(parts) != 4 || named && len(parts) != len(each) {
		return nil, false, false
	}
	for _, p := range parts {
		m := number.FindStringSubmatch(p)
		if m == nil || strings.HasSuffix(parts[0], "%") != (m[1] != "") {
			return nil, false, false
		}
		f, _ := strconv.ParseFloat(strings.TrimSuffix(p, "%"), 64) // number lets no other through
		n = append(n, f+0)                                         // -0 becomes 0
	}
	return n, named, true
}

// cornerNames are what the numbers of a place are called.
var cornerNames = [][]string{fields("x y"), fields("x1 y1 x2 y2"), fields("xmin ymin xmax ymax"),
	fields("x_min y_min x_max y_max"), fields("left top right bottom")}

// namedNumbers is the numbers of an object that names each of them, or nil.
func namedNumbers(o loose.Object) (list []any) {
	for _, names := range cornerNames {
		list = nil
		for _, name := range names {
			if v := o.Get(name); v != nil {
				list = append(list, v)
			}
		}
		if len(list) == len(names) && len(list) == len(o) {
			return list
		}
	}
	return nil
}

// flat is the parts of a list, or of a list within a list, or of a text that holds one.
func flat(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		v = strings.Map(loose.Narrow, v)
		v = corner.ReplaceAllString(loose.PlaceTag.ReplaceAllString(v, ""), ",")
		m := pointForm.FindStringSubmatch(strings.Trim(v, `"' `))
		if m == nil {
			return nil, false
		}
		return between.Split(strings.TrimSpace(m[1]), -1), true
	case loose.Number:
		return []string{string(v)}, true
	case []any:
		var parts []string
		for _, e := range v {
			more, ok := flat(e)
			if !ok {
				return nil, false
			}
			parts = append(parts, more...)
		}
		return parts, true
	}
	return nil, false
}

// written is a value about as it was written.
func written(v any) string {
	if o, is := v.(loose.Object); is {
		list := make([]any, len(o))
		for i, m := range o {
			list[i] = m.Value
		}
		v = list
	}
	if list, ok := v.([]any); ok {
		return "[" + strings.Join(text.Each(list, written), ",") + "]"
	}
	return loose.Text(v)
}

func fields(s string) []string { return strings.Fields(s) }
