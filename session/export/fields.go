package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// orderedObject is a JSON object whose keys keep their order. Setting a key again replaces its value in its place.
type orderedObject struct {
	keys   []string
	values []any
}

func (o *orderedObject) set(key string, value any) {
	if i := slices.Index(o.keys, key); i >= 0 {
		o.values[i] = value
		return
	}
	o.keys, o.values = append(o.keys, key), append(o.values, value)
}

func (o *orderedObject) encode() (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(o.values[i]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	var out bytes.Buffer
	err := json.Compact(&out, b.Bytes()) // without the encoder's line breaks
	return out.Bytes(), err
}

var twoNumbers = regexp.MustCompile(`^[\s\[(]*(-?\d+)(?:\.\d+)?[\s,，]+(-?\d+)`)

// pointOr is a point's value as two numbers, any other value as it is.
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

// fieldsOf writes a decision as fields.
func fieldsOf(d actions.Decision) []actions.Field {
	fields := []actions.Field{{Key: "cot", Value: d.Thought}, {Key: "explain", Value: d.Explain}, {Key: "action", Value: d.Action.Verb()}}
	fields = append(fields, arguments(d.Action)...)
	return append(fields, actions.Field{Key: "summary", Value: d.Summary})
}

func arguments(a actions.Action) []actions.Field {
	switch a := a.(type) {
	case actions.Click:
		return point("point", a.At)
	case actions.DoubleClick:
		return point("point", a.At)
	case actions.LongPress:
		return point("point", a.At)
	case actions.Type:
		fields := value(a.Text)
		if a.At != nil {
			fields = append(fields, point("point", *a.At)...)
		}
		return fields
	case actions.Slide:
		return append(point("point1", a.From), point("point2", a.To)...)
	case actions.Drag:
		return append(point("point1", a.From), point("point2", a.To)...)
	case actions.Scroll:
		return append(point("point", a.At), actions.Field{Key: "direction", Value: string(a.Direction)})
	case actions.OpenApp:
		return value(a.App)
	case actions.HotKey:
		return []actions.Field{{Key: "key", Value: string(a.Key)}}
	case actions.Wait:
		return value(strconv.FormatFloat(float64(a.For)/float64(time.Second), 'f', -1, 64))
	case actions.Info:
		return value(a.Question)
	case actions.Complete:
		return []actions.Field{{Key: "return", Value: a.Report}}
	case actions.Abort:
		return value(a.Reason)
	case actions.Note:
		return value(a.Text)
	}
	return nil
}

func value(text string) []actions.Field { return []actions.Field{{Key: "value", Value: text}} }

func point(key string, p screen.Point) []actions.Field {
	return []actions.Field{{Key: key, Value: fmt.Sprintf("%.0f,%.0f", math.Round(p.X*1000), math.Round(p.Y*1000))}}
}
