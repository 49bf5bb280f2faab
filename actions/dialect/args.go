package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/text"
)

// Args reads the arguments of an action as a model wrote them, and keeps the first complaint, which
// is made to be shown to the model. Of several names the first counts whose value is not empty.
type Args struct {
	Values loose.Object
	Scale
	Corner bool   // of a box its first corner is the place, and not its centre
	Named  string // the description of the named element, or ""

	Thought string // in front of the action
	Now     *Situation
	Lang    string

	complaint string
	off       *screen.OffScale
}

// Check returns act if it is valid and each of its arguments could be read once. Its error is a
// *ParseError that names the problem and the wanted form.
func (a *Args) Check(act actions.Action, want string) (actions.Action, error) {
	if twice := a.Values.Doubled(); twice != "" {
		return nil, Refuse(text.Quote(twice, MaxShown)+" is there twice", want)
	}
	if a.complaint == "" {
		if err := act.Validate(); err == nil {
			return act, nil
		} else {
			a.Complain("%v", err)
		}
	}
	return nil, &ParseError{Problem: a.complaint, Want: want, Off: a.off}
}

// Complain keeps a complaint, unless there is one.
func (a *Args) Complain(format string, v ...any) {
	if a.complaint == "" {
		a.complaint = fmt.Sprintf(format, v...)
	}
}

// value is the first of the arguments that is there and not empty.
func (a *Args) value(names []string) any {
	for _, n := range names {
		v := a.Values.Get(n)
		if s, ok := v.(string); ok && strings.TrimSpace(s) == "" {
			continue
		}
		if v != nil {
			return v
		}
	}
	return nil
}

// Has reports whether one of the arguments is there and not empty, or a part of one.
func (a *Args) Has(names ...string) bool {
	for _, n := range names {
		if n == Numbered && a.HasElement() || a.value(strings.Split(n, ",")) != nil {
			return true
		}
	}
	return false
}

// Text returns the text without surrounding spaces and invisible characters, or "" if there is
// none.
func (a *Args) Text(names ...string) string {
	return strings.TrimSpace(text.Lines(loose.Text(a.value(names))))
}

// Raw is the first text that is not empty, as it was written.
func (a *Args) Raw(names ...string) string {
	for _, n := range names {
		if s := loose.Text(a.Values.Get(n)); s != "" {
			return s
		}
	}
	return ""
}

// List is texts: a list of them, or one with bars between them.
func (a *Args) List(names ...string) (all []string) {
	list, is := a.value(names).([]any)
	if !is {
		for s := range strings.SplitSeq(a.Text(names...), "|") {
			list = append(list, s)
		}
	}
	for _, v := range list {
		if s := strings.TrimSpace(loose.Text(v)); s != "" {
			all = append(all, s)
		}
	}
	return all
}

var underscored = strings.NewReplacer(" ", "_", "-", "_")

// Key is a key by its name, which may be Android's. One that there is not is as it was written.
func (a *Args) Key(names ...string) actions.Key {
	said := strings.ToLower(a.Text(names...))
	key := actions.Key(strings.TrimPrefix(underscored.Replace(said), "keycode_"))
	if !slices.Contains(actions.Keys, key) {
		return actions.Key(said)
	}
	return key
}

// Numbered stands among the names of a place for the element that is named by its number.
const Numbered = "#"

// Point is a place: [x,y], "x,y", or the four numbers of a box. A name such as "x,y" stands for two
// arguments, which say themselves which is which.
func (a *Args) Point(names ...string) screen.Point {
	if slices.Contains(names, Numbered) {
		if at, ok := a.Element(); ok {
			return at
		}
	}
	name, v := a.place(names)
	if v == nil {
		missing := "the field " + name + " is missing"
		if x, y, pair := strings.Cut(name, ","); pair {
			missing = "the place is missing: " + x + " and " + y
		}
		a.Complain("%s", missing)
		return screen.Point{}
	}
	n, ok := numbersIn(v)
	shown := text.Quote(written(v), MaxShown)
	if !ok {
		a.Complain("%s %s is no point", name, shown)
		return screen.Point{}
	}
	first, second := n[0], n[1]
	if len(n) == 4 && !a.Corner {
		first, second = (n[0]+n[2])/2, (n[1]+n[3])/2
	}
	p, err := a.Coordinates.Point(first, second, a.Picture)
	if err != nil && a.complaint == "" {
		a.Complain("%s %s %v", name, shown, err)
		a.off, _ = errors.AsType[*screen.OffScale](err)
	}
	return p
}

// place is the first of the arguments that is there, with its name.
func (a *Args) place(names []string) (name string, v any) {
	for _, n := range names {
		x, y, pair := strings.Cut(n, ",")
		both := []any{a.Values.Get(x), a.Values.Get(y)}
		switch {
		case !pair:
			if v := a.value([]string{n}); v != nil {
				return n, v
			}
		case both[0] != nil && both[1] != nil:
			if a.Coordinates.YFirst {
				slices.Reverse(both)
			}
			return n, both
		}
	}
	return names[0], nil
}

var (
	pointForm = regexp.MustCompile(`^[\s\[(（]*([^\[\]()（）]*)[\s\])）]*$`)
	between   = regexp.MustCompile(`\s*[,，]\s*|\s+`)
	number    = regexp.MustCompile(`^-?\d{1,12}(?:\.\d{1,40})?$`)
)

