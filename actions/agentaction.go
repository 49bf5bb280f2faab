package actions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// AgentAction is the decision for agent_action, in gelab-zero's keys: one JSON object with the
// fields in the order in which the model wrote them, points as [x, y] from 0 to 1000, and both
// action and action_type the action's own name, whatever the model called it. A dialect whose
// models write no such fields leaves them to the action. null stands for no action at all.
func (d Decision) AgentAction() (json.RawMessage, error) {
	if d.Action == nil {
		return json.RawMessage("null"), nil
	}
	fields := d.Fields
	if len(fields) == 0 {
		fields = d.ownFields()
	}
	b := bytes.NewBufferString("{")
	for _, f := range fields {
		switch f.Key {
		case "action":
			writeField(b, "action", d.Action.Verb())
			writeField(b, "action_type", d.Action.Verb())
		case "action_type": // not the model's to say
		default:
			writeField(b, f.Key, d.value(f))
		}
	}
	b.WriteByte('}')
	var out bytes.Buffer
	err := json.Compact(&out, b.Bytes())
	return out.Bytes(), err
}

func (d Decision) ownFields() []Field {
	fields := []Field{{"cot", d.Thought}, {"explain", d.Explain}, {"action", d.Action.Verb()}}
	if !d.Secret {
		fields = append(fields, arguments(d.Action)...)
	}
	return append(fields, Field{"summary", d.Summary})
}

// writeField writes strings and numbers, which always encode.
func writeField(b *bytes.Buffer, key string, value any) {
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(key)
	b.WriteByte(':')
	_ = enc.Encode(value)
}

// value is the value of a field: a point as two numbers, however the model wrote it, any other as
// it is.
func (d Decision) value(f Field) any {
	v := pointOr(f.Key, f.Value)
	if _, is := v.([]int); is || !strings.HasPrefix(f.Key, "point") {
		return v
	}
	for _, own := range arguments(d.Action) {
		if own.Key == f.Key {
			return pointOr(own.Key, own.Value)
		}
	}
	return v
}

var twoNumbers = regexp.MustCompile(`^[\s\[(]*(-?\d+)(?:\.\d+)?[\s,，]+(-?\d+)`)

// pointOr returns the value of a point as two numbers, and any other value unchanged.
func pointOr(key, value string) any {
	m := twoNumbers.FindStringSubmatch(value)
	if !strings.HasPrefix(key, "point") || m == nil {
		return value
	}
	x, errX := strconv.Atoi(m[1])
	y, errY := strconv.Atoi(m[2])
	if errX != nil || errY != nil {
		return value
	}
	return []int{x, y}
}

// arguments returns the action's fields under the names of their tag arg. Optional fields without a
// value are left out.
func arguments(a Action) (list []Field) {
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		own, field := v.Type().Field(i), v.Field(i)
		key, _, _ := strings.Cut(own.Tag.Get("arg"), ",")
		if _, optional := argumentOf(own); optional && field.IsZero() || key == "" {
			continue
		}
		list = append(list, Field{key, written(reflect.Indirect(field).Interface())})
	}
	return list
}

func written(field any) string {
	switch v := field.(type) {
	case screen.Point:
		return fmt.Sprintf("%.0f,%.0f", v.X*1000, v.Y*1000)
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64)
	case []string:
		return strings.Join(v, "|")
	}
	return fmt.Sprint(field)
}
