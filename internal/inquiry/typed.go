package inquiry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
