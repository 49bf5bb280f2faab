package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

// everyday are English words that identify a screen in English.
var everyday = listed(`\b(?:{everyday})\b`)

// unknownLanguage reports whether the touched lines are of a button in an unknown language: in
// letters other than Latin and Chinese ones, or in Latin ones without an English word, if the
// screen has none either or money stands next to them.
func unknownLanguage(s *Subject, lines []string) bool {
	written := strings.Join(lines, " ")
	if !strings.ContainsFunc(written, unicode.IsLetter) {
		return false
	}
	if strings.ContainsFunc(written, func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Han)
	}) {
		return true
	}
	known := func(t string) bool {
		return everyday().MatchString(t) || strings.ContainsFunc(t, func(r rune) bool {
			return unicode.Is(unicode.Han, r)
		})
	}
	return !known(written) && (sumIn(s.Near) != "" ||
		!slices.ContainsFunc(s.Screen, func(t string) bool { return known(normalize(t)) }))
}

// disposes is what a place is called onto which things are thrown away.
var disposes = text.Lazily(`^(?:(?:move (?:it )?to |drop (?:it )?here to )?(?:the ` +
	`)?(?:trash(?: ?can)?|(?:recycle |rubbish |waste )?bin|wastebasket|delete|remove|` +
	`uninstall|` +
	`discard)(?: here)?|.{0,4}(?:回收站|垃圾桶|垃圾箱|废纸篓|删除|移除|卸载|丢弃))$`)

// byTrashCan returns the findings from the names of a trash can. The words of an element onto which
// something is dragged count, and of an icon its description.
func (e *Element) byTrashCan(onto bool) []finding {
	if e == nil {
		return nil
	}
	names := lines(e.Description)
	if onto {
		names = e.lines()
	}
	if e.Text == "" || onto {
		names = append(names, iconOf(e.ResourceID))
	}
	for _, n := range names {
		if disposes().MatchString(n) && (e.Text == "" || onto) {
			return []finding{{classNamed("delete"), underFinger, n}}
		}
	}
	return nil
}

// iconOf is the name in a resource id without what only says that it is a thing to touch.
func iconOf(id string) string {
	return strings.Join(slices.DeleteFunc(text.Words(id), func(w string) bool {
		return slices.Contains([]string{"btn", "button", "ic", "icon", "img", "image", "iv",
			"view",
			"action", "menu", "drop", "target", "zone", "area", "bar", "fab"}, w)
	}), " ")
}

// byResourceID is what the element's resource id says.
func (e *Element) byResourceID() (list []finding) {
	if e == nil {
		return nil
	}
	all := text.Words(e.ResourceID)
	words := strings.TrimSpace(slider.ReplaceAllString(strings.Join(all, " "), ""))
	core := slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		return slices.Contains(widgets, w)
	})
	wordless := !e.hasText()
	for _, c := range matchers() {
		whole := c.id.in(words) ||
			len(core) > 0 && c.id.in(strings.Join(core, " "))
		joined := c.joinedID.in(strings.Join(core, ""))
		if whole || joined || wordless && c.endsID(core) {
			list = append(list, finding{c.class, identifier, e.ResourceID})
		}
	}
	return list
}

// widgets are words of a resource id that say what it looks like, and not what it does.
var widgets = strings.Fields("btn button bt iv tv ll rl fl cl ic img image icon view layout " +
	"container cta fab")

// slider matches the words of elements along which a finger is drawn.
var slider = regexp.MustCompile(`\b(?:slide|slider|slid|swipe|seek|drag|knob)\b`)
