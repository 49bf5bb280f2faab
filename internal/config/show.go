package config

import (
	"reflect"

	"github.com/taploop/taploop/internal/text"
)

// Value is a setting with its value and where that came from. Keys of models print as masked.
type Value struct {
	Key
	Value  any
	Origin string
}

// Values lists every setting with its value now.
func (l *Loaded) Values() []Value {
	c := reflect.ValueOf(&l.Config).Elem()
	return text.Each(Keys(), func(k Key) Value {
		return Value{k, c.FieldByIndex(k.index).Interface(), l.Origin(k.Path)}
	})
}
