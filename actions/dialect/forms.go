package dialect

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Form is how a family writes one action, and how it reads it.
type Form struct {
	Name string // the name that is written
	Also string // other names that models use for it, with blanks between them
	Want string // how it is to be written, for what could not be read

	// Action is the action without any argument. Fields without an argument have the same value in
	// every action of the form.
	Action actions.Action

	// Args are the arguments, separated by blanks. FIELD=NAME|OTHER is a field of the action with
	// the names under which it is read, the first of which is written. FIELD?=NAME is optional.
	// NAME:VALUE is always written like this.
	Args string

	// Read reads the action where it is more than its fields.
	Read func(*Args) actions.Action
}

// Forms are those of a family. Of several forms of one action the first is written that can say
// all of it, of several with one name the first is read.
type Forms []Form

// own returns the family's form of that name.
func (list Forms) own(name string) *Form {
	name = joined.Replace(strings.ToLower(text.Line(name)))
	for i := range list {
		if slices.ContainsFunc(list[i].names(), func(own string) bool {
			return joined.Replace(strings.ToLower(own)) == name
		}) {
			return &list[i]
		}
	}
	return nil
}

var joined = strings.NewReplacer(" ", "", "_", "", "-", "")

func (f *Form) names() []string { return append(strings.Fields(f.Also), f.Name) }

// Names returns the names that the family writes, in the order of the forms.
func (list Forms) Names() (names []string) {
	for _, f := range list {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Has reports whether an action has that name, the family's own or a usual one.
func (list Forms) Has(name string) bool { return list.Find(name) != nil }

// Known are the family's own names that are read.
func (list Forms) Known() (names []string) {
	for _, f := range list {
		names = append(names, f.names()...)
	}
	return names
}

// Param is an argument of a form.
type Param struct {
	Field    string   // of the action, or "" for a constant
	Names    []string // the first is written
	Optional bool
	Type     reflect.Type // of the field, without a pointer

	value string // that is always the same
}

// Params are the form's arguments, in their order.
func (f *Form) Params() (list []Param) {
	of := reflect.TypeOf(f.Action)
	for _, arg := range strings.Fields(f.Args) {
		field, names, ok := strings.Cut(arg, "=")
		if !ok {
			name, value, _ := strings.Cut(arg, ":")
			list = append(list, Param{Names: []string{name}, Type: reflect.TypeOf(constant(value)),
				value: value})
			continue
		}
		p := Param{Names: strings.Split(names, "|")}
		p.Field, p.Optional = strings.CutSuffix(field, "?")
		in, found := of.FieldByName(p.Field)
		if !found {
			panic(of.Name() + " has no field " + p.Field)
		}
		if p.Type = in.Type; p.Type.Kind() == reflect.Pointer {
			p.Type = p.Type.Elem()
		}
		list = append(list, p)
	}
	return list
}

// Decode makes the action of that name. want says what is expected if missing. Its error is a
// *ParseError.
func (list Forms) Decode(name string, a *Args, want string) (actions.Action, error) {
	if f := list.Find(name); f != nil {
		return f.Decode(a, want)
	}
	if strings.TrimSpace(name) == "" {
		return nil, Refuse("the name of the action is missing", want)
	}
	return nil, Refuse("unknown action "+text.Quote(name, MaxShown), want)
}

// Decode makes the action of the arguments. want says what is expected where the form does not. Its
// error is a *ParseError.
func (f *Form) Decode(a *Args, want string) (actions.Action, error) {
	a.form, want = f, cmp.Or(f.Want, want)
	a.nameInOrder()
	a.endInOne()
	if f.Read != nil {
		return a.Check(f.Read(a), want)
	}
	v := reflect.New(reflect.TypeOf(f.Action)).Elem()
	v.Set(reflect.ValueOf(f.Action))
	for _, p := range f.Params() {
		names := a.Names(p.Field)
		if p.Field == "" || p.Optional && !a.Has(names...) {
			continue
		}
		field := v.FieldByName(p.Field)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(p.Type))
			field = field.Elem()
		}
		a.fill(field, names, f.Action.Verb() == actions.Type{}.Verb())
	}
	act := v.Interface().(actions.Action)
	if w, is := act.(actions.Wait); is {
		act = actions.Wait{For: min(w.For, actions.MaxWait)}
	}
	return a.Check(act, want)
}

// nameInOrder gives arguments without names those of the form, in its order. A place may be two
// numbers.
func (a *Args) nameInOrder() {
	a.Values = bracketed(a.Values)
	unnamed := slices.IndexFunc(a.Values, func(m loose.Member) bool { return m.Name == "" })
	if unnamed < 0 {
		return
	}
	values := slices.Clone(a.Values)
	for _, p := range a.form.Params() {
		at := slices.IndexFunc(values, func(m loose.Member) bool { return m.Name == "" })
		if at < 0 {
			break
		}
		place := p.Type == reflect.TypeFor[screen.Point]()
		said, word := values[at].Value.(string)
		if _, _, ok := numbersIn(said); p.Field == "" || place && word && !ok {
			continue
		}
		name, _, _ := strings.Cut(p.Names[len(p.Names)-1], ",")
		_, number := values[at].Value.(loose.Number)
		if number && place && at+1 < len(values) {
			values[at].Value = []any{values[at].Value, values[at+1].Value}
			values = slices.Delete(values, at+1, at+2)
		}
		if place && name == Numbered {
			name = strings.ToLower(p.Field)
		}
		values[at].Name = name
	}
	a.Values = values
}

