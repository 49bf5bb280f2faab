package apps

import (
	"math"
	"strconv"
)

// Settings are Android's settings: namespaces (system, secure, global) of names and values. The
// Settings app and the shell's settings command change the same store. Not safe for concurrent use.
type Settings map[string]map[string]string

// Namespaces of [Settings].
const (
	System = "system"
	Secure = "secure"
	Global = "global"
)

// Get returns the value and whether it is set.
func (s Settings) Get(namespace, key string) (string, bool) {
	v, ok := s[namespace][key]
	return v, ok
}

// Put sets a value. An unknown namespace is made.
func (s Settings) Put(namespace, key, value string) {
	if s[namespace] == nil {
		s[namespace] = map[string]string{}
	}
	s[namespace][key] = value
}

// Int returns a number, or other where there is no number.
func (s Settings) Int(namespace, key string, other int) int {
	if n, err := strconv.Atoi(s[namespace][key]); err == nil {
		return n
	}
	return other
}

// Float returns a finite number, or other where there is no such number.
func (s Settings) Float(namespace, key string, other float64) float64 {
	f, err := strconv.ParseFloat(s[namespace][key], 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return other
	}
	return f
}

// Bool reports whether the value is a number other than zero.
func (s Settings) Bool(namespace, key string) bool { return s.Int(namespace, key, 0) != 0 }
