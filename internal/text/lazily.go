package text

import (
	"regexp"
	"sync"
)

// Lazily is the pattern, compiled when it is first used.
func Lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
