package inquiry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	// the value filled in beforehand, in JSON's types; nil is nothing
	Default any `json:"default,omitempty"`
	// of a number; of a text in characters; of choices how many
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// The bounds of a form.
const (
	maxFields       = 50
	maxFieldOptions = 100  // of one field
	maxFieldLabel   = 2000 // bytes of a label, and of an option
)

var fieldName = text.Lazily(`^[A-Za-z0-9_-]{1,64}$`)

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

// String returns the field in one line, for people.
func (f Field) String() string {
	line := f.Name + " (" + string(f.Type)
	if f.Optional {
		line += ", optional"
	}
	line += ")"
	if f.Label != "" {
		line += " " + f.Label
	}
	if len(f.Options) > 0 {
		line += ": " + strings.Join(f.Options, " / ")
	}
	if f.Default != nil {
		line += fmt.Sprintf(" [%v]", f.Default)
	}
	return text.Line(line)
}
