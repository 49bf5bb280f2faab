package inquiry

import (
	"bytes"
	"encoding/json"
	"fmt"
)

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
