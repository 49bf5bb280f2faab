package dialect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/screen/marks"
)

// Args reads the arguments of an action as a model wrote them, and keeps the first complaint, which
// is made to be shown to the model. Of several names the first counts whose value is not empty.
type Args struct {
	Values loose.Object
	Scale
	Corner bool   // of a box its first corner is the place, and not its centre
	Named  string // what is said of the element that was named, "" for none

	complaint string
	off       *screen.OffScale
}

// Scale is how places are written on one picture.
type Scale struct {
	Coordinates screen.Coordinates
	Picture     screen.Size  // that the model was sent
	Marks       []marks.Mark // the elements that are numbered on it
}

// FieldArgs are arguments that are written as fields.
func FieldArgs(fields []actions.Field, s Scale) Args {
	values := make(loose.Object, len(fields))
	for i, f := range fields {
		values[i] = loose.Member{Name: f.Key, Value: f.Value}
	}
	return Args{Values: values, Scale: s}
}

// Check is act when its arguments could be read, each once, and it is valid, else a *ParseError
// that says what was wrong and what is wanted.
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

// Has reports whether one of the arguments is there and not empty.
func (a *Args) Has(names ...string) bool { return a.value(names) != nil }

// Text is the text without spaces at its ends and without characters that no person could see, ""
// when there is none.
func (a *Args) Text(names ...string) string {
	return strings.TrimSpace(text.Lines(loose.Text(a.value(names))))
}

// Raw is the text as it was written, "" when there is none.
func (a *Args) Raw(name string) string { return loose.Text(a.Values.Get(name)) }

// Point is a place: [x,y], "x,y", or the four numbers of a box.
func (a *Args) Point(names ...string) screen.Point {
	v := a.value(names)
	if v == nil {
		a.Complain("the field %s is missing", names[0])
		return screen.Point{}
	}
	n, ok := numbersIn(v)
	shown := text.Quote(written(v), MaxShown)
	if !ok {
		a.Complain("%s %s is no point", names[0], shown)
		return screen.Point{}
	}
	first, second := n[0], n[1]
	if len(n) == 4 && !a.Corner {
		first, second = (n[0]+n[2])/2, (n[1]+n[3])/2
	}
	p, err := a.Coordinates.Point(first, second, a.Picture)
	if err != nil && a.complaint == "" {
		a.Complain("%s %s %v", names[0], shown, err)
		a.off, _ = errors.AsType[*screen.OffScale](err)
	}
	return p
}

var (
	pointForm = lazyregexp.New(`^[\s\[(（]*([^\[\]()（）]*)[\s\])）]*$`)
	between   = lazyregexp.New(`\s*[,，]\s*|\s+`)
	number    = lazyregexp.New(`^-?\d{1,12}(?:\.\d{1,40})?$`)
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

var timeForm = lazyregexp.New(`^(\d{1,12}(?:\.\d{1,40})?)\s*(\pL*)\.?$`)

// units are what may follow the number of a time.
var units = map[time.Duration]string{
	time.Millisecond: "ms millisecond milliseconds 毫秒",
	time.Second:      "s sec secs second seconds 秒 秒钟",
	time.Minute:      "m min mins minute minutes 分 分钟",
}

// unit is the unit of that name, seconds when there is no name, and 0 when it is none.
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

// Duration is a number of seconds, or of the unit that follows it; 0 when there is none. What is
// longer than a day is a day.
func (a *Args) Duration(names ...string) time.Duration {
	v := a.Text(names...)
	if v == "" {
		return 0
	}
	m := timeForm.FindStringSubmatch(v)
	if m == nil || unit(m[2]) == 0 {
		a.Complain("%s %s is no time in seconds", names[0], text.Quote(v, MaxShown))
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // timeForm lets only numbers through
	return time.Duration(min(n*float64(unit(m[2])), float64(24*time.Hour)))
}

// usualWait is how long a wait is that says no time.
const usualWait = 2 * time.Second

// Wait is a wait of that time, of a usual one when there is none.
func (a *Args) Wait(names ...string) actions.Wait {
	return actions.Wait{For: min(cmp.Or(a.Duration(names...), usualWait), actions.MaxWait)}
}

// opposite is the side whose content comes into view when a finger moves to the other.
var opposite = map[string]actions.Direction{"up": actions.Down, "down": actions.Up,
	"left": actions.Right, "right": actions.Left}

// Stroke scrolls by a finger that moves in the direction of that name. It is in the middle of the
// screen when there is no place of these names.
func (a *Args) Stroke(direction string, place ...string) actions.Scroll {
	to := a.Text(direction)
	side, known := opposite[strings.ToLower(to)]
	if !known {
		a.Complain("there is no direction %s", text.Quote(to, MaxShown))
	}
	s := actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: side}
	if a.Has(place...) {
		s.At = a.Point(place...)
	}
	return s
}

// Flag is true or false; without a value it is false.
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
