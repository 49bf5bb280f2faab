package inquiry

import (
	"encoding/json"
	"errors"
	"slices"
)

// Clean takes out of a question's options what would steer a terminal or hide in them. Open does
// it too.
func (q *Question) Clean() {
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
	return q.kept(r), err
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

// Sort implements [Body].
func (f *Form) Sort() string { return "a form" }