// endInOne reads the two ends of a way out of four numbers under one name, which is none of a box.
func (a *Args) endInOne() {
	to := a.Names("To")
	name, v := a.place(a.Names("From"))
	if reflect.TypeOf(a.form.Action) != reflect.TypeFor[actions.Slide]() || a.Has(to...) ||
		a.Has("direction") || strings.ContainsAny(name, ",") || boxed.MatchString(name) {
		return
	}
	if n, named, ok := numbersIn(v); ok && !named && len(n) == 4 {
		parts, _ := flat(v)
		at := slices.IndexFunc(a.Values, func(m loose.Member) bool { return m.Name == name })
		a.Values = slices.Insert(slices.Clone(a.Values), at+1, loose.Member{Name: to[0],
			Value: strings.Join(parts[2:], ",")})
		a.Values[at].Value = strings.Join(parts[:2], ",")
	}
}

// boxed are names of places that four numbers may be the corners of.
var boxed = regexp.MustCompile("box|bounds|start|from")

// bracketed is the values with the numbers of a place in one, as in element=500, 92.
func bracketed(values loose.Object) (all loose.Object) {
	for _, m := range values {
		last := len(all) - 1
		_, number := m.Value.(loose.Number)
		if m.Name != "" || !number || last < 0 || all[last].Name == "" {
			all = append(all, m)
			continue
		}
		switch before := all[last].Value.(type) {
		case loose.Number:
			all[last].Value = []any{before, m.Value}
		case []any:
			all[last].Value = append(slices.Clip(before), m.Value)
		default:
			all = append(all, m)
		}
	}
	return all
}

// fill reads a field. A text that is typed is as it was written.
func (a *Args) fill(field reflect.Value, names []string, typed bool) {
	switch to := field.Addr().Interface().(type) {
	case *screen.Point:
		*to = a.Point(names...)
	case *string:
		*to = a.Text(names...)
		if typed {
			*to = a.Raw(names...)
		}
	case *bool:
		*to = a.Flag(names...)
	case *time.Duration:
		if d := a.Duration(names...); d != 0 || a.Has(names...) {
			*to = d
		}
	case *[]string:
		*to = a.List(names...)
	case *actions.Direction:
		*to = a.direction(names...)
	case *actions.Key:
		*to = a.Key(names...)
	default:
		panic("no argument is read as " + field.Type().String())
	}
}

// Argument is one that is to be written. Its value is a screen.Point, a text, true or false, a list
// of texts, or a number of seconds.
type Argument struct {
	Name  string
	Value any
}

// Write returns the form that expresses the action, and its arguments, or nil if missing.
func (list Forms) Write(a actions.Action) (*Form, []Argument) {
	for i := range list {
		if args, ok := list[i].write(a); ok {
			return &list[i], args
		}
	}
	return nil, nil
}

func (f *Form) write(a actions.Action) (args []Argument, ok bool) {
	if reflect.TypeOf(a) != reflect.TypeOf(f.Action) {
		return nil, false
	}
	left := reflect.New(reflect.TypeOf(a)).Elem() // what no argument says
	left.Set(reflect.ValueOf(a))
	for _, p := range f.Params() {
		if p.Field == "" {
			args = append(args, Argument{p.Names[0], constant(p.value)})
			continue
		}
		field := left.FieldByName(p.Field)
		if !p.Optional || !field.IsZero() {
			args = append(args, Argument{p.Names[0], plainly(reflect.Indirect(field).Interface())})
		}
		field.Set(reflect.ValueOf(f.Action).FieldByName(p.Field))
	}
	return args, reflect.DeepEqual(left.Interface(), f.Action)
}

func constant(s string) any {
	if s == "true" {
		return true
	}
	return s
}

func plainly(field any) any {
	switch v := field.(type) {
	case time.Duration:
		return json.Number(strconv.FormatFloat(v.Seconds(), 'f', -1, 64))
	case actions.Direction:
		return string(v)
	case actions.Key:
		return string(v)
	}
	return field
}

// OwnForm is how an action is written in the words of agent_action: its verb, and its arguments as
// its fields name them.
func OwnForm(a actions.Action) Form {
	f := Form{Name: a.Verb(), Action: a}
	for field := range reflect.TypeOf(a).Fields() {
		arg := field.Name
		if field.Tag.Get("arg") == "" { // no model's to say
			continue
		}
		if strings.Contains(field.Tag.Get("json"), "omitempty") {
			arg += "?"
		}
		f.Args += " " + arg + "=" + strings.ReplaceAll(field.Tag.Get("arg"), ",", "|")
	}
	return f
}
