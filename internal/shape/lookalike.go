package shape

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Lookalike says that a name within the value, which has that schema, differs only in case from one
// that the schema knows there: who ignores the case of names reads it as that one.
func Lookalike(schema map[string]any, value any) error {
	if key, name := lookalike(schema, value); key != "" {
		return fmt.Errorf("%s could be read as %s, write it so", text.Quote(key, 100),
			text.Quote(name, 100))
	}
	return nil
}

// lookalike returns a name within values, which have that schema, that differs only in case from
// one that the schema knows there, and the known one.
func lookalike(schema map[string]any, values ...any) (key, name string) {
	known, _ := schema["properties"].(map[string]any)
	folded := map[string]string{}
	for name := range known {
		folded[fold(name)] = name
	}
	var items []any
	inner := map[string][]any{}
	for _, v := range values {
		list, _ := v.([]any)
		items = append(items, list...)
		o, _ := v.(map[string]any)
		for key, value := range o {
			if _, is := known[key]; is {
				inner[key] = append(inner[key], value)
			} else if name := folded[fold(key)]; name != "" {
				return key, name
			}
		}
	}
	for name, values := range inner {
		of, _ := known[name].(map[string]any)
		if key, name := lookalike(of, values...); key != "" {
			return key, name
		}
	}
	if of, is := schema["items"].(map[string]any); is {
		return lookalike(of, items...)
	}
	return "", ""
}

// fold is equal for names that differ only in case.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }
