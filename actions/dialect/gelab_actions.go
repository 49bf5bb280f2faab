package dialect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// anyForm is what is expected when nothing better is known.
const anyForm = "explain:...\taction:CLICK\tpoint:512,92\tsummary:... on one line, with a TAB between the fields"

// Forms of points, for what was expected.
const (
	onePoint  = "\tpoint:x,y with whole numbers from 0 to 1000"
	twoPoints = "\tpoint1:x,y\tpoint2:x,y with whole numbers from 0 to 1000"
)

// gelabAction is how one action is written and read.
type gelabAction struct {
	name string
	also []string                   // other names that models use for it
	form string                     // what follows action:NAME
	read func(*args) actions.Action // leaves complaints about fields in args
}

var gelabActions = []gelabAction{
	{"CLICK", []string{"TAP"}, onePoint, func(a *args) actions.Action { return actions.Click{At: a.point("point")} }},
	{"DOUBLE_CLICK", []string{"DOUBLECLICK", "DOUBLE_TAP"}, onePoint, func(a *args) actions.Action {
		return actions.DoubleClick{At: a.point("point")}
	}},
	{"LONGPRESS", []string{"LONG_PRESS"}, onePoint, func(a *args) actions.Action {
		return actions.LongPress{At: a.point("point"), Hold: a.duration("duration")}
	}},
	{"TYPE", nil, "\tvalue:text", readType},
	{"SLIDE", []string{"SWIPE"}, twoPoints, func(a *args) actions.Action {
		return actions.Slide{From: a.point("point1"), To: a.point("point2"), Took: a.duration("duration")}
	}},
	{"SCROLL", nil, "\tdirection:up" + onePoint, func(a *args) actions.Action {
		return actions.Scroll{At: a.point("point"), Direction: actions.Direction(strings.ToLower(a.text("direction")))}
	}},
	{"DRAG", nil, twoPoints, func(a *args) actions.Action {
		return actions.Drag{From: a.point("point1"), To: a.point("point2")}
	}},
	{"AWAKE", nil, "\tvalue:app name", func(a *args) actions.Action { return actions.OpenApp{App: a.text("value")} }},
	{"BACK", nil, "", func(*args) actions.Action { return actions.Back{} }},
	{"HOME", nil, "", func(*args) actions.Action { return actions.Home{} }},
	{"RECENTS", nil, "", func(*args) actions.Action { return actions.Recents{} }},
	{"HOT_KEY", []string{"HOTKEY"}, "\tkey:name", func(a *args) actions.Action {
		return actions.HotKey{Key: actions.Key(strings.ToLower(spaced.ReplaceAllString(a.text("key", "value"), "_")))}
	}},
	{"WAIT", nil, "\tvalue:seconds", readWait},
	{"INFO", []string{"CALL_USER"}, "\tvalue:question", readInfo},
	{"NOTE", nil, "\tvalue:text", func(a *args) actions.Action { return actions.Note{Text: a.text("value")} }},
	{"COMPLETE", nil, "\treturn:report", func(a *args) actions.Action {
		return actions.Complete{Report: a.text("return", "value")}
	}},
	{"ABORT", nil, "\tvalue:reason", func(a *args) actions.Action {
		return actions.Abort{Reason: a.text("value", "return")}
	}},
}

func readType(a *args) actions.Action {
	t := actions.Type{Text: a.text("value"), Clear: a.flag("clear"), Submit: a.flag("submit")}
	if a.text("point") != "" {
		at := a.point("point")
		t.At = &at
	}
	return t
}

func readWait(a *args) actions.Action {
	d := a.duration("value", "duration")
	if d == 0 {
		a.complain("WAIT needs a time in seconds, above 0")
	}
	return actions.Wait{For: min(d, actions.MaxWait)}
}

func readInfo(a *args) actions.Action {
	q := actions.Info{Question: a.text("value"), Secret: a.flag("secret")}
	for o := range strings.SplitSeq(a.text("options"), "|") {
		if o = strings.TrimSpace(o); o != "" {
			q.Options = append(q.Options, o)
		}
	}
	return q
}

var spaced = regexp.MustCompile(`[\s-]+`)

