package guard

import (
	"strings"
	"unicode"
)

// Sum is the line of a page with the sum of money that this is about: its total, or else the only
// sum there is. It is "" where several compete.
func Sum(lines []string) string {
	sums, all := map[string]string{}, map[string]string{}
	for _, line := range lines {
		said := normalize(line)
		sum := sumIn([]string{said})
		if sum == "" {
			continue
		}
		all[sum] = line
		rest := totals().ReplaceAllString(strings.Replace(said, sum, "", 1), "")
		if totals().MatchString(said) && !strings.ContainsFunc(rest, unicode.IsLetter) {
			sums[sum] = line
		}
	}
	if len(sums) == 0 {
		sums = all
	}
	for _, line := range sums {
		if len(sums) == 1 {
			return line
		}
	}
	return ""
}
