package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

var hunk = regexp.MustCompile(`(?m)^@@ -(\d+)(,\d+)? \+\d+(,\d+)? @@$`)

// Diff is the unified diff of two texts. Where a hunk begins in the new one is reckoned from the
// hunks before it: udiff leaves out the lines between changes that share a hunk.
func Diff(from, to, before, after string) string {
	longer := 0
	count := func(s string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(s, ","))
		if err != nil {
			return 1
		}
		return n
	}
	return hunk.ReplaceAllStringFunc(udiff.Unified(from, to, before, after),
		func(h string) string {
			m := hunk.FindStringSubmatch(h)
			if at := count(m[1]); at > 0 {
				h = fmt.Sprintf("@@ -%d%s +%d%s @@", at, m[2], at+longer, m[3])
			}
			longer += count(m[3]) - count(m[2])
			return h
		})
}
