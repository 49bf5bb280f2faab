// Package loose reads the values and calls that models write: JSON with its usual mistakes, and
// Python's literals.
//
// It takes single quotes, bare keys and words, Python's constants, `=` for `:`, full-width
// punctuation, comments, trailing commas, round brackets, line breaks and unescaped quotes within
// texts, and numbers with leading zeros. A value that is not closed was cut off and is refused.
// Only the outermost bracket may be missing, behind a closed value. It evaluates nothing.
package loose

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// maxDepth is how deep values may be nested.
const maxDepth = 16

// Object is named values in the order in which they were written. A value is nil, a bool, a Number,
// a string, a []any or an Object.
type Object []Member

// Member is one of an object's values. Its name is "" for a value without one, as among the
// arguments of a call.
type Member struct {
	Name  string
	Value any
}

// Number is a number as it was written, for example 057 or 1e3.
type Number string

// Float is the number's value.
func (n Number) Float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64) // the parser has tried
	return f
}

// Get returns the value of that name, or nil if missing.
func (o Object) Get(name string) any {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Doubled is the first name that comes more than once, "" when none does.
func (o Object) Doubled() string {
	seen := map[string]bool{}
	for _, m := range o {
		if m.Name != "" && seen[m.Name] {
			return m.Name
		}
		seen[m.Name] = true
	}
	return ""
}

// Text returns a string unchanged, a number as it was written, and "" for anything else.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Call is a name with arguments: tap(x=1, y=2).
type Call struct {
	Name string
	Args Object
}

// ReadObject reads the object that text begins with, after white space, and gives what follows it.
func ReadObject(text string) (o Object, rest string, err error) {
	return read(text, func(p *parser) (Object, error) {
		if p.peek() != '{' {
			return nil, p.expected("{")
		}
		v, err := p.value(0)
		o, _ := v.(Object)
		return o, err
	})
}

// ReadList reads a text that is a list.
func ReadList(text string) (list []any, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return nil, false
	}
	list, rest, err := read(text, func(p *parser) ([]any, error) {
		v, err := p.value(0)
		list, _ := v.([]any)
		return list, err
	})
	return list, err == nil && strings.TrimSpace(rest) == ""
}

// ReadCall reads the call that text begins with, after white space, and gives what follows it. Of a
// name with points, as in pyautogui.click or click.call, the last part counts that is no "call".
func ReadCall(text string) (c Call, rest string, err error) {
	return read(text, func(p *parser) (Call, error) {
		p.call = true
		name := p.name()
		for name != "" && p.take('.') {
			if last := p.name(); last != "call" {
				name = last
			}
		}
		if name == "" || p.peek() != '(' {
			return Call{}, p.expected("a name and (")
		}
		p.take('(')
		args, err := p.members(')', 0)
		return Call{name, args}, err
	})
}

func read[T any](text string, f func(*parser) (T, error)) (v T, rest string, err error) {
	p := &parser{text: text}
	p.space()
	if v, err = f(p); err != nil {
		return v, text, err
	}
	return v, text[p.at:], nil
}

// parser reads from a place in a text on.
type parser struct {
	text   string
	at     int
	call   bool // of a call, whose arguments have = between name and value
	colons bool // as it has begun, and : instead
	pairs  bool // which lines, TABs, bars and semicolons may separate, too
	within int  // how many brackets are open
}

// peek is the next character, 0 at the end. Full-width punctuation is what it stands for.
func (p *parser) peek() rune {
	r, _ := p.next()
	return r
}

// Narrow is what a full-width form, or a bracket of Chinese, stands for. Quotes belong to texts.
func Narrow(r rune) rune {
	switch {
	case r == '【':
		return '['
	case r == '】':
		return ']'
	case '！' <= r && r <= '～' && !strings.ContainsRune("＂＇｀", r):
		return r - '！' + '!'
	}
	return r
}

func (p *parser) next() (r rune, size int) {
	if p.at >= len(p.text) {
		return 0, 0
	}
	r, size = utf8.DecodeRuneInString(p.text[p.at:])
	return Narrow(r), size
}

// take passes over the next character when it is r.
func (p *parser) take(r rune) bool {
	got, size := p.next()
	if size == 0 || got != r {
		return false
	}
	p.at += size
	return true
}

