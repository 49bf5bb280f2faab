package inquiry

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Clean takes out of a question's options what would steer a terminal or hide in them. Open does
// it too.
func Clean(q *Question) {
	ask, form := As[Ask](*q), As[Form](*q)
	ask.Options = cleaned(ask.Options)
	for i := range form.Fields {
		form.Fields[i].Options = cleaned(form.Fields[i].Options)
	}
}

// Form is the body of a question that is answered with a value for each of its fields: one JSON
// object.
type Form struct {
	Words
	Fields []Field `json:"fields,omitempty"`
}

var (
	_ = Register(KindInfo, askOrForm)
	_ = Register(KindInquiry, askOrForm)
)

// Clone implements [Body].
func (f *Form) Clone() Body {
	c := *f
	c.Fields = slices.Clone(f.Fields)
	for i := range c.Fields {
		c.Fields[i] = c.Fields[i].clone()
	}
	return &c
}

// Check implements [Body].
func (f *Form) Check(q *Question, o *Options) error {
	switch {
	case len(f.Fields) == 0:
		return errors.New("the form has no fields")
	case q.Secret:
		return errors.New("a secret question has no form: ask for each secret in a question of " +
			"its own")
	}
	if err := checkForm(f.Fields); err != nil {
		return err
	}
	return checkSilence(q, o)
}

// Take implements [Body].
func (f *Form) Take(q *Question, r Reply, o *Options) (Resolution, error) {
	if r.Type != TypeAnswer {
		return f.Words.Take(q, r, o)
	}
	err := checkText(r.Response, o.MaxAnswer)
	if err == nil {
		r.Response, err = readForm(f.Fields, r.Response)
	}
	return kept(q, r), err
}

// Prefill implements [Body].
func (f *Form) Prefill(draft string) Body {
	c := f.Clone().(*Form)
	values, _ := members(draft)
	for i, field := range c.Fields {
		var v any
		if json.Unmarshal(values[field.Name], &v) == nil {
			c.Fields[i].Default = v
		}
	}
	return c
}

// Details implements [Body].
func (f *Form) Details() (all []Detail) {
	for _, field := range f.Fields {
		all = append(all, Detail{"field", field.String(), true})
	}
	return all
}

// Sort implements [Body].
func (f *Form) Sort() string { return "a form" }

// askOrForm is a Form if the question has fields, else an Ask.
func askOrForm(question []byte) Body {
	var shape struct {
		Fields json.RawMessage `json:"fields"`
	}
	if json.Unmarshal(question, &shape) == nil && len(shape.Fields) > 0 {
		return new(Form)
	}
	return new(Ask)
}

// checkForm reports a fault of a form.
func checkForm(fields []Field) error {
	if len(fields) > maxFields {
		return fmt.Errorf("the form has %d fields (at most %d)", len(fields), maxFields)
	}
	seen := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		if !fieldName().MatchString(f.Name) {
			return fmt.Errorf("field %d is named %s (want letters a to z, digits, _ and -, "+
				"at most 64 of them)", i+1, text.Quote(f.Name, 100))
		}
		if seen[f.Name] {
			return fmt.Errorf("two fields are named %q", f.Name)
		}
		seen[f.Name] = true
		if err := f.check(); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return nil
}

// check reports a fault of a field, and brings its default into canonical form.
func (f *Field) check() error {
	if !isPlainText(f.Label) || len(f.Label) > maxFieldLabel {
		return fmt.Errorf("the label is not plain text of at most %d bytes", maxFieldLabel)
	}
	if err := f.checkOptions(); err != nil {
		return err
	}
	if err := f.checkBounds(); err != nil {
		return err
	}
	if f.Default == nil {
		return nil
	}
	raw, err := json.Marshal(f.Default)
	if err != nil {
		return fmt.Errorf("the default does not fit: %w", err)
	}
	value, problem := f.read(raw)
	if problem != "" {
		return fmt.Errorf("the default does not fit: %s", problem)
	}
	f.Default = value
	return nil
}

func (f *Field) checkOptions() error {
	switch f.Type {
	case ChoiceField, ChoicesField:
	case TextField, YesNoField, NumberField, DateField:
		if len(f.Options) > 0 {
			return fmt.Errorf("type %q has no options (want type %q or %q)", f.Type, ChoiceField,
				ChoicesField)
		}
		return nil
	default:
		return fmt.Errorf("unknown type %s (want one of %q)", text.Quote(string(f.Type), 100),
			[]FieldType{TextField, ChoiceField, ChoicesField, YesNoField, NumberField, DateField})
	}
	if n := len(f.Options); n == 0 || n > maxFieldOptions {
		return fmt.Errorf("there are %d options (want 1 to %d)", n, maxFieldOptions)
	}
	for i, o := range f.Options {
		switch {
		case strings.TrimSpace(o) == "":
			return errors.New("an option is empty")
		case !isPlainText(o) || len(o) > maxFieldLabel:
			return fmt.Errorf("an option is not plain text of at most %d bytes", maxFieldLabel)
		case slices.Contains(f.Options[:i], o):
			return fmt.Errorf("the option %s is there twice", text.Quote(o, 100))
		}
	}
	return nil
}

func (f *Field) checkBounds() error {
	if f.Min == nil && f.Max == nil {
		return nil
	}
	counts := f.Type == TextField || f.Type == ChoicesField
	if !counts && f.Type != NumberField {
		return fmt.Errorf("type %q has no min and no max", f.Type)
	}
	for _, v := range []*float64{f.Min, f.Max} {
		switch {
		case v == nil:
		case math.IsNaN(*v) || math.IsInf(*v, 0):
			return errors.New("min and max are finite numbers")
		case counts && (*v < 0 || *v != math.Trunc(*v) || *v > 1<<31):
			return fmt.Errorf("min and max of type %q count: they are whole numbers from 0", f.Type)
		}
	}
	if f.Min != nil && f.Max != nil && *f.Min > *f.Max {
		return fmt.Errorf("min is %s and max is %s", decimal(*f.Min), decimal(*f.Max))
	}
	if f.Type == ChoicesField && f.Min != nil && *f.Min > float64(len(f.Options)) {
		return fmt.Errorf("min is %s, of %d options", decimal(*f.Min), len(f.Options))
	}
	if counts && f.Max != nil && *f.Max == 0 && !f.Optional {
		return errors.New("max is 0, so nothing fits")
	}
	return nil
}