// decode makes the action that the fields name.
func decode(f fields) (actions.Action, error) {
	written := f.get("action")
	name := strings.ToUpper(spaced.ReplaceAllString(strings.Trim(written, " \"'`*[]().。"), "_"))
	for _, g := range gelabActions {
		if name != g.name && !slices.Contains(g.also, name) {
			continue
		}
		in := args{fields: f}
		a := g.read(&in)
		if in.err == "" {
			err := a.Validate()
			if err == nil {
				return a, nil
			}
			in.complain("%v", err)
		}
		return nil, &ParseError{in.err, "action:" + g.name + g.form}
	}
	if name == "" {
		return nil, &ParseError{"the field action is empty", actionNames()}
	}
	return nil, &ParseError{"unknown action " + show(written), actionNames()}
}

func actionNames() string {
	var names []string
	for _, g := range gelabActions {
		names = append(names, g.name)
	}
	return "one of " + strings.Join(names, ", ")
}

// args reads an action's fields and keeps the first complaint.
type args struct {
	fields fields
	err    string
}

func (a *args) complain(format string, v ...any) {
	if a.err == "" {
		a.err = fmt.Sprintf(format, v...)
	}
}

// text is the first of the fields that is there and not empty.
func (a *args) text(keys ...string) string {
	for _, k := range keys {
		if v := a.fields.get(k); v != "" {
			return v
		}
	}
	return ""
}

var (
	pointForm = regexp.MustCompile(`^[\s\[(（]*([^\[\]()（）]*)[\s\])）]*$`)
	between   = regexp.MustCompile(`\s*[,，]\s*|\s+`)
	number    = regexp.MustCompile(`^-?\d{1,12}(?:\.\d{1,12})?$`)
)

// point reads "x,y" in its forms: a comma or a space between, brackets around, decimals, or the four numbers of a box, of
// which the first two count.
func (a *args) point(key string) screen.Point {
	v := a.text(key)
	if v == "" {
		a.complain("the field %s is missing", key)
		return screen.Point{}
	}
	n, ok := numbers(v)
	if !ok {
		a.complain("%s %s is no point", key, show(v))
		return screen.Point{}
	}
	x, y := n[0], n[1]
	switch {
	case x < 0 || x > 1000 || y < 0 || y > 1000:
		a.complain("%s %s is off the screen, where x and y go from 0 to 1000", key, show(v))
	case x <= 1 && y <= 1 && (x != float64(int(x)) || y != float64(int(y))):
		a.complain("%s %s looks like fractions, but x and y are whole numbers from 0 to 1000", key, show(v))
	}
	return screen.Permille(x, y)
}

func numbers(v string) ([]float64, bool) {
	m := pointForm.FindStringSubmatch(v)
	if m == nil {
		return nil, false
	}
	parts := between.Split(strings.TrimSpace(m[1]), -1)
	if len(parts) != 2 && len(parts) != 4 {
		return nil, false
	}
	var out []float64
	for _, p := range parts {
		if !number.MatchString(p) {
			return nil, false
		}
		f, err := strconv.ParseFloat(p, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, f+0) // -0 becomes 0
	}
	return out, true
}

var (
	timeForm = regexp.MustCompile(`^(\d{1,12}(?:\.\d{1,12})?)\s*(\pL*)\.?$`)
	units    = map[string]time.Duration{
		"": time.Second, "s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
		"秒": time.Second, "秒钟": time.Second,
		"ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond, "毫秒": time.Millisecond,
		"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
		"分": time.Minute, "分钟": time.Minute,
	}
)

// duration reads a number of seconds, or of the unit that follows it; 0 when the field is missing or empty.
// What is longer than a day is a day.
func (a *args) duration(keys ...string) time.Duration {
	v := a.text(keys...)
	if v == "" {
		return 0
	}
	m := timeForm.FindStringSubmatch(v)
	if m == nil {
		a.complain("%s %s is no time in seconds", keys[0], show(v))
		return 0
	}
	unit, ok := units[strings.ToLower(m[2])]
	n, err := strconv.ParseFloat(m[1], 64)
	if !ok || err != nil {
		a.complain("%s %s is no time in seconds", keys[0], show(v))
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(24*time.Hour)))
}

// flag reads true or false; a missing field is false.
func (a *args) flag(key string) bool {
	switch v := strings.ToLower(a.text(key)); v {
	case "true", "yes", "1", "是":
		return true
	case "", "false", "no", "0", "否":
		return false
	default:
		a.complain("%s %s is neither true nor false", key, show(v))
		return false
	}
}

// show is a piece of a reply in quotes, short enough to be told.
func show(s string) string {
	const shown = 60
	if r := []rune(s); len(r) > shown {
		s = string(r[:shown]) + "..."
	}
	return strconv.Quote(s)
}
