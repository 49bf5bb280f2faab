// Package words holds the program's own texts for people and models, in every language that it
// speaks. A language is a folder, named by its tag, and a domain is a file in each of them. `make
// generate` packs them for the program.
package words

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
	"golang.org/x/text/language"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/text"
)

//go:generate go run ../files/genpacked words.tar.gz */*.yaml *.txt *.tsv
//go:embed words.tar.gz
var packed []byte

// texts are the files, by their names below this folder.
var texts = files.Packed(&packed)

// File is a list that belongs to no one language, by the name of its file.
func File(name string) string { return string(texts()[name]) }

// Default is the language of those whose own is not among Languages.
const Default = "en"

// Languages are the languages that there are texts in, the default first.
var Languages = sync.OnceValue(func() []string {
	all := []string{Default}
	for _, name := range slices.Sorted(maps.Keys(texts())) {
		if lang := path.Dir(name); path.Ext(name) == ".yaml" && !slices.Contains(all, lang) {
			all = append(all, lang)
		}
	}
	return all
})

var matcher = sync.OnceValue(func() language.Matcher {
	return language.NewMatcher(text.Each(Languages(), language.MustParse))
})

// Find returns the language that fits best: the first of the wanted tags that there are texts for.
// A tag may also be an Accept-Language header. It reports whether one fits.
func Find(wanted ...string) (lang string, ok bool) {
	for _, w := range wanted {
		tags, _, err := language.ParseAcceptLanguage(w)
		if err != nil || len(tags) == 0 {
			continue
		}
		if _, i, confidence := matcher().Match(tags...); confidence > language.No {
			return Languages()[i], true
		}
	}
	return Default, false
}

// Match is Find, with the default language if none fits.
func Match(wanted ...string) string {
	lang, _ := Find(wanted...)
	return lang
}

// Each is what say returns in each language, nil if that is nothing.
func Each[T comparable](say func(lang string) T) map[string]T {
	var all map[string]T
	for _, lang := range Languages() {
		if said := say(lang); said != *new(T) {
			if all == nil {
				all = map[string]T{}
			}
			all[lang] = said
		}
	}
	return all
}

// Domain is a file of texts in every language.
type Domain struct {
	Type reflect.Type          // of the texts: a struct with a field for each key, or a map
	Read func(lang string) any // a pointer to that type
}

var domains = map[string]Domain{}

// Domains are the domains that the packages of the program read, by name.
func Domains() map[string]Domain { return domains }

// Of returns a function that returns the texts of a domain in the language that fits best. A file
// is read when it is first wanted. It must give every exported field of T a text and nothing else,
// or reading panics: it is part of the program. It is called for package variables, once for each
// domain.
func Of[T any](domain string) func(lang string) *T {
	if _, twice := domains[domain]; twice {
		panic("two packages read the texts of " + domain)
	}
	read := map[string]func() *T{}
	for _, l := range Languages() {
		read[l] = sync.OnceValue(func() *T { return textsOf[T](domain, l) })
	}
	in := func(lang string) *T {
		if known := read[lang]; known != nil {
			return known()
		}
		return read[Match(lang)]()
	}
	domains[domain] = Domain{reflect.TypeFor[T](), func(lang string) any { return in(lang) }}
	return in
}

func textsOf[T any](domain, lang string) *T {
	var keys map[string]any
	all := new(T)
	err := yaml.Unmarshal(texts()[path.Join(lang, domain+".yaml")], &keys)
	if err == nil {
		err = fill(all, keys)
	}
	if err == nil {
		err = missing(reflect.ValueOf(all).Elem(), domain)
	}
	if err != nil {
		panic(fmt.Sprintf("texts of %s in %s: %v", domain, lang, err))
	}
	return all
}

// fill sets fields as encoding/json does, so that the case of a key's letters does not matter.
func fill(all any, keys map[string]any) error {
	b, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(all)
}

// missing returns an error if a text is empty. A map may be empty.
func missing(v reflect.Value, name string) error {
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 {
			return fmt.Errorf("no %s", name)
		}
	case reflect.Interface:
		return missing(v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if err := missing(v.Field(i), name+"."+f.Name); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := missing(v.Index(i), fmt.Sprint(name, ".", i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if err := missing(v.MapIndex(k), fmt.Sprint(name, ".", k)); err != nil {
				return err
			}
		}
	}
	return nil
}
