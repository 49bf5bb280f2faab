package guard

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// tongues are the words of verbs.txt, and those for passwords, by language and key.
var tongues = sync.OnceValue(func() map[string]map[string][]string {
	return words.Tables(verbsFile())
})

//go:generate go run ../files/genpacked guard.tar.gz *.txt *.yaml
//go:embed guard.tar.gz
var archive []byte

var (
	packedFiles = files.Packed(&archive)
	verbsFile   = sync.OnceValue(func() string {
		return string(packedFiles()["verbs.txt"]) + "\n" + words.File("secrets.txt")
	})
)

// made says of which keys of verbs.txt the labels of a class are made: of a verb alone, or of one
// and its object.
var made = []struct{ class, verb, object string }{
	{"pay", "pay", ""}, {"pay", "make", "payment"},
	{"order", "buy", ""}, {"order", "sell", ""}, {"pay", "start", "trial"},
	{"order", "make", "order"},
	{"transfer", "remit", ""}, {"transfer", "make", "transfer"}, {"transfer", "send", "money"},
	{"factory reset", "erase", "factory"},
	{"control", "link", "device"}, {"control", "cast", "screen"},
	{"control", "oem", ""}, {"control", "casting", ""},
	{"delete", "delete", ""}, {"delete", "empty", "trash"}, {"delete", "cancel", "plan"},
	{"delete", "cancel", "order"}, {"delete", "unsaved", ""},
	{"delete", "leave", "group"}, {"delete", "bar", "person"}, {"delete", "block", ""},
	{"send", "send", ""}, {"publish", "publish", ""},
	{"sign", "sign", ""}, {"sign", "submit", "form"},
	{"grant", "grant", ""}, {"grant", "unlock", "door"},
	{"grant", "shut", "door"}, {"grant", "raise", "role"},
	{"grant", "share", "location"},
	{"install", "install", ""}, {"uninstall", "uninstall", ""},
	{"call", "call", ""}, {"account", "logout", ""}, {"account", "change", "password"},
	{"account", "change", "pin"},
}

// labelsOf are the labels of a class in all languages, as patterns over folded text: those in Latin
// letters and those in others.
func labelsOf(class string) (latin, other []string) {
	for _, keys := range tongues() {
		for _, m := range made {
			if m.class != class {
				continue
			}
			for _, l := range labels(keys[m.verb], m.object, keys[m.object]) {
				if strings.ContainsFunc(l, isOther) {
					other = append(other, l)
				} else {
					latin = append(latin, l)
				}
			}
		}
	}
	slices.Sort(latin)
	slices.Sort(other)
	return latin, other
}

func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai)
}

func isOther(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }

// labels are the verbs, or each of them together with one of the objects, in either order and with
// up to two words between them.
func labels(verbs []string, object string, objects []string) []string {
	if object == "" || len(verbs) == 0 {
		return text.Each(verbs, folding)
	}
	if len(objects) == 0 {
		return nil
	}
	inner := func(l []string) string {
		bare := func(w string) string { return folding(strings.Trim(w, "^$")) }
		return "(?:" + strings.Join(text.Each(l, bare), "|") + ")"
	}
	v, o := inner(verbs), inner(objects)
	return []string{v + between + o, o + between + v}
}

// spoken are what a model says of itself that it does, and the same in the forms of buttons.
func spoken(clause string) []string {
	bare := speaksFirst().ReplaceAllString(clause, "")
	list := []string{clause, bare}
	for _, inflection := range inflections() {
		if said := inflection(bare); said != bare {
			list = append(list, strings.TrimSpace(said))
		}
	}
	return list
}

var speaksFirst = listed(`^(?:{speaks_first}|(?:{*now})[ ,]*)+`)

// inflections put a verb from a form in which models speak of what they do into one of buttons.
var inflections = sync.OnceValue(func() (all []func(string) string) {
	for _, keys := range tongues() {
		for _, rule := range keys["says"] {
			from, to, _ := strings.Cut(fold(strings.ReplaceAll(rule, "_", " ")), "=")
			if !strings.HasPrefix(from, "^") {
				from, to = `^(\pL+)`+from+`( .*)?$`, "${1}"+to+"${2}"
			}
			re := regexp.MustCompile(from)
			all = append(all, func(s string) string { return re.ReplaceAllString(s, to) })
		}
	}
	return all
})

// between is what may stand between a verb and its object.
const between = `,?(?: [^ ]{1,12}){0,2} ?`

// folding is the pattern of a word of verbs.txt.
func folding(word string) string {
	space := " "
	if strings.ContainsFunc(word, isUnspaced) { // where words are also written as one
		space = " ?"
	}
	word = strings.ReplaceAll(word, "_", space)
	word, open := strings.CutSuffix(word, "*")
	if before, any := strings.CutSuffix(word, "."); open && any {
		return folded(before) + ".*"
	}
	word = folded(word)
	switch {
	case open:
		word += `\pL*`
	case strings.HasSuffix(word, "$"):
		word = "^" + strings.TrimPrefix(word, "^")
	}
	return word
}

// inAll are the words of a key in all languages: of now those that may stand before a verb, of no
// those that refuse, and of leads those that only lead somewhere.
func inAll(key string) string {
	var all []string
	for _, keys := range tongues() {
		all = append(all, text.Each(keys[key], folding)...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// unsaved matches what a dialog calls leaving without what was written.
var unsaved = listed(`^(?:{*unsaved})$`)

// notLabels are what the labels of verbs.txt also say.
var notLabels = listed(`{no_labels}`)

// The apps of which more is known than what they show.
var (
	moneyApps      = apps("money_apps")
	permissionApps = apps("permission_apps")
	installerApps  = apps("installer_apps")
	storeApps      = apps("store_apps")
	keypads        = apps("keypads")
	launchers      = apps("launchers")
)

func apps(name string) []string { return strings.Split(list(name), "|") }

// list is a list of words.txt, or "" for a key of verbs.txt, behind a star. Other names panic.
func list(name string) string {
	key, verbs := strings.CutPrefix(name, "*")
	if wordLists[name] == "" && !(verbs && strings.Contains(verbsFile(), "\n"+key+" ")) {
		panic("no list of words is called " + name)
	}
	return wordLists[name]
}
