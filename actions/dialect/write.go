package dialect

import (
	"encoding/json"
	"strconv"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Writer writes a decision in the form of a family's models, with places on that scale, and reports
// whether the family has a form for the action. Reading and writing share one table of forms.
type Writer func(d actions.Decision, s Scale) (actions.Reply, bool)

// AsJSON is the value of an argument as it stands in a call or in JSON. A place is for the family
// to write.
func AsJSON(value any) string {
	b, _ := json.Marshal(value) // of texts and numbers, which cannot fail
	return string(b)
}

// Numbers are those of a place, with all of their decimals.
func (s Scale) Numbers(p screen.Point) (first, second string) {
	a, b := s.Coordinates.Numbers(p, s.Picture)
	write := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return write(a), write(b)
}
