package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// setting is the row of a key: its path, its default as text, and the check of its value.
type setting struct {
	path, byDefault string
	check           check // nil takes everything
}

// Auto leaves a setting to what it depends on: most of the model's to its dialect.
const Auto = "auto"

// The values of Loop.AskEarly other than Auto.
const (
	On  = "on"
	Off = "off"
)

// A check returns the faults of a value.
type check func(value any) []fault

// fault is a value that cannot work. It may be a part of the key's, which below then names.
type fault struct {
	below string
	value any
	want  string
}

// unless is the fault of a value that is not as wanted.
func unless(ok bool, value any, want string) []fault {
	if ok {
		return nil
	}
	return []fault{{value: value, want: want}}
}

func oneOf(allowed ...string) check {
	return func(v any) []fault {
		return unless(slices.Contains(allowed, v.(string)), v,
			"one of "+strings.Join(allowed, ", "))
	}
}

// someOf is oneOf, or several of them with commas between them.
func someOf(allowed ...string) check {
	return func(v any) []fault {
		known := func(s string) bool { return slices.Contains(allowed, s) }
		parts := strings.Split(v.(string), ",")
		return unless(!slices.ContainsFunc(parts, func(s string) bool { return !known(s) }), v,
			"one or several of "+strings.Join(allowed, ", ")+", with commas between them")
	}
}

// languageOrAuto takes auto, and every tag of a language that there are texts in.
func languageOrAuto(v any) []fault {
	if v == Auto {
		return nil
	}
	_, ok := words.Find(v.(string))
	return unless(ok, v, "auto, or one of "+strings.Join(words.Languages(), ", "))
}

// orDecider is oneOf, or a deciding model, whose name the program checks.
func orDecider(allowed ...string) check {
	return func(v any) []fault {
		_, named := strings.CutPrefix(v.(string), decidingModel+":")
		if named || v == decidingModel {
			return nil
		}
		return unless(slices.Contains(allowed, v.(string)), v, strings.TrimPrefix(
			"one of "+strings.Join(append(allowed, decidingModel, decidingModel+":NAME"), ", "),
			", "))
	}
}

// decidingModel is the model that decides, where a setting names a deciding model. A colon and the
// name of one of Models behind it is that one.
const decidingModel = "model"

func between(low, high float64) check {
	return func(v any) []fault {
		number := "a number"
		f, is := v.(float64)
		if !is {
			number, f = "a whole number", float64(v.(int))
		}
		return unless(f >= low && f <= high, v, fmt.Sprintf("%s from %v to %v", number, low, high))
	}
}

func positive(v any) []fault {
	return unless(v.(time.Duration) > 0, v, "a duration above 0, such as 90s")
}

func least(d time.Duration) check {
	return func(v any) []fault {
		return unless(v.(time.Duration) >= d, v, fmt.Sprintf("a duration of at least %v", d))
	}
}

// orDefault takes also nothing, which leaves it to the program.
func orDefault(c check) check {
	return func(v any) []fault {
		if v == time.Duration(0) {
			return nil
		}
		return c(v)
	}
}

// orAuto takes what parse takes, and auto.
func orAuto[T any](parse func(string) (T, error)) check {
	return func(v any) []fault {
		_, err := parse(v.(string))
		if v == Auto || err == nil {
			return nil
		}
		return []fault{{value: v, want: "auto, or " + strings.TrimPrefix(err.Error(), "want ")}}
	}
}

func masks(v any) (bad []fault) {
	for _, m := range v.([]string) {
		_, err := screen.ParseMask(m)
		bad = append(bad, unless(err == nil, m, "status_bar, home_clock, or left, top, width and "+
			"height as fractions of the screen, such as 0 0.4 1 0.1")...)
	}
	return bad
}

func hosts(v any) (bad []fault) {
	for _, h := range v.([]string) {
		bad = append(bad, unless(!strings.ContainsAny(h, "/ "), h,
			"names with or without a port, such as phones.example or phones.example:8443")...)
	}
	return bad
}

func origins(v any) (bad []fault) {
	for _, o := range v.([]string) {
		u, err := url.Parse(o)
		bad = append(bad, unless(err == nil && u.Host != "" && u.Scheme+"://"+u.Host == o, o,
			"a scheme and a host without a path, such as https://app.example")...)
	}
	return bad
}

func site(v any) []fault {
	text := v.(string)
	u, err := url.Parse(text)
	ok := text == "" ||
		web(u, err) && u.User == nil && u.Scheme+"://"+u.Host == strings.TrimSuffix(text, "/")
	return unless(ok, v, "a scheme and a host without a path, such as https://phones.example")
}

func page(v any) []fault {
	u, err := url.Parse(v.(string))
	return unless(v == "" || web(u, err) && u.RawQuery+u.Fragment == "", v,
		"an address that people's browsers reach, such as https://phones.example")
}
