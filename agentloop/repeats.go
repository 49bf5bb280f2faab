package agentloop

import (
	"math"
	"reflect"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// repeatDetector counts the same action on the same screen. Screens are compared with the first
// one, so that small changes (the dots of a PIN) add up to another screen.
type repeatDetector struct {
	action actions.Action
	first  screen.Fingerprint
	n      int

	refused StopReason // why the action is not carried out, "" if it is
}

// add counts an action that was decided on a screen, and returns how many of its kind came in a
// row. A passive action is patience, not insistence: it neither counts nor ends the count.
func (d *repeatDetector) add(a actions.Action, on screen.Fingerprint) int {
	if a.Traits().Passive {
		return 0
	}
	repeated := d.n > 0 && alike(reflect.ValueOf(d.action), reflect.ValueOf(a))
	if !repeated || d.first.Distance(on) > sameScreen {
		*d = repeatDetector{action: a, first: on}
	}
	d.n++
	return d.n
}

// samePlace is how far apart two fractions may be and still mean the same place on the screen.
const samePlace = 0.02

// alike reports whether two actions are the same, with points that a finger could not tell apart
// counting as one.
func alike(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Float64:
		return math.Abs(a.Float()-b.Float()) <= samePlace
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}
