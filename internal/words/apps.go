package words

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed apps.tsv
var appTable string

// App is an app that is known by its names.
type App struct {
	Names    []string // the first is shown where none is in the reader's language
	Packages []string
}

// Apps are the well-known apps.
var Apps = sync.OnceValue(func() []App {
	var list []App
	for line := range strings.Lines(appTable) {
		names, packages, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			list = append(list, App{strings.Split(names, "|"), strings.Fields(packages)})
		}
	}
	return list
})

// AppName is the name of a package's app for people in the language, "" if it is not known.
func AppName(pkg, lang string) string {
	for _, a := range Apps() {
		if slices.Contains(a.Packages, pkg) {
			at := slices.IndexFunc(a.Names, func(n string) bool { return Spoken(n) == Match(lang) })
			return a.Names[max(at, 0)]
		}
	}
	return ""
}
