package dialect

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/words"
)

// Family is one row of a Table: a dialect and the models that speak it.
type Family struct {
	Name   string
	Speaks func(model string) bool // reports whether a model of this name speaks it
	New    func(Options) Dialect   // is given options with their defaults filled in

	// Lang is the language in which the family's models were trained, "" for several.
	Lang string

	// Toolless is the dialect for endpoints that take no tools, where this one offers some.
	Toolless string

	// Wrote reports whether a reply is in this dialect's form, readable or not. Text that stands in
	// a thought or within a value does not count.
	Wrote func(r actions.Reply) bool

	// Write writes what was decided elsewhere, by a model of another family, as this one's.
	Write Writer
}

// Table is the dialects that can be chosen. Its order is the order in which auto tries them by
// name, and in which a reply in another form than the chosen dialect's is looked at.
type Table []Family

// Auto chooses the dialect by the model's name.
const Auto = "auto"

// Names lists what New takes.
func (t Table) Names() []string {
	names := []string{Auto}
	for _, f := range t {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// New returns the dialect of that name. It is a [Detector]. opts may be nil.
func (t Table) New(name string, opts *Options) (Dialect, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", name, err)
	}
	if name == Auto {
		name = t.speaking(o.Model).Name
	}
	f := t.named(name)
	if f.New == nil {
		err = fmt.Errorf("unknown dialect %q (want one of %s)", name, strings.Join(t.Names(), ", "))
		return nil, hint.Add(err,
			"set model.dialect to one of these; auto chooses by the model's name")
	}
	if o.Lang == words.Auto {
		o.Lang = f.Lang
	}
	if o.Lang == "" {
		return newMultilingual(f, t, o), nil
	}
	return &chosen{Dialect: f.New(o), family: f, table: t, opts: o}, nil
}

// named returns the row of that name, or an empty one.
func (t Table) named(name string) Family {
	for _, f := range t {
		if f.Name == name {
			return f
		}
	}
	return Family{}
}

// Lang returns the language in which the models of the dialect of that name were trained, "" if in
// several.
func (t Table) Lang(name, model string) string {
	if name == Auto {
		return t.speaking(model).Lang
	}
	return t.named(name).Lang
}

// speaking returns the family of the model of that name.
func (t Table) speaking(model string) Family {
	for _, f := range t {
		if f.Speaks != nil && f.Speaks(model) {
			return f
		}
	}
	return Family{}
}

// Detector is a Dialect that can read replies in others, too.
type Detector interface {
	// Detect reads a reply that Parse has refused and that is in the form of another dialect. It
	// returns that dialect's name, or "" if missing.
	Detect(r actions.Reply, s Situation) (d actions.Decision, name string)
}

// Tooled is a Dialect that may offer tools.
type Tooled interface {
	// Toolless returns the dialect for an endpoint without tools, or nil if this dialect offers
	// none. It always has its built-in prompt.
	Toolless() Dialect
}

// chosen is a dialect of a table.
type chosen struct {
	Dialect
	family Family
	table  Table
	opts   Options
	made   sync.Map // of Dialect, by the names of families
}

// Parse implements Dialect. A reply that was cut off is asked again, whatever is left of it. So is
// a text that is an action in the form of a row before, too, and another one: one of them was
// typed, or copied from the screen.
func (c *chosen) Parse(r actions.Reply, s Situation) (actions.Decision, error) {
	if r.Cut {
		return actions.Decision{}, Refuse("the reply was cut off at its length limit",
			"a short thought, then one action")
	}
	spoilt := unmeant(r)
	d, err := c.Dialect.Parse(r, s)
	if err != nil {
		plain, ok := c.table.unpacked(r)
		if ok && c.family.Wrote(plain) && !c.family.Wrote(r) {
			r = plain
			d, err = c.Dialect.Parse(r, s)
		}
	}
	if err = cmp.Or(err, spoilt); err != nil || len(r.Calls) > 0 {
		return d, err
	}
	for _, f := range c.table {
		if f.Name == c.family.Name {
			break
		}
		if !f.Wrote(r) {
			continue
		}
		other, err := c.as(f).Parse(r, s)
		if err == nil && !reflect.DeepEqual(other.Action, d.Action) {
			return actions.Decision{}, Several("in the form of " + c.family.Name)
		}
	}
	return d, nil
}

// as is another family as it reads a reply to this one's prompt. The picture is the one that was
// sent. The coordinates are the other family's only if the model is one of its own.
func (c *chosen) as(f Family) Dialect {
	if d, is := c.made.Load(f.Name); is {
		return d.(Dialect)
	}
	o := c.opts
	o.Fit, o.Template = new(c.Profile().Fit), nil
	if o.Coordinates == nil && o.Model != "" && f.Name != c.table.speaking(o.Model).Name {
		o.Coordinates = new(c.Profile().Coordinates)
	}
	d, _ := c.made.LoadOrStore(f.Name, f.New(o))
	return d.(Dialect)
}

// Detect implements Detector.
func (c *chosen) Detect(r actions.Reply, s Situation) (actions.Decision, string) {
	if r.Cut || unmeant(r) != nil || c.family.Wrote(r) {
		return actions.Decision{}, ""
	}
	d, name := c.detect(r, s)
	plain, ok := c.table.unpacked(r)
	ok = ok && !c.family.Wrote(plain)
	if ok && name == "" {
		d, name = c.detect(plain, s)
	}
	if name == "" {
		d, name = c.lone(r, s)
	}
	if ok && name == "" {
		d, name = c.lone(plain, s)
	}
	return d, name
}

// detect reads a reply in the form of another row, the first that has it.
func (c *chosen) detect(r actions.Reply, s Situation) (actions.Decision, string) {
	for _, f := range c.table {
		if f.Name == c.family.Name || !f.Wrote(r) {
			continue
		}
		d, err := c.as(f).Parse(r, s)
		if err != nil {
			break // it is asked again, in the chosen dialect's words
		}
		return d, f.Name
	}
	return actions.Decision{}, ""
}

// lone reads a reply that is, behind its thought, one call and nothing else: in the family's words,
// or else in those of the others, if all that know them read the same.
func (c *chosen) lone(r actions.Reply, s Situation) (_ actions.Decision, name string) {
	body := thoughtless(r.Text)
	if len(r.Calls) > 0 || body == "" || ThinkTag.MatchString(body) {
		return actions.Decision{}, ""
	}
	thought := strings.TrimSuffix(Clean(r.Text), body)
	before, call, label := loose.Labelled(body)
	if !c.table.prose(before) {
		return actions.Decision{}, ""
	}
	thought = Reasoned(r.Reasoning, Bare(thought+before))
	var found *actions.Decision
	for _, f := range append(Table{c.family}, c.table...) {
		in, is := c.as(f).(reader)
		if !is {
			continue
		}
		o, ok := loose.ReadLone(call, in.known, label)
		if !ok {
			continue
		}
		d, known, err := in.decode(o, thought, &s)
		switch own := f.Name == c.family.Name; {
		case own && err == nil:
			return d, f.Name
		case !known:
		case own, found != nil && !reflect.DeepEqual(d, *found):
			return actions.Decision{}, ""
		case err == nil:
			found, name = &d, f.Name
		}
	}
	if found == nil {
		return actions.Decision{}, ""
	}
	return *found, name
}

// Toolless implements Tooled.
func (c *chosen) Toolless() Dialect {
	if c.family.Toolless == "" {
		return nil
	}
	f, o := c.table.named(c.family.Toolless), c.opts
	o.Template = nil
	return &chosen{Dialect: f.New(o), family: f, table: c.table, opts: o}
}

// Writer returns the writer of the dialect of that name, or nil if missing.
func (t Table) Writer(name string) Writer { return t.named(name).Write }

// Multilingual is a Dialect that speaks the language of each task. Its profile is that of the
// default language, and a repair has no task: who knows the task asks In for the dialect.
type Multilingual interface {
	Dialect
	// In returns the dialect in a language of words.Languages.
	In(lang string) Dialect
}

type multilingual struct {
	*chosen // in the default language
	in      map[string]*chosen
}

func newMultilingual(f Family, t Table, o Options) *multilingual {
	m := &multilingual{in: map[string]*chosen{}}
	for _, o.Lang = range words.Languages() {
		m.in[o.Lang] = &chosen{Dialect: f.New(o), family: f, table: t, opts: o}
	}
	m.chosen = m.in[words.Default]
	return m
}

// In implements [Multilingual].
func (m *multilingual) In(lang string) Dialect { return m.in[lang] }

// Prompt implements [Dialect].
func (m *multilingual) Prompt(s Situation) (Request, error) {
	return m.in[words.Spoken(s.Task)].Prompt(s)
}

// Parse implements [Dialect].
func (m *multilingual) Parse(r actions.Reply, s Situation) (actions.Decision, error) {
	return m.in[words.Spoken(s.Task)].Parse(r, s)
}
