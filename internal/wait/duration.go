package wait

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var days = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(d|w)`)

// ParseDuration reads a duration as [time.ParseDuration] does. It may begin with weeks and days of
// 24 hours: 2w, 30d, 1d12h.
func ParseDuration(s string) (time.Duration, error) {
	rest, sign := s, time.Duration(1)
	if after, negative := strings.CutPrefix(s, "-"); negative {
		rest, sign = after, -1
	}
	var whole time.Duration
	for m := days.FindStringSubmatch(rest); m != nil; m = days.FindStringSubmatch(rest) {
		unit := 24 * time.Hour
		if m[2] == "w" {
			unit *= 7
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || n*float64(unit)+float64(whole) > float64(1<<62) {
			return 0, fmt.Errorf("invalid duration %q", s)
		}
		whole += time.Duration(n * float64(unit))
		if rest = rest[len(m[0]):]; rest == "" {
			return sign * whole, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || rest[0] == '+' && whole > 0 || d > 1<<63-1-whole {
		if err == nil || whole > 0 {
			err = fmt.Errorf("invalid duration %q", s)
		}
		return 0, err
	}
	return sign * (whole + d), nil
}
