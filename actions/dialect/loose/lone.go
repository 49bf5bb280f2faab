package loose

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

const wrapping = `</?(?:answer|actions?|tool_calls?|call|output|response|result|final)>|` +
	`<[|｜][^<>\n]{1,60}[|｜]>|` + "```(?:[a-z]*\\s)?|[\\s*#`]"

var (
	loneFront = regexp.MustCompile(`(?i)^(?:` + wrapping + `|>\s)+`)
	loneEnd   = regexp.MustCompile(`(?i)(?:` + wrapping + `)+$`)
	stop      = regexp.MustCompile(`([)\]}）］｝"'])[.。;；,，]+$`)
	// loneLabel is the word in front of an action, at the beginning of a line.
	loneLabel = text.Lazily(`(?im)^[\s*#]*(?:(?:next|final|chosen|the)[ ]+)?` +
		`(?:action|tool(?:[ _]call)?|call|command|动作|行动|操作)s?(?:[ ]*\d+)?[*` + "`" +
		`]*[ \t]*(?:[:：=→]|[-–—=]+>?)`)
	verb = text.Lazily(`^(?:[\pL_]+\.)*(?:["'` + "`" +
		`])?([\pL_][\pL\pN_]*(?:[ -][\pL_]+){0,2})`)
	// leads is what stands between a name and its arguments, which may have a label of their own
	// where an agent thinks, acts and observes.
	leads = regexp.MustCompile("^[\"'`*]*\\s*(?:[:：=→,，|;；]|[-–—=]+>)?[\\s`*]*(?i:" +
		`[*#\s]*(?:action[ _])?(?:input|args|arguments|parameters|params)[*\s]*[:：][*\s]*` +
		"(?:```)?(?:json\\s)?\\s*(?:(?:none|null|n/a|-)$)?)?")
	observed = regexp.MustCompile(`(?is)\nobservation:.*$`)
	// paired begins with a name and a value, or with a text in quotes.
	paired = regexp.MustCompile(`^(?:["'` + "`" + `]?[\pL_][\pL\pN_]*["'` + "`" +
		`]?\s*[:：=]|["'“])`)
	// apart is what may stand between places.
	apart = regexp.MustCompile(`([\])）])\s*(?:[-–—=]+>|→|to)?\s*([\[(（])`)
)

// ReadLone reads a text that is one call and nothing else, whatever its brackets, separators and
// quotes: a name with its arguments, or names and values of which one is the action. known reports
// whether an action has a name. label says that the text said to be an action, so that a bare word
// may be one. The result names the action as a JSON object of a call does.
func ReadLone(text string, known func(name string) bool, label bool) (o Object, ok bool) {
	text = trimmed(text)
	list := strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
	if list {
		text = trimmed(text[1 : len(text)-1])
	}
	if strings.HasPrefix(text, "{") {
		o, rest, err := ReadObject(text)
		return o, err == nil && rest == ""
	}
	name, rest := verbOf(text, known)
	if name == "" {
		o, ok = members(text)
		return o, ok && paired.MatchString(text)
	}
	rest = rest[len(leads.FindString(rest)):]
	if rest == "" {
		return Object{{"action", name}}, label || strings.Contains(name, "_")
	}
	if list {
		rest = "(" + rest + ")"
	}
	args, ok := loneArgs(rest)
	return Object{{"action", name}, {"arguments", args}}, ok
}

// trimmed is a text without what stands around the whole of it.
func trimmed(text string) string {
	text = observed.ReplaceAllString(text, "")
	text = loneEnd.ReplaceAllString(loneFront.ReplaceAllString(text, ""), "")
	return stop.ReplaceAllString(text, "$1")
}

// Labelled is what stands in front of the only label of an action, and behind it.
func Labelled(text string) (before, behind string, ok bool) {
	all := loneLabel().FindAllStringIndex(text, -1)
	if len(all) != 1 {
		return "", text, false
	}
	return text[:all[0][0]], text[all[0][1]:], true
}

// verbOf is the known name that a text begins with, of several words rather than of one.
func verbOf(text string, known func(name string) bool) (name, rest string) {
	m := verb().FindStringSubmatchIndex(text)
	if m == nil {
		return "", text
	}
	for end := m[3]; end > m[2]; end = m[2] + strings.LastIndexAny(text[m[2]:end], " -") {
		if name := text[m[2]:end]; known(name) {
			return name, text[end:]
		}
	}
	return "", text
}

// loneArgs reads the arguments of a call: in brackets or quotes, as pairs, or as places.
func loneArgs(text string) (o Object, ok bool) {
	if all := PlaceTag.FindAllStringIndex(text, -1); len(all) > 1 && all[0][0] == 0 &&
		all[len(all)-1][1] == len(text) {
		text = "[" + PlaceTag.ReplaceAllString(text, " ") + "]"
	}
	if strings.ContainsRune("([{（［｛", []rune(text)[0]) {
		o, rest, err := read(text, func(p *parser) (Object, error) {
			p.call = true
			open := p.peek()
			p.take(open)
			return p.members(closers[open], 0)
		})
		if err == nil && rest == "" {
			return spread(o), true
		}
	} else if !paired.MatchString(text) {
		return nil, false
	}
	return members(apart.ReplaceAllString(text, "$1,$2"))
}

// spread is arguments in an object or a list within the brackets.
func spread(o Object) Object {
	if len(o) != 1 || o[0].Name != "" {
		return o
	}
	switch v := o[0].Value.(type) {
	case Object:
		return v
	case []any:
		if len(v) == 2 {
			return o // a place
		}
		all := Object{}
		for _, one := range v {
			all = append(all, Member{"", one})
		}
		return all
	}
	return o
}

// members reads a text that is, as a whole, names with values, or values. A text may not go on
// behind a separator.
func members(text string) (o Object, ok bool) {
	o, rest, err := read("("+text+")", func(p *parser) (Object, error) {
		p.call, p.pairs = true, true
		p.take('(')
		return p.members(')', 0)
	})
	for i := 1; i < len(o); i++ {
		_, place := o[i].Value.([]any)
		torn := o[i].Name == "" && !isNumber(o[i].Value) && !place && o[i-1].Name != ""
		if torn {
			return nil, false
		}
	}
	return o, err == nil && rest == ""
}
