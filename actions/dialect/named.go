package dialect

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
)

// Named is the action that an object names, as models write it, by whatever keys:
//
//	{"action": NAME, ...}
//	{"action": {"type": NAME, ...}} or {"action": {NAME: {...}}}
//	{"type": "function", "function": {"name": NAME, "arguments": {...}}}
//	{"name": "mobile_use", "arguments": {"action": NAME, ...}}
//
// Its arguments are beside the name or in a nested object, which may be JSON in a text.
type Named struct {
	Name      string
	Arguments loose.Object
	Thought   string
	Twice     string // the name of what an object has more than once
}

var (
	// actionKeys are the names under which an object names its action, the surest first.
	actionKeys = fields(`action_type action action_name type name tool_name tool recipient_name
		function function_call tool_call command`)
	// surely are those of which one has to be there.
	surely = fields(`action_type action action_name type tool_name tool recipient_name function
		function_call tool_call`)
	inside = fields(`arguments args parameters params input inputs action_inputs action_input
		action_params action_args action_arguments action_parameters tool_input tool_args kwargs`)
	// kindsOfCall are what stands for a name and is none.
	kindsOfCall = fields(`function function_call tool_call tool_use action do mobile_use
		computer_use`)
	thoughts = fields("thought thoughts thinking reasoning explanation")
)

// NamesAction reports whether an object names an action.
func NamesAction(o loose.Object) bool {
	o = snake(o)
	named := func(key string) bool {
		switch v := o.Get(key).(type) {
		case string:
			return v != ""
		case loose.Object:
			return true
		}
		return false
	}
	called := named("name") && slices.ContainsFunc(inside, func(key string) bool {
		return o.Get(key) != nil
	})
	return called || slices.ContainsFunc(surely, named)
}

