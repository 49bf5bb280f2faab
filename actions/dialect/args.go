package dialect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	Named string // what the named element says, or ""

	Thought string // in front of the action
	Now     *Situation
	Lang    string

	boxes     boxOrder
	corner    bool
	form      *Form // that is read
	complaint string
	off       *screen.OffScale
}

// Check returns act if it is valid and each of its arguments could be read once. Its error is a
// *ParseError that names the problem and the wanted form.
func (a *Args) Check(act actions.Action, want string) (actions.Action, error) {
	if twice := a.Values.Doubled(); twice != "" {
		return nil, Refuse(text.Quote(twice, MaxShown)+" is there twice", want)
	}
	if _, is := act.(actions.Click); is {
		a.plainClick()
	}
	for _, m := range Doubts(a.Values) {
		if said := strings.Trim(written(m.Value), "[]"); said != "" && !sure.MatchString(said) {
			a.Complain("%s %s: it is not to be done unasked, so ask the person first", m.Name,
				text.Quote(said, MaxShown))
		}
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

// doubts are the names of what a model says with an action that it would have confirmed.
var doubts = fields("pending_safety_checks safety_decision")

// Doubts are those of an object's.
func Doubts(o loose.Object) (all loose.Object) {
	for _, m := range o {
		if slices.Contains(doubts, m.Name) {
			all = append(all, m)
		}
	}
	return all
}

// sure is a decision that holds nothing back.
var sure = regexp.MustCompile(`(?i)^(?:regular|allow|none|false)`)

// plainClick complains of what makes another touch of a click.
func (a *Args) plainClick() {
	for name, plain := range map[string]string{"button": "left", "clicks": "1", "num_clicks": "1",
		"click_count": "1"} {
		if said := strings.ToLower(a.Text(name)); said != "" && said != plain {
			a.Complain("%s %s is not a tap", name, text.Quote(said, MaxShown))
		}
	}
	for _, name := range fields("keys key modifiers modifier text") {
		if said := strings.Join(a.List(name), " "); heldKey.MatchString(said) {
			a.Complain("%s %s is not a tap", name, text.Quote(said, MaxShown))
		}
	}
}

// heldKey matches keys of a computer that are held during a click, and nothing else.
var heldKey = regexp.MustCompile(`(?i)^(?:(?:ctrl|control|shift|alt|option|cmd|command|meta|` +
	`super|win)\b[\s+_-]*)+$`)

// Complain keeps a complaint, unless there is one.
func (a *Args) Complain(format string, v ...any) {
	if a.complaint == "" {
		a.complaint = fmt.Sprintf(format, v...)
	}
}

// value is the first of the arguments that is there and not empty.
func (a *Args) value(names []string) any {
	_, v := a.first(names)
	return v
}

// first is the first of the arguments that is there and not empty, with its name.
func (a *Args) first(names []string) (name string, v any) {
	for _, n := range names {
		v := a.Values.Get(n)
		if s, ok := v.(string); ok && strings.TrimSpace(s) == "" {
			continue
		}
		if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) {
			return n, v
		}
	}
	return "", nil
}

// Has reports whether one of the arguments is there and not empty, or a part of one.
func (a *Args) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == Numbered && a.HasElement() || a.value(strings.Split(n, ",")) != nil
	})
}

// Text returns the text without surrounding spaces and invisible characters, or "" if there is
// none.
func (a *Args) Text(names ...string) string {
	return strings.TrimSpace(text.Lines(loose.Text(a.value(names))))
}

// raw is the first text that is not empty, as it was written.
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
		list, is = loose.ReadList(a.Text(names...))
	}
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

// keyNames are other names of keys, which may be Android's.
var keyNames = map[string]actions.Key{"return": actions.KeyEnter, "backspace": actions.KeyDelete,
	"del": actions.KeyDelete, "recent": actions.KeyRecents, "recent_apps": actions.KeyRecents,
	"app_switch": actions.KeyRecents, "overview": actions.KeyRecents, "返回": actions.KeyBack,
	"主页": actions.KeyHome, "桌面": actions.KeyHome, "最近任务": actions.KeyRecents,
	"回车": actions.KeyEnter}

// Key is a key by its name, or the one key of a list. An unknown one is as it was written.
func (a *Args) Key(names ...string) actions.Key {
	v := a.value(names)
	list, is := v.([]any)
	if is && len(list) != 1 {
		a.Complain("it takes one key at a time")
		return ""
	} else if is {
		v = list[0]
	}
	said := strings.ToLower(strings.TrimSpace(text.Lines(loose.Text(v))))
	name := strings.TrimPrefix(underscored.Replace(said), "keycode_")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_button"), "_key")
	if key, known := keyNames[name]; known {
		return key
	}
	if key := actions.Key(name); slices.Contains(actions.Keys, key) {
		return key
	}
	return actions.Key(said)
}

// timeForm is a number of seconds, of milliseconds, or of minutes.
var timeForm = text.Lazily(`(?i)^(\d{1,12}(?:\.\d{1,40})?)\s*(?:s|secs?|seconds?|秒钟?|` +
	`(ms|milliseconds?|毫秒)|(m|mins?|minutes?|分钟?))?\.?$`)

// inMillis are the names of times in milliseconds.
var inMillis = fields("duration_ms milliseconds ms")

// Duration returns a number of seconds or of the unit behind it, at most a day. It returns 0 if
// there is none.
func (a *Args) Duration(names ...string) time.Duration {
	v := a.Text(names...)
	if v == "" {
		return 0
	}
	if name, _ := a.first(names); slices.Contains(inMillis, name) && !hasLetter.MatchString(v) {
		v += "ms"
	}
	m := timeForm().FindStringSubmatch(v)
	if m == nil {
		a.Complain("%s %s is no time in seconds", names[0], text.Quote(v, MaxShown))
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // timeForm lets only numbers through
	if m[2] != "" {
		n /= 1000
	} else if m[3] != "" {
		n *= 60
	}
	return time.Duration(min(n, 24*60*60) * float64(time.Second))
}

// UsualWait is a wait that says no time.
var UsualWait = actions.Wait{For: 2 * time.Second}

// opposite is the side whose content comes into view when a finger moves to the other.
var opposite = map[actions.Direction]actions.Direction{actions.Up: actions.Down,
	actions.Down: actions.Up, actions.Left: actions.Right, actions.Right: actions.Left}

// direction is a direction by its name. An unknown one is as it was written.
func (a *Args) direction(names ...string) actions.Direction {
	said := strings.ToLower(a.Text(names...))
	return cmp.Or(ways[strings.TrimLeft(said, "向往朝")], actions.Direction(said))
}

var ways = map[string]actions.Direction{"上": actions.Up, "下": actions.Down, "左": actions.Left,
	"右": actions.Right}

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
	to := a.direction(direction)
	side, known := opposite[to]
	if !known {
		a.Complain("there is no direction %s", text.Quote(string(to), MaxShown))
	}
	s := actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: side}
	if a.Has(place...) {
		s.At = a.Point(place...)
	}
	return s
}

// Flag returns a truth value. Without a value it is false.
func (a *Args) Flag(names ...string) bool {
	switch v := strings.ToLower(a.Text(names...)); v {
	case "true", "yes", "1", "是":
		return true
	case "", "false", "no", "0", "否":
		return false
	default:
		a.Complain("%s %s is neither true nor false", names[0], text.Quote(v, MaxShown))
		return false
	}
}

// MaxShown is how many characters of a piece of a reply are shown in a complaint.
const MaxShown = 60

// HasElement reports whether the arguments name an element.
func (a *Args) HasElement() bool { return a.value(elementNames) != nil }

// elementNumber is the number of the element. The error says that it is only described, in words.
func (a *Args) elementNumber() (int, error) {
	return strconv.Atoi(strings.Trim(loose.Text(a.value(elementNames)), " #[]"))
}

// element returns the element that the arguments name, by its number or by a description that fits
// no other. ok is false if they name none.
func (a *Args) element() (mark marks.Mark, ok bool) {
	if !a.HasElement() {
		return marks.Mark{}, false
	}
	v := a.value(elementNames)
	said := loose.Text(v)
	n, err := a.elementNumber()
	mark, found := marks.Find(a.Marks, n)
	if err != nil {
		mark, found = called(a.Marks, said)
	}
	quoted := text.Quote(written(v), MaxShown)
	switch {
	case found:
		a.Named = text.Cut(mark.Label, maxLabel)
		return mark, true
	case len(a.Marks) == 0:
		a.Complain("element %s: no elements are numbered on this screen, name a place instead",
			quoted)
	default:
		a.Complain("element %s is none of the numbered elements, which are %s", quoted,
			numbers(len(a.Marks)))
	}
	return marks.Mark{}, true
}
