package loose

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/text"
)

// MarshalJSON writes the number as it was written: as a text where JSON has no such number.
func (n Number) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(n)) {
		return []byte(n), nil
	}
	return json.Marshal(string(n))
}

// MarshalJSON writes the object with its members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

const (
	// mark is a model's own token, or a tag or label, around calls or a part of one.
	mark = `(?:<[|｜][^<>\n]{1,60}[|｜]>|\[/?[A-Z]+(?:_[A-Z]+)*\]|✿[A-Z]+✿\s*[:：]?|` +
		`</?(?:\w+:)?(?:[a-z]+_)?(?:TOOLCALL|tools?|tool_?(?:calls?|use|code)|function_calls?)>)`
	// name is that of a function, with its set in front and its number behind.
	name = `((?:functions?[.:]|call:)?[\pL_][\pL\pN_.-]*(?::\d+)?)`
	// between is what stands between the name and the arguments.
	between = "(?:" + mark + `|\[CALL_ID\]\s*\w+|[\s` + "`*]|```[a-z]*|" +
		`\b(?:json|code|commentary|assistant)\b)*`
	// actionLabel stands in front of the name that an agent writes who thinks, acts and observes.
	actionLabel = "[*#]*(?i:action)[*]*[ \t]*[:：][*\\s`]*"
)

// Packed calls, by how each begins. The name is the group.
var (
	// headed is a name behind a mark, and an object: Kimi, DeepSeek, Mistral, Harmony and others.
	headed = text.Lazily(`(?:` + mark + `\s*|\bto=|(?m:^)(?:>>>\s*|call:|` + actionLabel +
		`))` + name + between +
		`[{｛]`)
	// keyed is a name and pairs of tags, as GLM has it.
	keyed = text.Lazily(`<tool_call>\s*` + name + `\s*(?:<arg_key>|</tool_call>)`)
	// tagged is a call in the tags of [ReadTags].
	tagged = text.Lazily(Function(AnyName))
	// listed is calls of a language in a list, printed, or behind a mark.
	listed = text.Lazily(`(?:(?m:^)[ \t]*(?:\[|print\()|(?:^|` + mark + ")\\s*" +
		"(?:```[a-z]*\\s*)?(?:\\[|print\\()?)(" + AnyName + `)\(`)

	// over is what follows the calls of a reply: closing marks, or what the model imagines of the
	// call's result.
	over = text.Lazily("^(?:" + mark + "|</[^<>\n]*>|[^\\pL]|```[a-z]*)*(?:$|" +
		`(?i:observation|user|assistant)\b)`)

	argPair    = text.Lazily(`^\s*<arg_key>\s*([^<>]+?)\s*</arg_key>\s*<arg_value>`)
	argEnd     = text.Lazily(`</arg_value>\s*(?:<arg_key>|</tool_call>)`)
	callClosed = regexp.MustCompile(`^\s*</tool_call>`)
	// tail is what may stand behind a call of a language.
	tail = regexp.MustCompile("^[\\s)\\]`]*(?:$|" + mark + "|</|[,;]\\s*)")
)

// packing is a way to pack a call: how it begins, and how it is read from there.
type packing struct {
	begin *regexp.Regexp
	read  func(text string, m []int) (c Call, rest string, err error)
}

var packings = sync.OnceValue(func() []packing {
	return []packing{
		{tagged(), func(text string, m []int) (Call, string, error) {
			return ReadTags(text[m[0]:])
		}},
		{keyed(), readKeyed}, {headed(), readHeaded}, {listed(), readListed},
	}
})

// Unpack reads the calls of a text that stand in what models put around calls: tokens, tags and
// labels. It gives the text with each call as a JSON object in its line, and the text in front of
// the first. ok is false if there are no such calls, one of them cannot be read, or words follow
// them: they may be spoken of.
func Unpack(text string) (plain, before string, ok bool) {
	var b strings.Builder
	rest := text
	for range maxPacked {
		p, m := firstPacked(rest)
		if p == nil {
			b.WriteString(rest)
			return b.String(), before, ok && over().MatchString(rest)
		}
		c, behind, err := p.read(rest, m)
		if err != nil {
			return text, text, false
		}
		object, err := json.Marshal(Object{{"name", c.Name}, {"arguments", c.Args}})
		if err != nil {
			return text, text, false
		}
		if !ok {
			before = rest[:m[0]]
		}
		b.WriteString(rest[:m[0]] + "\n" + string(object))
		rest, ok = behind, true
	}
	return text, text, false
}

// maxPacked bounds how many calls of a reply are looked at, of which only one is carried out.
const maxPacked = 10

// firstPacked returns the packing of the first packed call, and where it begins.
func firstPacked(text string) (first *packing, at []int) {
	for _, p := range packings() {
		m := p.begin.FindStringSubmatchIndex(text)
		if m != nil && (at == nil || m[0] < at[0]) {
			first, at = &p, m
		}
	}
	return first, at
}

func readHeaded(text string, m []int) (c Call, rest string, err error) {
	object := text[m[1]-1:]
	if strings.HasSuffix(text[:m[1]], "｛") {
		object = text[m[1]-len("｛"):]
	}
	c.Name = strings.TrimPrefix(text[m[2]:m[3]], "call:")
	c.Args, rest, err = ReadObject(strings.ReplaceAll(object, "<escape>", `"`))
	return c, rest, err
}

func readKeyed(text string, m []int) (c Call, rest string, err error) {
	c.Name, rest = text[m[2]:m[3]], text[m[3]:]
	for {
		pair := argPair().FindStringSubmatchIndex(rest)
		if pair == nil {
			break
		}
		key, value := rest[pair[2]:pair[3]], rest[pair[1]:]
		end := argEnd().FindStringIndex(value)
		if end == nil || strings.Contains(value[:end[0]], "<arg_key>") {
			return c, text, errors.New("the argument " + key + " has no </arg_value>")
		}
		c.Args = append(c.Args, Member{Name: key, Value: value[:end[0]]})
		rest = value[end[0]+len("</arg_value>"):]
	}
	end := callClosed.FindStringIndex(rest)
	if end == nil {
		return c, text, errors.New("want </tool_call>")
	}
	return c, rest[end[1]:], nil
}

// readListed reads a call of a language, and passes over what closes the list behind it.
func readListed(text string, m []int) (c Call, rest string, err error) {
	c, rest, err = ReadCall(text[m[2]:])
	if err != nil {
		return c, text, err
	}
	end := tail.FindStringIndex(rest)
	if end == nil {
		return c, text, errors.New("words follow the call")
	}
	closed := strings.TrimLeft(rest, " )]`\n")
	if next, more := strings.CutPrefix(closed, ","); more { // of a list
		return c, "\n[" + strings.TrimLeft(next, " \n"), nil
	}
	return c, closed, nil
}
