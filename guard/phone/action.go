package phone

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
)

// Action reads an action from its name, in any case, and its fields, as [Args] has them. It is
// checked like one of a model's.
func Action(name string, args map[string]any) (actions.Action, error) {
	fields := map[string]any{}
	maps.Copy(fields, args)
	if _, is := fields["verb"]; is {
		return nil, hint.Add(fmt.Errorf("%s has no field verb", name), "leave it out")
	}
	fields["verb"] = strings.ToUpper(strings.TrimSpace(name))
	b, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("reading an action: %w", err)
	}
	a, err := actions.Unmarshal(b)
	if err != nil {
		return nil, hint.Add(err, `want a name and its fields, such as CLICK {"at": {"x": 0.5, `+
			`"y": 0.25}}, with places as fractions of the screen`)
	}
	return a, a.Validate()
}
