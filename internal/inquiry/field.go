package inquiry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
)

// FieldType is what sort of value a field of a form takes.
type FieldType string

// The types of fields, with the JSON of their values.
const (
	TextField    FieldType = "text"    // a string
	ChoiceField  FieldType = "choice"  // one of Options
	ChoicesField FieldType = "choices" // a list of some of Options
	YesNoField   FieldType = "yes_no"  // true or false
	NumberField  FieldType = "number"  // a number
	DateField    FieldType = "date"    // "2026-01-31"
)

// Field is one question of a form. The answer to a form is one JSON object with a value for each
// field: no other keys, and null is a value that was left out.
type Field struct {
	Name     string    `json:"name"` // the key of its value in the answer
	Label    string    `json:"label,omitempty"`
	Type     FieldType `json:"type"`
	Options  []string  `json:"options,omitempty"`
	Optional bool      `json:"optional,omitempty"` // it may be left out
	// what is filled in beforehand, in JSON's types; nil is nothing
	Default any `json:"default,omitempty"`
	// of a number; of a text in characters; of choices how many
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// The bounds of a form.
const (
	MaxFields       = 50
	MaxFieldOptions = 100  // of one field
	MaxFieldLabel   = 2000 // bytes of a label, and of an option
)

var fieldName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
})

// clone is a copy that shares nothing with f.
func (f Field) clone() Field {
	f.Options = slices.Clone(f.Options)
	for _, p := range []**float64{&f.Min, &f.Max} {
		if *p != nil {
			*p = new(**p)
		}
	}
	if list, is := f.Default.([]any); is {
		f.Default = slices.Clone(list)
	}
	return f
}

// checkForm reports what is wrong with a form.
func checkForm(fields []Field) error {
	if len(fields) > MaxFields {
		return fmt.Errorf("the form has %d fields (at most %d)", len(fields), MaxFields)
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

// check reports what is wrong with a field, and brings its default into canonical form.
func (f *Field) check() error {
	if !isPlainText(f.Label) || len(f.Label) > MaxFieldLabel {
		return fmt.Errorf("the label is not plain text of at most %d bytes", MaxFieldLabel)
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
	if n := len(f.Options); n == 0 || n > MaxFieldOptions {
		return fmt.Errorf("there are %d options (want 1 to %d)", n, MaxFieldOptions)
	}
	for i, o := range f.Options {
		switch {
		case strings.TrimSpace(o) == "":
			return errors.New("an option is empty")
		case !isPlainText(o) || len(o) > MaxFieldLabel:
			return fmt.Errorf("an option is not plain text of at most %d bytes", MaxFieldLabel)
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

// Schema is the form in JSON Schema: one flat object whose properties stand in the order of the
// fields, so that a program that does not know this one can show it. It uses only what an MCP
// client's dialog understands. nil for no fields.
//
// What it lets through may still be refused: [Broker.Resolve] decides.
func Schema(fields []Field) json.RawMessage {
	if len(fields) == 0 {
		return nil
	}
	required := []string{}
	var properties bytes.Buffer
	for _, f := range fields {
		member(&properties, f.Name, f.schema())
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s}`,
		properties.Bytes(), encode(required))
}

// schema describes the value of one field.
func (f Field) schema() map[string]any {
	s := map[string]any{}
	if f.Label != "" {
		s["title"] = f.Label
	}
	if f.Default != nil {
		s["default"] = f.Default
	}
	bound := func(least, most string) {
		if f.Min != nil {
			s[least] = *f.Min
		}
		if f.Max != nil {
			s[most] = *f.Max
		}
	}
	switch f.Type {
	case TextField:
		s["type"] = "string"
		if !f.Optional {
			s["minLength"] = 1
		}
		bound("minLength", "maxLength")
	case ChoiceField:
		s["type"], s["enum"] = "string", f.Options
	case ChoicesField:
		s["type"], s["items"] = "array", map[string]any{"type": "string", "enum": f.Options}
		if !f.Optional {
			s["minItems"] = 1
		}
		bound("minItems", "maxItems")
	case YesNoField:
		s["type"] = "boolean"
	case NumberField:
		s["type"] = "number"
		bound("minimum", "maximum")
	case DateField:
		s["type"], s["format"] = "string", "date"
	}
	return s
}
