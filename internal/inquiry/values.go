package inquiry

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
	"unicode/utf8"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// maxUnknownKeys bounds how many keys that are no fields an error lists.
const maxUnknownKeys = 10

// readForm checks the answer to a form and returns it in canonical JSON: one object with the keys
// in the order of the fields, without omitted fields. The caller has bounded its length.
func readForm(fields []Field, answer string) (string, error) {
	given, err := members(answer)
	if err != nil {
		return "", invalid(
			"the answer is not what this form takes: %v (want one JSON object with the fields %s)",
			err, names(fields))
	}
	wrong := map[string]string{}
	var list []string // of faults, in the order of the fields
	note := func(name, problem string) {
		wrong[name] = problem
		list = append(list, fmt.Sprintf("%q: %s", name, problem))
	}
	var b bytes.Buffer
	for _, f := range fields {
		value, problem := f.read(given[f.Name])
		delete(given, f.Name)
		switch {
		case problem != "":
			note(f.Name, problem)
		case value != nil:
			member(&b, f.Name, value)
		}
	}
	unknown := slices.Sorted(maps.Keys(given))
	for _, name := range unknown[:min(len(unknown), maxUnknownKeys)] {
		note(text.Cut(name, maxClip), "the form has no such field (it has "+names(fields)+")")
	}
	if len(wrong) > 0 {
		return "", &InvalidReplyError{Problem: "the answer does not fit the form: " +
			strings.Join(list, "; "), Fields: wrong}
	}
	return "{" + b.String() + "}", nil
}

// members splits one JSON object. A key that is there twice is an error: see [Once].
func members(answer string) (all map[string]json.RawMessage, err error) {
	if !strings.HasPrefix(strings.TrimSpace(answer), "{") {
		return nil, errors.New("it is not a JSON object")
	}
	d := json.NewDecoder(strings.NewReader(answer))
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the JSON object")
	}
	return all, Once([]byte(answer))
}

// names lists the names of the fields.
func names(fields []Field) string {
	return strings.Join(text.Each(fields, func(f Field) string { return f.Name }), ", ")
}

// read checks one value of the field and returns it in its canonical form: a string, a bool, a
// float64, a list of strings as []any, or nil when it was left out, as null or as a text of spaces
// only. problem says, in words, why it does not fit.
func (f Field) read(raw json.RawMessage) (value any, problem string) {
	var v any
	if len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, "it is not JSON"
		}
	}
	if s, is := v.(string); is && strings.TrimSpace(text.Lines(s)) == "" {
		v = nil // what was left alone comes so from programs that show forms
	} else if typed, err := f.typed(s); is && err == nil {
		v = typed // some write texts alone
	}
	if v != nil {
		if value, problem = f.readType(v); problem != "" {
			return nil, problem
		}
	}
	if value == nil && !f.Optional {
		return nil, "it is missing"
	}
	return value, ""
}

func (f Field) readType(v any) (any, string) {
	switch f.Type {
	case TextField:
		return f.readText(v)
	case ChoiceField:
		return f.readChoice(v)
	case ChoicesField:
		return f.readChoices(v)
	case YesNoField:
		if yes, is := v.(bool); is {
			return yes, ""
		}
		return nil, "it is neither true nor false"
	case NumberField:
		return f.readNumber(v)
	case DateField:
		return readDate(v)
	}
	return nil, fmt.Sprintf("the field has the unknown type %q", f.Type)
}

// readText takes the text without the spaces around it and without what would steer or hide.
func (f Field) readText(v any) (any, string) {
	answer, is := v.(string)
	switch {
	case !is:
		return nil, "it is not text (want a JSON string)"
	case !isPlainText(answer):
		return nil, "it contains a NUL character"
	}
	answer = strings.TrimSpace(text.Lines(answer))
	if problem := f.count(utf8.RuneCountInString(answer), "character"); problem != "" {
		return nil, problem
	}
	return answer, ""
}

