package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// resolve finds the package that a name means among the installed ones. In falling order of trust:
// the package itself, the caller's own names, the table of well-known apps, the words of package
// names, and last a name with one slip of the pen inside it. Anything less is an error that lists
// near names: a wrong app is worse than none.
func resolve(name string, installed []string, own map[string]string) (string, error) {
	name = strings.TrimSpace(name)
	if slices.Contains(installed, name) {
		return name, nil
	}
	keys := keys(name)
	if keys[0] == "" {
		return "", fmt.Errorf("%q names no app", name)
	}
	for _, key := range keys {
		if pkg, ok := own[key]; ok && slices.Contains(installed, pkg) {
			return pkg, nil
		}
	}
	candidates := candidatesOf(installed, own)
	for _, try := range tries(name, keys, own) {
		for _, key := range keys {
			if pkg, err := onlyOne(name, try(key, candidates)); pkg != "" || err != nil {
				return pkg, err
			}
		}
	}
	return "", notInstalled(name, keys[len(keys)-1], candidates)
}

// tries are the ways to find a name, in falling order of trust. A known app that is not installed
// is not looked up under similar names, but a maker's own package may have the word.
func tries(
	name string, keys []string, own map[string]string,
) []func(string, []candidate) []candidate {
	isMine := func(key string) bool { return own[key] != "" }
	if slices.ContainsFunc(keys, isMine) || looksLikePackage(name) {
		return nil
	}
	if slices.ContainsFunc(keys, isWellKnown) {
		return []func(string, []candidate) []candidate{byTable, byWord}
	}
	return []func(string, []candidate) []candidate{byTable, byWord, nearest}
}

// candidate is a name under which a package can be found.
type candidate struct {
	name      string // folded
	shown     string
	pkg       string
	word      bool // a word of the package's own name
	installed bool
	rank      int // among the packages of one name, or the words of one package from its last
}

func candidatesOf(installed []string, own map[string]string) []candidate {
	has := map[string]bool{}
	for _, pkg := range installed {
		has[pkg] = true
	}
	var list []candidate
	for name, pkg := range own {
		list = append(list, candidate{name: name, shown: name, pkg: pkg, installed: has[pkg]})
	}
	for _, app := range words.Apps() {
		for _, name := range app.Names {
			for i, pkg := range app.Packages {
				list = append(list, candidate{name: fold(name), shown: app.Names[0], pkg: pkg,
					installed: has[pkg], rank: i})
			}
		}
	}
	for _, pkg := range installed {
		for i, w := range parts(pkg) {
			list = append(list, candidate{name: w, shown: w, pkg: pkg, word: true, installed: true,
				rank: i})
		}
	}
	return list
}

// general are words of package names that name no app.
var general = []string{"android", "app", "apps", "application", "mobile", "client", "main",
	"google", "com", "org", "net", "dev", "debug", "beta", "release", "prod",
	"ui", "activity", "phone", "global", "system", "service", "services", "provider", "providers"}

// parts are the last two of a package's name, folded, the last one first, as far as they name
// an app.
func parts(pkg string) (list []string) {
	all := strings.Split(pkg, ".")
	for _, part := range slices.Backward(all[max(len(all)-2, 0):]) {
		if w := fold(part); len(w) >= 3 && !slices.Contains(general, w) {
			list = append(list, w)
		}
	}
	return list
}