// ActionIn returns the object that names an action: o, or the one object in it that does, or whose
// name is known as an action's. What is said of another time or of the screen is no action.
func ActionIn(o loose.Object, known func(name string) bool) (loose.Object, bool) {
	if own, is := inCapitals(o); is {
		return own, true
	}
	if NamesAction(o) {
		return o, true
	}
	var found []loose.Object
	for _, m := range o {
		inner, is := m.Value.(loose.Object)
		switch {
		case !is:
		case NamesAction(inner) && holders.MatchString(m.Name) && !elsewhere.MatchString(m.Name):
			found = append(found, inner)
		case known(m.Name):
			found = append(found, loose.Object{{Name: "action", Value: loose.Object{m}}})
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0], true
}

// ByVerb returns the object of the action that is the name of an object's only member beside
// thoughts, as in {"tap": [1, 2]}.
func ByVerb(o loose.Object, known func(name string) bool) (named loose.Object, ok bool) {
	for _, m := range o {
		switch _, nested := m.Value.(loose.Object); {
		case slices.Contains(thoughts, strings.ToLower(m.Name)):
		case ok, nested, m.Value == nil, m.Value == false, !known(m.Name), isArgument(m.Name):
			return nil, false
		default:
			named, ok = loose.Object{{Name: "action", Value: m.Name},
				{Name: "arguments", Value: valuesIn(m.Value)}}, true
		}
	}
	return named, ok
}

// isArgument reports whether a name is that of an argument, too.
func isArgument(name string) bool {
	for _, names := range usualNames {
		if slices.Contains(names, strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// valuesIn is arguments without names: the elements of a list of places or texts, or one value.
func valuesIn(v any) loose.Object {
	if list, is := v.([]any); is && len(list) > 0 {
		if _, number := list[0].(loose.Number); !number {
			return within(v)
		}
	}
	return loose.Object{{Value: v}}
}

// capitals are the names under which AgentCPM writes an action's first argument, and the action.
var capitals = map[string][2]string{"POINT": {"click", "at"}, "PRESS": {"press", "key"},
	"TYPE": {"type", "text"}, "STATUS": {"terminate", "status"}}

// inCapitals is the action of AgentCPM's object. Where a place moves to is the way of the finger.
func inCapitals(o loose.Object) (own loose.Object, ok bool) {
	action := ""
	for _, m := range o {
		form, is := capitals[m.Name]
		said := strings.ToLower(loose.Text(m.Value))
		switch {
		case m.Name == "STATUS" && (said == "start" || said == "continue"):
		case is && action == "":
			action, m.Name = form[0], form[1]
			own = append(own, m)
		case slices.Contains(thoughts, m.Name):
			own = append(own, m)
		case m.Name != "to" && m.Name != "duration":
			return nil, false
		}
	}
	to, hold := o.Get("to"), o.Get("duration")
	side := opposite[actions.Direction(strings.ToLower(loose.Text(to)))]
	switch {
	case action != "click":
	case side != "":
		action = "scroll"
		own = append(own, loose.Member{Name: "direction", Value: string(side)})
	case to != nil:
		action = "swipe"
		own = loose.Object{{Name: "from", Value: own.Get("at")}, {Name: "to", Value: to}}
	case hold != nil:
		action = "long_press"
		own = append(own, loose.Member{Name: "duration_ms", Value: hold})
	}
	return append(own, loose.Member{Name: "action", Value: action}), action != ""
}

var (
	// holders are in the names of what an action stands in.
	holders = regexp.MustCompile(
		`(?i)action|act$|call|command|decision|function|next|output|response|result|step|tool`)
	// elsewhere are in the names of actions that are not the one to do now.
	elsewhere = regexp.MustCompile(
		`(?i)prev|last|prior|past|histor|former|example|expect|plan|later|alternat|reject|not_`)
)

// snake is the object with its keys in small letters, as in start_x for startX.
func snake(o loose.Object) loose.Object {
	small := slices.Clone(o)
	for i, m := range small {
		small[i].Name = strings.ToLower(hump.ReplaceAllString(m.Name, "${1}_$2"))
	}
	return small
}

var hump = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// ReadNamed reads the action of an object. known reports whether an action has that name.
func ReadNamed(o loose.Object, known func(name string) bool) Named {
	o = snake(o)
	n := Named{Twice: o.Doubled()}
	for _, key := range thoughts {
		if n.Thought == "" {
			n.Thought = loose.Text(o.Get(key))
		}
	}
	key := n.naming(o)
	for _, m := range o {
		switch {
		case m.Name == key, slices.Contains(thoughts, m.Name),
			slices.Contains(actionKeys, m.Name) &&
				slices.Contains(kindsOfCall, loose.Text(m.Value)):
		case slices.Contains(inside, m.Name):
			n.Arguments = append(n.Arguments, within(m.Value)...)
		default:
			n.Arguments = append(n.Arguments, m)
		}
	}
	if inner, is := o.Get(key).(loose.Object); is {
		return n.beneath(inner, known)
	}
	if (n.Name == "" || IsSet(n.Name)) && !known(n.Name) && NamesAction(n.Arguments) {
		return n.beneath(n.Arguments, known)
	}
	return n
}

// sets matches the names of tools that are for all actions on a device.
var sets = regexp.MustCompile(`(?i)^(?:(?:mobile|computer|phone|android|device|gui|ui|screen|` +
	`actions?|act|functions?|tools?|agent|use|call|control|step|perform|execute|do|next|multi|` +
	`parallel|\d+)[\W_]*)+$`)

// IsSet reports whether the name of a tool is that of a set of actions, of which the arguments name
// one. An action among the arguments of any other tool is that tool's own.
func IsSet(name string) bool { return sets.MatchString(name) }

// naming is the key whose value is the action, its name, or a call of it.
func (n *Named) naming(o loose.Object) string {
	for _, key := range actionKeys {
		switch v := o.Get(key).(type) {
		case loose.Object:
			return key
		case string:
			if v == "" || slices.Contains(kindsOfCall, v) {
				continue
			}
			n.Name = v
			if c, rest, err := loose.ReadCall(v); err == nil && strings.TrimSpace(rest) == "" {
				n.Name, n.Arguments = c.Name, c.Args
			}
			return key
		}
	}
	return ""
}

// beneath reads the action of an object within that of n.
func (n *Named) beneath(o loose.Object, known func(name string) bool) Named {
	inner := ReadNamed(o, known)
	if inner.Name == "" && len(o) == 1 { // {"tap": {...}}
		inner.Name, inner.Arguments = o[0].Name, within(o[0].Value)
	}
	inner.Thought = cmp.Or(inner.Thought, n.Thought)
	inner.Arguments = append(slices.Clip(inner.Arguments), Doubts(n.Arguments)...)
	inner.Twice = cmp.Or(inner.Twice, n.Twice)
	return inner
}

// within are arguments in an object of their own.
func within(v any) loose.Object {
	if s, ok := v.(string); ok {
		o, _, err := loose.ReadObject(s)
		if err != nil {
			return nil
		}
		return o
	}
	o, _ := v.(loose.Object)
	if list, is := v.([]any); is {
		for _, one := range list {
			o = append(o, loose.Member{Value: one})
		}
	}
	return o
}

// CallArguments reads the arguments of a native call. They may be JSON in a text, or in a nested
// object. Other arguments behind them are an error.
func CallArguments(c actions.Call) (loose.Object, error) {
	said := strings.TrimSpace(c.Arguments)
	var quoted string
	if json.Unmarshal([]byte(said), &quoted) == nil && quoted != "" {
		said = quoted
	}
	o, rest, err := loose.ReadObject(said)
	switch {
	case err != nil:
		return nil, err
	case Another(o, rest, Keyed(member), loose.ReadObject):
		return nil, errors.New("other arguments follow them")
	case len(o) == 1 && slices.Contains(inside, o[0].Name):
		if _, typed := o[0].Value.(string); typed && o[0].Name == "input" {
			return o, nil
		}
		if own := within(o[0].Value); own != nil {
			return own, nil
		}
	}
	return o, nil
}

// member is what stands between a name and its value.
var member = regexp.MustCompile(`[:：=]`)