// space passes over white space and comments.
func (p *parser) space() {
	for {
		p.at = len(p.text) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
		end := ""
		switch {
		case strings.HasPrefix(p.text[p.at:], "//"):
			end = "\n"
		case strings.HasPrefix(p.text[p.at:], "/*"):
			end = "*/"
		default:
			return
		}
		if _, after, found := strings.Cut(p.text[p.at:], end); found {
			p.at = len(p.text) - len(after)
		} else {
			p.at = len(p.text)
		}
	}
}

var errEnd = errors.New("it ends too early")

func (p *parser) expected(what string) error {
	if p.at >= len(p.text) {
		return errEnd
	}
	shown := []rune(p.text[p.at:min(p.at+60, len(p.text))])
	return fmt.Errorf("want %s at %q", what, string(shown[:min(len(shown), 12)]))
}

func isName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// name reads a bare name. It returns "" if missing.
func (p *parser) name() string {
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !isName(r) })
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	name := rest[:end]
	p.space()
	return name
}

var closers = map[rune]rune{'{': '}', '[': ']', '(': ')'}

// value reads one value.
func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	switch r := p.peek(); r {
	case 0:
		return nil, errEnd
	case '{':
		p.take(r)
		return p.members('}', depth)
	case '[', '(':
		p.take(r)
		list, err := p.members(closers[r], depth)
		bare := func(m Member) bool { return m.Name == "" }
		if len(list) > 0 && !slices.ContainsFunc(list, bare) {
			return list, err
		}
		values := make([]any, len(list))
		for i, m := range list {
			values[i] = m.Value
		}
		return values, err
	case '"', '\'', '“', '”', '‘', '’', '`':
		return p.quoted(r)
	case '<':
		if place := placed().FindString(p.text[p.at:]); place != "" {
			p.at += len(place)
			return place, nil
		}
	}
	return p.bare()
}

