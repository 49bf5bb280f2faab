package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// kind is the JSON type of an argument.
type kind string

const (
	textual  kind = "string"
	integer  kind = "integer"
	number   kind = "number"
	flag     kind = "boolean"
	object   kind = "object"
	list     kind = "array"
	anything kind = "" // a value of any type
)

// param is what one argument of a tool may be. The schema and the check are made from it.
type param struct {
	name     string
	kind     kind
	words    string
	required bool
	def      any      // what it is when it is left out; nil when that is said in words
	enum     []string // of a text
	min, max float64  // of a number; of a text, max is its characters; of an object, the bytes of its JSON; of a list, its items
	item     *param   // of a list of plain values
	items    []param  // of a list of objects: what is in each
}

// schema is the JSON Schema of the arguments. It has no combinators: several clients refuse them at the top.
func schema(params []param) json.RawMessage {
	var props, required []string
	for _, p := range params {
		props = append(props, quote(p.name)+":"+p.schema())
		if p.required {
			required = append(required, p.name)
		}
	}
	out := `{"type":"object","properties":{` + join(props) + `},"additionalProperties":false`
	if required != nil {
		out += `,"required":` + quote(required)
	}
	return json.RawMessage(out + "}")
}

func (p param) schema() string {
	var fields []string
	if p.kind != anything {
		fields = append(fields, `"type":`+quote(p.kind))
	}
	if p.words != "" {
		fields = append(fields, `"description":`+quote(p.words))
	}
	if p.enum != nil {
		fields = append(fields, `"enum":`+quote(p.enum))
	}
	switch p.kind {
	case integer, number:
		fields = append(fields, `"minimum":`+quote(p.min), `"maximum":`+quote(p.max))
	case textual:
		if p.enum == nil {
			fields = append(fields, `"minLength":1`, `"maxLength":`+quote(p.max))
		}
	case list:
		item := string(schema(p.items))
		if p.item != nil {
			item = p.item.schema()
		}
		fields = append(fields, `"items":`+item, `"minItems":1`, `"maxItems":`+quote(p.max))
	}
	if p.def != nil {
		fields = append(fields, `"default":`+quote(p.def))
	}
	return "{" + join(fields) + "}"
}

func join(fields []string) string {
	var b bytes.Buffer
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f)
	}
	return b.String()
}

// quote is a value as JSON. It is for values of our own.
func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err))
	}
	return string(b)
}