// count says why there are too few or too many.
func (f Field) count(n int, what string) string {
	many := func(n float64) string {
		if n != 1 {
			what += "s"
		}
		return decimal(n) + " " + what
	}
	switch {
	case f.Min != nil && float64(n) < *f.Min:
		return fmt.Sprintf("it has %d (at least %s)", n, many(*f.Min))
	case f.Max != nil && float64(n) > *f.Max:
		return fmt.Sprintf("it has %d (at most %s)", n, many(*f.Max))
	}
	return ""
}

func (f Field) readChoice(v any) (any, string) {
	text, is := v.(string)
	if o := option(f.Options, text); is && o != "" {
		return o, ""
	}
	return nil, fmt.Sprintf("it is none of the options (want one of %q)", f.Options)
}

// readChoices takes a list of options, and gives it in the order of the options. An empty one is
// left out.
func (f Field) readChoices(v any) (any, string) {
	list, is := v.([]any)
	if !is {
		return nil, fmt.Sprintf("it is not a list (want a JSON array of some of %q)", f.Options)
	}
	chosen := map[string]bool{}
	for _, x := range list {
		text, _ := x.(string)
		o := option(f.Options, text)
		switch {
		case o == "":
			return nil, fmt.Sprintf("something in it is none of the options (want some of %q)",
				f.Options)
		case chosen[o]:
			return nil, fmt.Sprintf("%q is there twice", o)
		}
		chosen[o] = true
	}
	if len(chosen) == 0 {
		return nil, ""
	}
	if problem := f.count(len(chosen), "choice"); problem != "" {
		return nil, problem
	}
	var ordered []any
	for _, o := range f.Options {
		if chosen[o] {
			ordered = append(ordered, o)
		}
	}
	return ordered, ""
}

// readNumber takes a number that a float64 holds as it was written: one that would become another
// is refused.
func (f Field) readNumber(v any) (any, string) {
	text, is := v.(json.Number)
	if !is {
		return nil, "it is not a number"
	}
	n, err := text.Float64()
	switch {
	case err != nil || math.IsInf(n, 0):
		return nil, "the number is too large"
	case digits(text.String()) != digits(strconv.FormatFloat(n, 'e', -1, 64)):
		return nil, "the number has more digits than can be kept (about 15)"
	case f.Min != nil && n < *f.Min:
		return nil, fmt.Sprintf("it is %s (at least %s)", decimal(n), decimal(*f.Min))
	case f.Max != nil && n > *f.Max:
		return nil, fmt.Sprintf("it is %s (at most %s)", decimal(n), decimal(*f.Max))
	}
	return n + 0, "" // -0 is 0
}

// digits are the significant digits of a number in decimal.
func digits(number string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0")
}

func readDate(v any) (any, string) {
	text, is := v.(string)
	text = strings.TrimSpace(text)
	if _, err := time.Parse(time.DateOnly, text); !is || err != nil {
		return nil, `it is not a date of the calendar (want one as "2026-01-31")`
	}
	return text, ""
}

// decimal is a number for people.
func decimal(n float64) string {
	if math.Abs(n) < 1e15 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// typed is the JSON value of what was typed for a field.
func (f Field) typed(text string) (any, error) {
	switch f.Type {
	case ChoicesField:
		if text == "" {
			return []any{}, nil
		}
		return []any{text}, nil
	case YesNoField:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "yes", "y", "true", "是":
			return true, nil
		case "no", "n", "false", "否":
			return false, nil
		}
		return nil, hint.Add(fmt.Errorf("the field %q is %q", f.Name, text), "write yes or no")
	case NumberField:
		n := strings.TrimSpace(text)
		if _, err := strconv.ParseFloat(n, 64); err != nil || !json.Valid([]byte(n)) {
			return nil, hint.Add(fmt.Errorf("the field %q is %q", f.Name, text), "write a number")
		}
		return json.Number(n), nil
	}
	return text, nil
}
