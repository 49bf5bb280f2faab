package loose

import (
	"errors"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// Function is how a call between tags begins, inside of <tool_call> or <seed:tool_call> or bare.
func Function(name string) string {
	return `(?:<\s*` + space + `(?:` + wrapped + `)\s*>\s*)?` +
		`<` + called + `\s*(?:name\s*)?=\s*["']?` + name + `["']?\s*>`
}

const (
	// wrapped is the names of the tags around a call.
	wrapped = `tool_calls?|function_calls`
	// space is whose the tag is, as in seed: and in DeepSeek's tokens.
	space = `(?:\w+:|｜DSML｜)?`
	// called is the name of the tag of a call.
	called = space + `(?:function|invoke)`
)

// AnyName is the name of any function or parameter.
const AnyName = `[\pL\pN_.-]+`

var (
	function  = text.Lazily(`^\s*` + Function(`(`+AnyName+`)`))
	parameter = text.Lazily(`^\s*<` + space + `parameter\s*(?:name\s*)?=\s*["']?(` +
		AnyName + `)["']?[^<>]*>`)
	valueEnd = regexp.MustCompile(`</` + space + `parameter\s*>\s*(?:<` + space + `parameter\s*` +
		`(?:name\s*)?=|</` + called + `\s*>|$)`)
	inner    = regexp.MustCompile(`<(?:` + called + `|` + space + `parameter)\s*(?:name\s*)?=`)
	valueTag = regexp.MustCompile(`^</` + space + `parameter\s*>`)
	callEnd  = regexp.MustCompile(`^\s*(?:</` + called + `\s*>)?\s*` +
		`(?:</\s*` + space + `(?:` + wrapped + `)\s*>)?`)
)

// ReadTags reads the call that text begins with, as models of Seed and newer Qwen write it:
//
//	<tool_call><function=NAME><parameter=NAME>VALUE</parameter> ... </function></tool_call>
//
// or Claude, MiniMax and DeepSeek, with function_calls, invoke name="NAME" and parameter
// name="NAME" as the tags, or Llama, with an object in place of the parameters. It also returns the
// text after the call. Values are texts, without the line breaks next to their tags.
func ReadTags(text string) (c Call, rest string, err error) {
	m := function().FindStringSubmatchIndex(text)
	if m == nil {
		return Call{}, text, errors.New("expected <function=NAME>")
	}
	c.Name, rest = text[m[2]:m[3]], text[m[1]:]
	if strings.HasPrefix(strings.TrimSpace(rest), "{") { // as Llama writes it
		if c.Args, rest, err = ReadObject(rest); err != nil {
			return Call{}, text, err
		}
	}
	for {
		m := parameter().FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		name, value := rest[m[2]:m[3]], rest[m[1]:]
		end := valueEnd.FindStringIndex(value)
		if end == nil || inner.MatchString(value[:end[0]]) {
			return Call{}, text, errors.New("the parameter " + name + " has no </parameter>")
		}
		value, rest = value[:end[0]], value[end[0]:]
		rest = rest[len(valueTag.FindString(rest)):]
		if strings.HasPrefix(value, "\n") {
			value = strings.TrimSuffix(value[1:], "\n")
		}
		c.Args = append(c.Args, Member{Name: name, Value: value})
	}
	end := callEnd.FindString(rest)
	if strings.TrimSpace(end) == "" {
		return Call{}, text, errors.New("expected <parameter=NAME> or </function>")
	}
	return c, rest[len(end):], nil
}
