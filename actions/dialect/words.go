package dialect

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// Words are what every family says alike, in one language.
type Words struct {
	Outcomes map[actions.Outcome]string
	Unknown  string // any other outcome
	Cut      string // takes the number of characters left out
	Earlier  string // takes the number of items left out
	Unread   string // {problem} is what was wrong
	Where    string // {order} is x,y. {range} the numbers, {end} the lower right corner
	Whole    string // {to} is the largest number
	Fraction string
	Pixels   string    // {size} is the picture's
	Weekdays [7]string // from Sunday
	States   [7]string // of elements: field, password, on, off, scrolls, has the cursor, disabled
}

// wordsIn returns the words in the language that fits best.
var wordsIn = words.Of[Words]("dialect")

// Exchange words the outcome of a question. abort is the family's name for giving up. The texts are
// quoted with at most limit characters each.
func (w *Words) Exchange(e actions.Exchange, abort string, limit int) string {
	form, ok := w.Outcomes[e.Outcome]
	if !ok {
		form = w.Unknown
	}
	question, answer := quote(e.Question, limit, w.Cut), quote(e.Answer, limit, w.Cut)
	return strings.NewReplacer("{q}", question, "{a}", answer, "{abort}", abort).Replace(form)
}

// Place says how a place on a picture of that size is written.
func (w *Words) Place(c screen.Coordinates, picture screen.Size) string {
	var numbers string
	order := "x,y"
	first, second := c.Numbers(screen.Point{X: 1, Y: 1}, picture)
	switch c.Unit {
	case 0:
		numbers = strings.Replace(w.Pixels, "{size}", picture.String(), 1)
	case 1:
		numbers = w.Fraction
	default:
		numbers = strings.Replace(w.Whole, "{to}", fmt.Sprint(c.Unit), 1)
	}
	if c.YFirst {
		order = "y,x"
	}
	end := fmt.Sprintf("%v,%v", first, second)
	return strings.NewReplacer("{order}", order, "{range}", numbers, "{end}", end).Replace(w.Where)
}

// Repair says that a reply could not be read, and why.
func (w *Words) Repair(problem string) string {
	return strings.Replace(w.Unread, "{problem}", problem, 1)
}
