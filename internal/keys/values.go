package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// value is a scalar with a form of its own.
type value interface {
	set(s string, n ast.Node) error // n is nil for a key that stands alone
	form() map[string]any           // in JSON Schema
}

var (
	anyText  = []any{"string", "number", "boolean"} // in JSON Schema
	errEmpty = errors.New("it is empty")
)

var digits = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// number is the number that an editor takes a node for. The YAML library takes 5e0 for a text.
func number(n ast.Node) (float64, bool) {
	t := n.GetToken()
	f, err := strconv.ParseFloat(t.Value, 64)
	return f, err == nil && digits.MatchString(t.Value) &&
		t.Type != token.DoubleQuoteType && t.Type != token.SingleQuoteType
}

// Duration is a time span such as 5s. 0 was left out.
type Duration time.Duration

func (d *Duration) set(s string, _ ast.Node) error {
	got, err := wait.ParseDuration(s)
	switch formed := s != "" && durations.MatchString(s); {
	case formed && err != nil:
		return fmt.Errorf("%q is too long", s)
	case !formed || got <= 0:
		return fmt.Errorf("%q is no duration (want one such as 500ms, 5s or 2m)", s)
	}
	*d = Duration(got)
	return nil
}

// MarshalYAML implements yaml.InterfaceMarshaler.
func (d Duration) MarshalYAML() (any, error) { return time.Duration(d).String(), nil }

var durations = regexp.MustCompile(
	`^([0-9]+(\.[0-9]+)?(w|d))*([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))*$`)

func (*Duration) form() map[string]any {
	return map[string]any{"type": "string", "pattern": durations.String(),
		"not": map[string]any{"pattern": "^[^1-9]*$"}}
}

// Patience is how long something is waited for. true means the usual time: that of a phone's start.
type Patience Duration

func (p *Patience) set(s string, n ast.Node) error {
	if b, is := n.(*ast.BoolNode); n == nil || is && b.Value {
		*p = Patience(3 * time.Minute)
		return nil
	}
	return (*Duration)(p).set(s, n)
}

func (*Patience) form() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"const": true},
		(*Duration)(nil).form()}}
}

// Regexp is a regular expression. The zero value was left out.
type Regexp struct {
	Source string
	*regexp.Regexp
}

func (r *Regexp) set(s string, _ ast.Node) error {
	if strings.TrimSpace(s) == "" { // it would match anything
		return errEmpty
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return fmt.Errorf("%q is no regular expression: %s", s,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	r.Source, r.Regexp = s, re
	return nil
}

func (*Regexp) form() map[string]any {
	// no format: "regex" means another grammar, without (?i)
	return map[string]any{"type": anyText, "pattern": `\S`}
}

// MarshalYAML implements yaml.InterfaceMarshaler.
func (r Regexp) MarshalYAML() (any, error) { return r.Source, nil }

// Times is how often something may happen. 0 was left out, and -1 is any number of times.
type Times int

func (t *Times) set(s string, n ast.Node) error {
	times, is := number(n)
	switch {
	case s == "any":
		*t = -1
	case !is || times != math.Trunc(times) || times < 1 || times > 1000:
		return fmt.Errorf("%q is neither a number from 1 to 1000 nor any", s)
	default:
		*t = Times(times)
	}
	return nil
}

func (*Times) form() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"const": "any"},
		map[string]any{"type": "integer", "minimum": 1, "maximum": 1000}}}
}

// Reason is why something is left out. "" leaves nothing out.
type Reason string

func (r *Reason) set(s string, n ast.Node) error {
	s = strings.TrimSpace(s)
	_, is := number(n)
	switch word := strings.ToLower(s); {
	case is || noReason.MatchString(s):
		return errors.New("it says neither true nor a reason")
	case word == "true":
		*r = "skip: true"
	case word != "false":
		*r = Reason(s)
	}
	return nil
}

func (*Reason) form() map[string]any {
	return map[string]any{"type": []any{"boolean", "string"},
		"not": map[string]any{"type": "string", "pattern": noReason.String()}}
}

// noReason matches nothing, and what YAML 1.1 calls true or false and a later one a text.
var noReason = regexp.MustCompile(`^\s*([Yy]([Ee][Ss])?|[Nn][Oo]?|[Oo][Nn]|[Oo][Ff][Ff])?\s*$`)

// Pair is a key with its value and place.
type Pair struct {
	Key, Value string
	At         Position
}

// Map is a mapping of texts, in the order of the file.
type Map []Pair

// Keys returns the keys, sorted.
func (m Map) Keys() []string {
	list := text.Each(m, func(p Pair) string { return p.Key })
	slices.Sort(list)
	return list
}

// String implements fmt.Stringer.
func (m Map) String() string {
	return strings.Join(text.Each(m, func(p Pair) string { return p.Key + "=" + p.Value }), ", ")
}

// Any is a value of any form, as JSON has it.
type Any struct{ Value any }

// MarshalYAML writes the value as it was read.
func (a Any) MarshalYAML() (any, error) { return a.Value, nil }

// MarshalJSON writes the value as it was read.
func (a Any) MarshalJSON() ([]byte, error) { return json.Marshal(a.Value) }

// UnmarshalJSON reads any value.
func (a *Any) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &a.Value) }
