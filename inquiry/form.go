package inquiry

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

// Field is one question of a form.
type Field struct {
	Name     string    `json:"name"` // the key of its value in the answer
	Label    string    `json:"label,omitempty"`
	Type     FieldType `json:"type"`
	Options  []string  `json:"options,omitempty"`
	Optional bool      `json:"optional,omitempty"` // it may be left out
	Default  any       `json:"default,omitempty"`  // what is filled in beforehand, in JSON's types; nil is nothing
	Min      *float64  `json:"min,omitempty"`      // of a number
	Max      *float64  `json:"max,omitempty"`
}
