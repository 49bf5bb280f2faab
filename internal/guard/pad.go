package guard

import (
	"slices"
	"strconv"
	"strings"
)

// keypad reports whether the screen is one of keys with digits, one of which deletes a digit.
func keypad(s *Subject) bool {
	if !globs(keypads, s.App, true) {
		return false
	}
	for n := 1; n <= 9; n++ {
		key := func(t string) bool { return strings.HasPrefix(normalize(t), strconv.Itoa(n)) }
		if !slices.ContainsFunc(s.Screen, key) {
			return false
		}
	}
	return true
}

// What asks for the password of payments: on any screen, and in an app about money.
var payPin, anyPin = listed(`{pay_pin}`), listed(`{any_pin}`)

// payPad reports whether a finger here is a digit, or nothing that is known, on a screen that asks
// for the password of payments.
func payPad(s *Subject, lines []string) bool {
	if len(lines) > 0 && !digit().MatchString(lines[0]) && !s.Element.WholeScreen {
		return false
	}
	money := s.aboutMoney()
	return slices.ContainsFunc(s.Screen, func(t string) bool {
		t = normalize(t)
		return payPin().MatchString(t) || money && anyPin().MatchString(t)
	})
}

// byPad is what a key of a pad does, told by its shape: it enters a digit of a PIN.
func byPad(s *Subject, on []string) []finding {
	l := s.Layout
	pays := []finding{{&moneyPassword, inField, s.App}}
	if payPad(s, on) {
		return pays
	}
	key := func(t string) bool { return len(t) == 1 && digit().MatchString(t) }
	switch {
	case l == nil || !l.Digit && !(l.Pad && slices.ContainsFunc(on, key)),
		globs(keypads, s.App, true):
		return nil
	case sumIn(l.Words) != "" && !slices.ContainsFunc(l.Words, asksPIN): // it enters an amount
		return nil
	case sumIn(l.Words) != "" || s.aboutMoney():
		return pays
	}
	return []finding{{&password, inField, s.App}}
}

// asksPIN reports whether a text names a PIN or password, in any language.
func asksPIN(t string) bool { return pinWords().MatchString(normalize(t)) }

var pinWords = listed(`(?:^|[^\pL])(?:m?pin|{*password}|{*pin})`)
