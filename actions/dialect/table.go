package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// Family is one row of a Table: a dialect and the models that speak it.
type Family struct {
	Name   string
	Speaks func(model string) bool // reports whether a model of this name speaks it
	New    func(Options) Dialect   // is given options with their defaults filled in
}

// Table is the dialects that can be chosen. Its order is the order in which auto tries them.
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

// New returns the dialect of that name. opts may be nil.
func (t Table) New(name string, opts *Options) (Dialect, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", name, err)
	}
	for _, f := range t {
		if f.Name == name || name == Auto && f.Speaks(o.Model) {
			return f.New(o), nil
		}
	}
	err = fmt.Errorf("unknown dialect %q (want one of %s)", name, strings.Join(t.Names(), ", "))
	return nil, hint.Add(err, "set model.dialect to one of these; auto chooses by the model's name")
}
