package words

import (
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
)

// App is an app that is known by its names.
type App struct {
	Names    []string // the first is shown where none is in the reader's language
	Packages []string
}

// Apps are the well-known apps.
var Apps = sync.OnceValue(func() []App {
	var list []App
	for line := range strings.Lines(File("apps.tsv")) {
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

// AppPackages are the packages of the well-known app of that name.
func AppPackages(name string) (list []string) {
	for _, a := range Apps() {
		if slices.ContainsFunc(a.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			list = append(list, a.Packages...)
		}
	}
	return list
}

// NearApps are up to five names of well-known apps that a reader may have meant.
func NearApps(name string) (list []string) {
	for _, a := range Apps() {
		for _, n := range a.Names {
			away := levenshtein.ComputeDistance(strings.ToLower(n), strings.ToLower(name))
			if away <= len(name)/4 && len(list) < 5 {
				list = append(list, n)
			}
		}
	}
	return list
}
