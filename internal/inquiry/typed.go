package inquiry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// Filled returns the answer to a form that was typed as pairs NAME=VALUE. A field of choices may be
// given several times. Whether the values fit, [Broker.Resolve] says.
func (q Question) Filled(pairs ...string) (string, error) {
	fields := As[Form](q).Fields
	if len(fields) == 0 {
		return "", hint.Add(errors.New("the question is no form"), "taploop reply ID TEXT")
	}
	values := map[string]any{}
	for _, pair := range pairs {
		name, text, found := strings.Cut(pair, "=")
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		switch {
		case !found:
			return "", hint.Add(fmt.Errorf("--field %q has no value", pair),
				"write --field NAME=VALUE")
		case i < 0:
			return "", hint.Add(fmt.Errorf("the form has no field %q", name),
				"its fields are "+names(fields))
		}
		v, err := fields[i].typed(text)
		if err != nil {
			return "", err
		}
		before, again := values[name].([]any)
		_, given := values[name]
		switch more, several := v.([]any); {
		case several && again:
			v = append(before, more...)
		case given:
			return "", hint.Add(fmt.Errorf("the field %q is given twice", name), "give it once")
		}
		values[name] = v
	}
	b, err := json.Marshal(values)
	return string(b), err
}

// typed is the JSON value of what was typed for a field.
func (f Field) typed(text string) (any, error) {
	switch f.Type {
	case ChoicesField:
		if text == "" {
			return []any{}, nil
		}
		return []any{text}, nil
	case YesNoField:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "yes", "y", "true", "是":
			return true, nil
		case "no", "n", "false", "否":
			return false, nil
		}
		return nil, hint.Add(fmt.Errorf("the field %q is %q", f.Name, text), "write yes or no")
	case NumberField:
		n := strings.TrimSpace(text)
		if _, err := strconv.ParseFloat(n, 64); err != nil || !json.Valid([]byte(n)) {
			return nil, hint.Add(fmt.Errorf("the field %q is %q", f.Name, text), "write a number")
		}
		return json.Number(n), nil
	}
	return text, nil
}