// members reads values with or without names up to end.
func (p *parser) members(end rune, depth int) (Object, error) {
	p.within++
	defer func() { p.within-- }()
	list := Object{}
	for {
		p.space()
		switch {
		case p.take(end), p.unclosed(end, list):
			return list, nil
		case p.take(','), p.pairs && (p.take('|') || p.take(';')):
			continue
		}
		m, err := p.member(end, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
		if p.parted() {
			continue
		}
		p.space()
		if r := p.peek(); p.at < len(p.text) && r != ',' && r != end && !p.unclosed(end, list) {
			return nil, p.expected(", or " + string(end))
		}
	}
}

// parted reports whether a pair ends here, and not by a comma: another separator follows, or the
// name and the value of a call's next argument.
func (p *parser) parted() bool {
	return p.pairs && otherPair().MatchString(p.text[p.at:]) ||
		p.call && p.within == 1 && uncommaed().MatchString(p.text[p.at:])
}

var uncommaed = text.Lazily(`^\s+[\pL_][\pL\pN_]*\s*[=＝]\s*["'\[(\d]`)

// otherPair is such a separator, and the name of the pair behind it.
var otherPair = text.Lazily("^[ ]*[|;；\t\n]\\s*[\"'`]?[\\pL_][\\pL\\pN_]*[\"'`]?\\s*[:：=＝]")

// ahead is what a model goes on with behind a value that it has left open.
var ahead = regexp.MustCompile("^(?:</|<\\||`)")

// unclosed reports whether a bracket is missing that nothing could stand in front of any more: the
// outermost one behind a closed value, at the end of an object or in front of a closing tag, or
// that of the numbers of a place. Whatever else is left open was cut off.
func (p *parser) unclosed(end rune, list Object) bool {
	if len(list) == 0 {
		return false
	}
	rest := p.text[p.at:]
	if end == ']' && strings.HasPrefix(rest, "}") {
		if place, nested := list[0].Value.([]any); nested && len(list) == 1 {
			return !slices.ContainsFunc(place, func(v any) bool { return !isNumber(v) })
		}
		return len(list) == 2 && isNumber(list[0].Value) && isNumber(list[1].Value)
	}
	switch list[len(list)-1].Value.(type) {
	case Object, []any:
		return p.within == 1 && (rest == "" && !p.call || ahead.MatchString(rest))
	}
	return false
}

func isNumber(v any) bool {
	_, is := v.(Number)
	return is
}

// member reads a value with the name in front of it. Only in round and square brackets it may have
// none.
func (p *parser) member(end rune, depth int) (Member, error) {
	begin := p.at
	var name string
	var err error
	r := p.peek()
	if isQuote(r) {
		name, err = p.quoted(r)
	} else {
		name = p.name()
	}
	p.space()
	switch {
	case err == nil && (isQuote(r) || name != "") && (p.take(':') || p.take('=')):
		p.colons = p.colons || p.within == 1 && p.text[p.at-1] == ':'
		p.space()
		v, err := p.value(depth)
		return Member{name, v}, err
	case err == nil && end == '}':
		err = p.expected("a name and :")
	}
	if end == '}' {
		return Member{}, err
	}
	p.at = begin
	v, err := p.value(depth)
	return Member{"", v}, err
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”‘’", r) }

// pairs are the quotes that end a text by what began it.
var pairs = map[rune]string{'"': `"`, '\'': "'", '`': "`", '“': "”“", '”': "”“", '‘': "’‘",
	'’': "’‘"}

// quoted reads a text in quotes. A quote is the text's end when what follows could not be text: the
// end of a value. Before anything else it belongs to the text.
func (p *parser) quoted(open rune) (string, error) {
	ends := pairs[open]
	var b strings.Builder
	p.at += utf8.RuneLen(open)
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += size
		switch {
		case r == '\\' && p.at < len(p.text):
			p.escape(&b)
		case strings.ContainsRune(ends, r) && p.valueEnds():
			return b.String(), nil
		default:
			b.WriteString(p.text[p.at-size : p.at])
		}
	}
	return "", errEnd
}

// valueEnds reports whether a value may end here.
func (p *parser) valueEnds() bool {
	rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	r = Narrow(r)
	if p.call && r == ',' && p.within == 1 {
		return nextArgument().MatchString(rest) || p.colons && nextColon().MatchString(rest)
	}
	if p.parted() {
		return true
	}
	return strings.ContainsRune(",:=}])", r) || strings.HasPrefix(rest, "//")
}

// nextArgument is what follows the text of an argument of a call. Anything else behind a quote and
// a comma belongs to the text.
var nextArgument = text.Lazily(`^[,，]\s*(?:[\pL_][\pL\pN_]*\s*[=＝]|` +
	`["'][\pL_][\pL\pN_]*["']\s*[:：=]|[)）]|$)`)

// nextColon is the same in a call that has colons.
var nextColon = text.Lazily(`^[,，]\s*[\pL_][\pL\pN_]*\s*[:：]`)

var escapes = map[rune]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", '/': "/"}

// escape reads the characters behind a backslash. An unknown escape is kept unchanged.
func (p *parser) escape(b *strings.Builder) {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	switch s, known := escapes[r]; {
	case known:
		p.at += size
		b.WriteString(s)
	case r == 'u':
		p.unicode(b)
	case isQuote(r) || r == '\\':
		p.at += size
		b.WriteRune(r)
	default:
		b.WriteByte('\\')
	}
}

// unicode reads \u1234, two of which may make one character. A surrogate alone becomes U+FFFD.
func (p *parser) unicode(b *strings.Builder) {
	units, s := unicodeUnits.FindString(p.text[p.at:]), ""
	if units == "" || json.Unmarshal([]byte(`"\`+units+`"`), &s) != nil {
		s = `\`
	}
	p.at += len(units)
	b.WriteString(s)
}

var unicodeUnits = regexp.MustCompile(`^u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?`)

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false,
	"null": nil, "None": nil}

// bare reads a constant, a number or a word without quotes, up to what ends a value.
func (p *parser) bare() (any, error) {
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		r = Narrow(r)
		return strings.ContainsRune(",{}[]()\n", r) || p.pairs && strings.ContainsRune("|;；\t", r)
	})
	if end < 0 {
		end = len(rest)
	}
	word := strings.TrimSpace(rest[:end])
	if word == "" {
		return nil, p.expected("a value")
	}
	p.at += end
	if v, ok := constants[word]; ok {
		return v, nil
	}
	if _, err := strconv.ParseFloat(word, 64); err == nil &&
		strings.Trim(word, "+-.eE0123456789") == "" {
		return Number(word), nil
	}
	return word, nil
}

// PlaceTag is what models put around the numbers of a place.
var PlaceTag = regexp.MustCompile(placeTag)

const placeTag = `</?(?:point|bbox|box)>|<\|(?:box|point)_(?:start|end)\|>`

// placed is the numbers of a place between such tags.
var placed = text.Lazily(`^(?:` + placeTag + `)[\s\d.,()\[\]-]*(?:` + placeTag + `)`)
