package text

import (
	"regexp"
	"sync"
)

// Lazily is the pattern, compiled when it is first used.
func Lazily(pattern string) func() *regexp.Regexp {
	return LazilyOf(func() string { return pattern })
}

// LazilyOf is a pattern that is made and compiled when it is first used.
func LazilyOf(pattern func() string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern()) })
}