// numbersIn is the two or four numbers of a place.
func numbersIn(v any) ([]float64, bool) {
	parts, ok := flat(v)
	if !ok || len(parts) != 2 && len(parts) != 4 {
		return nil, false
	}
	var out []float64
	for _, p := range parts {
		if !number.MatchString(p) {
			return nil, false
		}
		f, _ := strconv.ParseFloat(p, 64) // number lets only numbers through
		out = append(out, f+0)            // -0 becomes 0
	}
	return out, true
}

// flat is the parts of a list, or of a list within a list, or of a text that holds one.
func flat(v any) ([]string, bool) {
	switch v := v.(type) {
	case string:
		m := pointForm.FindStringSubmatch(v)
		if m == nil {
			return nil, false
		}
		return between.Split(strings.TrimSpace(m[1]), -1), true
	case []any:
		var parts []string
		for _, e := range v {
			switch e := e.(type) {
			case loose.Number:
				parts = append(parts, string(e))
			default:
				more, ok := flat(e)
				if !ok {
					return nil, false
				}
				parts = append(parts, more...)
			}
		}
		return parts, true
	}
	return nil, false
}

// written is a value about as it was written.
func written(v any) string {
	if list, ok := v.([]any); ok {
		var parts []string
		for _, e := range list {
			parts = append(parts, written(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return loose.Text(v)
}

var timeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,12}(?:\.\d{1,40})?)\s*(\pL*)\.?$`)
})

// units are what may follow the number of a time.
var units = map[time.Duration]string{
	time.Millisecond: "ms millisecond milliseconds 毫秒",
	time.Second:      "s sec secs second seconds 秒 秒钟",
	time.Minute:      "m min mins minute minutes 分 分钟",
}

// unit returns the unit of that name, seconds for "", and 0 for an unknown name.
func unit(name string) time.Duration {
	if name == "" {
		return time.Second
	}
	for u, names := range units {
		if slices.Contains(strings.Fields(names), strings.ToLower(name)) {
			return u
		}
	}
	return 0
}

// Duration returns a number of seconds or of the unit behind it, at most a day. It returns 0 if
// there is none.
func (a *Args) Duration(names ...string) time.Duration {
	v := a.Text(names...)
	if v == "" {
		return 0
	}
	m := timeForm().FindStringSubmatch(v)
	if m == nil || unit(m[2]) == 0 {
		a.Complain("%s %s is no time in seconds", names[0], text.Quote(v, MaxShown))
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // timeForm lets only numbers through
	return time.Duration(min(n*float64(unit(m[2])), float64(24*time.Hour)))
}

// UsualWait is a wait that says no time.
var UsualWait = actions.Wait{For: 2 * time.Second}

// opposite is the side whose content comes into view when a finger moves to the other.
var opposite = map[actions.Direction]actions.Direction{actions.Up: actions.Down,
	actions.Down: actions.Up, actions.Left: actions.Right, actions.Right: actions.Left}

// ByFinger is an action as families write it whose models scroll by where the finger moves.
func ByFinger(a actions.Action) actions.Action {
	if s, is := a.(actions.Scroll); is {
		s.Direction = opposite[s.Direction]
		return s
	}
	return a
}

// Stroke scrolls by a finger that moves in the direction of that name. It is in the middle of the
// screen when there is no place of these names.
func (a *Args) Stroke(direction string, place ...string) actions.Scroll {
	to := a.Text(direction)
	side, known := opposite[actions.Direction(strings.ToLower(to))]
	if !known {
		a.Complain("there is no direction %s", text.Quote(to, MaxShown))
	}
	s := actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: side}
	if a.Has(place...) {
		s.At = a.Point(place...)
	}
	return s
}

// Flag returns a truth value. Without a value it is false.
func (a *Args) Flag(name string) bool {
	switch v := strings.ToLower(a.Text(name)); v {
	case "true", "yes", "1", "是":
		return true
	case "", "false", "no", "0", "否":
		return false
	default:
		a.Complain("%s %s is neither true nor false", name, text.Quote(v, MaxShown))
		return false
	}
}

// MaxShown is how many characters of a piece of a reply are shown in a complaint.
const MaxShown = 60

// HasElement reports whether the arguments name an element.
func (a *Args) HasElement() bool { return a.Has(elementNames...) }

// Element returns the middle of the element that the arguments name, by its number or by a
// description that fits no other. ok is false if they name none.
func (a *Args) Element() (at screen.Point, ok bool) {
	v := a.value(elementNames)
	if v == nil {
		return screen.Point{}, false
	}
	said := loose.Text(v)
	n, err := strconv.Atoi(strings.Trim(said, " #[]"))
	mark, found := marks.Find(a.Marks, n)
	if err != nil {
		mark, found = called(a.Marks, said)
	}
	quoted := text.Quote(written(v), MaxShown)
	switch {
	case found:
		a.Named = shown(mark)
		return mark.At(), true
	case len(a.Marks) == 0:
		a.Complain("element %s: no elements are numbered on this screen, name a place instead",
			quoted)
	default:
		a.Complain("element %s is none of the numbered elements, which are %s", quoted,
			numbers(len(a.Marks)))
	}
	return screen.Point{}, true
}
