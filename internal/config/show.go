package config

import "reflect"

// Value is a setting with its value and where that came from. Keys of models print as masked.
type Value struct {
	Key
	Value  any
	Origin string
}

// Values lists every setting with its value now.
func (l *Loaded) Values() []Value {
	c := reflect.ValueOf(&l.Config).Elem()
	var values []Value
	for _, k := range Keys() {
		values = append(values, Value{k, c.FieldByIndex(k.index).Interface(), l.Origin(k.Path)})
	}
	return values
}
