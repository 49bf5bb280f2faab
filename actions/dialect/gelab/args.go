package gelab

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// args reads an action's fields and keeps the first complaint.
type args struct {
	reply fields
	err   string
}

func (a *args) complain(format string, v ...any) {
	if a.err == "" {
		a.err = fmt.Sprintf(format, v...)
	}
}

// text is the first of the fields that is there and not empty, without spaces at its ends.
func (a *args) text(keys ...string) string {
	for _, k := range keys {
		if v := strings.TrimSpace(a.reply.get(k)); v != "" {
			return v
		}
	}
	return ""
}

var (
	pointForm = regexp.MustCompile(`^[\s\[(（]*([^\[\]()（）]*)[\s\])）]*$`)
	between   = regexp.MustCompile(`\s*[,，]\s*|\s+`)
	number    = regexp.MustCompile(`^-?\d{1,12}(?:\.\d{1,12})?$`)
)

// point reads "x,y" in its forms: a comma or a space between, brackets around, decimals, or the
// four numbers of a box, of which the first two count.
func (a *args) point(key string) screen.Point {
	v := a.text(key)
	if v == "" {
		a.complain("the field %s is missing", key)
		return screen.Point{}
	}
	n, ok := numbers(v)
	if !ok {
		a.complain("%s %s is no point", key, text.Quote(v, maxShown))
		return screen.Point{}
	}
	x, y := n[0], n[1]
	switch {
	case x < 0 || x > 1000 || y < 0 || y > 1000:
		a.complain("%s %s is off the screen, where x and y go from 0 to 1000", key,
			text.Quote(v, maxShown))
	case x <= 1 && y <= 1 && (x != float64(int(x)) || y != float64(int(y))):
		a.complain("%s %s looks like fractions, but x and y are whole numbers from 0 to 1000",
			key, text.Quote(v, maxShown))
	}
	return screen.Permille(x, y)
}

func numbers(v string) ([]float64, bool) {
	m := pointForm.FindStringSubmatch(v)
	if m == nil {
		return nil, false
	}
	parts := between.Split(strings.TrimSpace(m[1]), -1)
	if len(parts) != 2 && len(parts) != 4 {
		return nil, false
	}
	var out []float64
	for _, p := range parts {
		if !number.MatchString(p) {
			return nil, false
		}
		f, _ := strconv.ParseFloat(p, 64) // number lets only numbers through
		out = append(out, f+0)            // -0 becomes 0
	}
	return out, true
}

var timeForm = regexp.MustCompile(`^(\d{1,12}(?:\.\d{1,12})?)\s*(\pL*)\.?$`)

// units are what may follow the number of a time.
var units = map[time.Duration]string{
	time.Millisecond: "ms millisecond milliseconds 毫秒",
	time.Second:      "s sec secs second seconds 秒 秒钟",
	time.Minute:      "m min mins minute minutes 分 分钟",
}

// unit is the unit of that name, seconds when there is no name, and 0 when it is none.
func unit(name string) time.Duration {
	if name == "" {
		return time.Second
	}
	for u, names := range units {
		if slices.Contains(strings.Fields(names), strings.ToLower(name)) {
			return u
		}
	}
	return 0
}

// duration reads a number of seconds, or of the unit that follows it; 0 when the field is missing
// or empty. What is longer than a day is a day.
func (a *args) duration(keys ...string) time.Duration {
	v := a.text(keys...)
	if v == "" {
		return 0
	}
	m := timeForm.FindStringSubmatch(v)
	if m == nil || unit(m[2]) == 0 {
		a.complain("%s %s is no time in seconds", keys[0], text.Quote(v, maxShown))
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64) // timeForm lets only numbers through
	return time.Duration(min(n*float64(unit(m[2])), float64(24*time.Hour)))
}

// flag reads true or false; a missing field is false.
func (a *args) flag(key string) bool {
	switch v := strings.ToLower(a.text(key)); v {
	case "true", "yes", "1", "是":
		return true
	case "", "false", "no", "0", "否":
		return false
	default:
		a.complain("%s %s is neither true nor false", key, text.Quote(v, maxShown))
		return false
	}
}

// maxShown is how many characters of a piece of a reply are shown in a message.
const maxShown = 60
