package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/runs"
)

// args are checked arguments: string, int, float64, bool, json.RawMessage, []string, []args or any by name. One that is left out and has no default
// is not there.
type args map[string]any

func (a args) has(name string) bool            { _, ok := a[name]; return ok }
func (a args) text(name string) string         { s, _ := a[name].(string); return s }
func (a args) int(name string) int             { n, _ := a[name].(int); return n }
func (a args) flag(name string) bool           { b, _ := a[name].(bool); return b }
func (a args) raw(name string) json.RawMessage { r, _ := a[name].(json.RawMessage); return r }
func (a args) texts(name string) []string      { l, _ := a[name].([]string); return l }
func (a args) list(name string) []args         { l, _ := a[name].([]args); return l }

// seconds is nil when the argument was left out.
func (a args) seconds(name string) *time.Duration {
	s, ok := a[name].(float64)
	if !ok {
		return nil
	}
	d := time.Duration(s * float64(time.Second))
	return &d
}

func invalid(mend, format string, a ...any) error {
	return runs.Refuse(runs.InvalidArgument, mend, format, a...)
}

// check reads the arguments of a call. null counts as left out: some clients send it for everything that they do not use.
func check(params []param, raw any) (args, error) {
	given, err := decode(raw)
	if err != nil {
		return nil, err
	}
	out := args{}
	for _, p := range params {
		v, ok := given[p.name]
		delete(given, p.name)
		switch {
		case ok && v != nil:
			if out[p.name], err = p.read(v); err != nil {
				return nil, err
			}
		case p.required:
			return nil, invalid(fmt.Sprintf("pass %s: %s", p.name, firstSentence(p.words)), "%s is missing", p.name)
		case p.def != nil:
			out[p.name] = p.def
		}
	}
	if unknown := slices.Sorted(maps.Keys(given)); len(unknown) > 0 {
		return nil, invalid("leave it out; the arguments are: "+names(params), "there is no argument %s", brief(unknown[0]))
	}
	return out, nil
}

// decode reads the arguments as a JSON object, with numbers as they were written.
func decode(raw any) (map[string]any, error) {
	b, ok := raw.(json.RawMessage)
	if !ok {
		var err error
		if b, err = json.Marshal(raw); err != nil {
			return nil, invalid("pass a JSON object", "the arguments cannot be read: %w", err)
		}
	}
	if b = bytes.TrimSpace(b); len(b) == 0 || string(b) == "null" {
		return map[string]any{}, nil
	}
	given := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return nil, invalid("pass a JSON object, for example {}", "the arguments are not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid("pass one JSON object", "there is something after the arguments")
	}
	return given, nil
}

func names(params []param) string {
	if len(params) == 0 {
		return "none"
	}
	var list []string
	for _, p := range params {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

func firstSentence(words string) string {
	s, _, _ := strings.Cut(words, ". ")
	return strings.TrimSuffix(s, ".")
}

// read gives the value in Go's type of its kind.
func (p param) read(v any) (any, error) {
	switch p.kind {
	case textual:
		if s, ok := v.(string); ok {
			return s, p.fits(s)
		}
	case flag:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case integer, number:
		if n, ok := v.(json.Number); ok {
			return p.within(n)
		}
	case object:
		if m, ok := v.(map[string]any); ok {
			return p.keep(m)
		}
	case list:
		if l, ok := v.([]any); ok {
			return p.each(l)
		}
	case anything:
		return v, nil
	}
	// The value itself is not shown: it may be an answer that is secret.
	return nil, invalid(fmt.Sprintf("pass %s as %s%s", p.name, p.kind.words(), p.orNot()), "%s is %s (want %s)", p.name, jsonType(v), p.kind.words())
}

func (k kind) words() string {
	switch k {
	case integer:
		return "a whole number"
	case flag:
		return "true or false"
	case object:
		return "an object"
	case number:
		return "a number"
	case list:
		return "a list"
	}
	return "a text"
}

func jsonType(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}

// orNot says that the argument may be left out, when it may.
func (p param) orNot() string {
	if p.required {
		return ""
	}
	return ", or leave " + p.name + " out"
}

// decimal is a number for people.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (p param) fits(s string) error {
	switch {
	case slices.Contains(p.enum, s):
		return nil
	case p.enum != nil:
		return invalid("use one of: "+strings.Join(p.enum, ", "), "%s is %s, which is not one of its values", p.name, brief(s))
	case strings.TrimSpace(s) == "":
		return invalid("pass a text"+p.orNot(), "%s is empty", p.name)
	case utf8.RuneCountInString(s) > int(p.max):
		return invalid("pass a shorter text", "%s has %d characters (at most %d)", p.name, utf8.RuneCountInString(s), int(p.max))
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return invalid("leave control characters out", "%s has the control character %U", p.name, r)
		}
	}
	return nil
}

func (p param) within(n json.Number) (any, error) {
	f, err := n.Float64()
	switch {
	case err != nil || f < p.min || f > p.max:
		return nil, invalid(fmt.Sprintf("pass a number from %s to %s%s", decimal(p.min), decimal(p.max), p.orNot()),
			"%s is %s (want %s to %s)", p.name, brief(n.String()), decimal(p.min), decimal(p.max))
	case p.kind == number:
		return f, nil
	case f != math.Trunc(f):
		return nil, invalid("pass a whole number", "%s is %s (want a whole number)", p.name, brief(n.String()))
	}
	return int(f), nil
}

func (p param) keep(m map[string]any) (any, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, invalid("leave it out", "%s cannot be kept: %w", p.name, err)
	}
	if len(b) > int(p.max) {
		return nil, invalid("pass less", "%s has %d bytes (at most %d)", p.name, len(b), int(p.max))
	}
	return json.RawMessage(b), nil
}

// each reads the items of a list.
func (p param) each(l []any) (any, error) {
	switch {
	case len(l) == 0:
		return nil, invalid("pass at least one"+p.orNot(), "%s is empty", p.name)
	case len(l) > int(p.max):
		return nil, invalid("pass fewer", "%s has %d items (at most %d)", p.name, len(l), int(p.max))
	case p.item == nil:
		return p.objects(l)
	}
	out := make([]string, len(l))
	for i, v := range l {
		item := *p.item
		item.name = fmt.Sprintf("%s[%d]", p.name, i)
		s, err := item.read(v)
		if err != nil {
			return nil, err
		}
		out[i], _ = s.(string)
	}
	return out, nil
}

func (p param) objects(l []any) (any, error) {
	out := make([]args, len(l))
	for i, v := range l {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, invalid("pass a list of objects", "%s[%d] is %s (want an object)", p.name, i, jsonType(v))
		}
		var err error
		if out[i], err = check(p.items, m); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", p.name, i, err)
		}
	}
	return out, nil
}

// brief is a text of somebody else's in a message of ours.
func brief(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