// byTable finds the well-known app of that name: of its packages, the first that is installed.
func byTable(key string, candidates []candidate) []candidate {
	var found []candidate
	for _, c := range candidates {
		if c.installed && !c.word && c.name == key {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil
	}
	first := slices.MinFunc(found, func(a, b candidate) int { return a.rank - b.rank })
	return []candidate{first}
}

// byWord finds packages by the last word of their names that names an app. The words in front of it
// are often the maker's: com.facebook.orca is not Facebook.
func byWord(key string, candidates []candidate) (found []candidate) {
	for _, c := range candidates {
		if c.word && c.rank == 0 && c.name == key {
			found = append(found, c)
		}
	}
	return found
}

// nearest finds the names that differ from key by a slip of the pen.
func nearest(key string, candidates []candidate) (found []candidate) {
	for _, c := range candidates {
		if c.installed && isSlip([]rune(key), []rune(c.name)) {
			found = append(found, c)
		}
	}
	return found
}

// isSlip reports whether one letter is missing inside one of two long names. Another letter in a
// place, another beginning or another end often make another app's name: Finance and Binance, Photo
// and Photos.
func isSlip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 5 || len(b) != len(a)+1 {
		return false
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	return 0 < same && same < len(a) && a[same] < utf8.RuneSelf &&
		slices.Equal(a[same:], b[same+1:])
}

// onlyOne returns the package that all candidates name, "" if there are no candidates, and an error
// if they name several.
func onlyOne(name string, found []candidate) (string, error) {
	var packages []string
	for _, c := range found {
		if !slices.Contains(packages, c.pkg) {
			packages = append(packages, c.pkg)
		}
	}
	switch len(packages) {
	case 0:
		return "", nil
	case 1:
		return packages[0], nil
	}
	slices.Sort(packages)
	return "", hint.Add(fmt.Errorf("several apps are called %q: %s", name,
		strings.Join(packages[:min(len(packages), 6)], ", ")),
		"name the package")
}

func isWellKnown(key string) bool {
	return slices.ContainsFunc(words.Apps(), func(app words.App) bool {
		return slices.ContainsFunc(app.Names, func(n string) bool { return fold(n) == key })
	})
}

func looksLikePackage(name string) bool {
	return strings.Contains(name, ".") && !strings.ContainsAny(name, " /") &&
		strings.ToLower(name) == name && strings.Count(name, ".") >= 2
}

// notInstalled is the error for a name that no installed app bears, with near ones.
func notInstalled(name, key string, candidates []candidate) error {
	near := nearNames(key, candidates)
	err := fmt.Errorf("no installed app is called %q", name)
	if len(near) == 0 {
		return hint.Add(err, "use the exact name under the app's icon or its package name, or "+
			"install it first")
	}
	return hint.Add(fmt.Errorf("%w; near names: %s", err, strings.Join(near, ", ")),
		"use one of these names, or the package name")
}

// nearNames lists up to five installed apps that a reader may have meant.
func nearNames(key string, candidates []candidate) []string {
	type scored struct {
		text  string
		score float64
	}
	var list []scored
	for _, c := range candidates {
		if !c.installed {
			continue
		}
		s := similarity(key, c.name)
		text := c.shown + " (" + c.pkg + ")"
		if i := slices.IndexFunc(list, func(o scored) bool { return o.text == text }); i >= 0 {
			list[i].score = max(list[i].score, s)
		} else if s >= 0.4 {
			list = append(list, scored{text, s})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.text, b.text))
	})
	return text.Each(list[:min(len(list), 5)], func(s scored) string { return s.text })
}

// similarity is 1 for the same name and 0 for nothing in common. A name inside the other is
// similar.
func similarity(a, b string) float64 {
	la, lb := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	short, long := min(la, lb), max(la, lb)
	if short >= 3 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return 0.5 + 0.5*float64(short)/float64(long)
	}
	return 1 - float64(levenshtein.ComputeDistance(a, b))/float64(long)
}

// fold makes names comparable: letters and digits only, in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// keys are the folded forms of a name, with and without the word "app" around it.
func keys(name string) []string {
	bare := strings.ToLower(strings.TrimSpace(name))
	bare = strings.TrimSuffix(strings.TrimPrefix(bare, "the "), " app")
	list := []string{fold(name), fold(bare)}
	if short := strings.TrimSuffix(fold(bare), "应用"); utf8.RuneCountInString(short) >= 2 {
		list = append(list, short)
	}
	return slices.Compact(list)
}
