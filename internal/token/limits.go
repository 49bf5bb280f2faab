package token

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// ErrExpired is returned by [Store.Check] for a token whose time is over. It is an ErrNone.
var ErrExpired = fmt.Errorf("%w any more: it has expired", ErrNone)

// Limits bound what a token is good for. Zero fields do not.
type Limits struct {
	Expires time.Time `json:"expires_at,omitzero"`
	Rate    Rate      `json:"rate,omitempty"`
}

// Rate is how many requests may come in a second, a minute or an hour, such as 60/m.
type Rate string

// ParseRate reads a Rate, "" for none.
func ParseRate(text string) (Rate, error) {
	if _, _, err := Rate(text).parts(); err != nil {
		return "", err
	}
	return Rate(text), nil
}

// parts are the number of requests and the time in which so many may come, 0 for no limit.
func (r Rate) parts() (n int, in time.Duration, err error) {
	if r == "" {
		return 0, 0, nil
	}
	count, unit, _ := strings.Cut(string(r), "/")
	n, err = strconv.Atoi(count)
	in = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	if err != nil || n < 1 || n > 1_000_000 || in == 0 {
		return 0, 0, hint.Add(fmt.Errorf("%q is no rate", string(r)),
			"write requests and their time, such as 60/m, 5/s or 1000/h")
	}
	return n, in, nil
}

// Every is the time between two requests at the rate, and how many may come at once. It is 0 for no
// limit.
func (r Rate) Every() (every time.Duration, most int) {
	n, in, err := r.parts()
	if err != nil || n == 0 {
		return 0, 0 // Create has refused it
	}
	return in / time.Duration(n), n
}

// usage says when tokens were used last, by their ids.
type usage struct {
	Used map[string]time.Time `json:"used"`
}
