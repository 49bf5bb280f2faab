package page

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// How the page's scripts name what they take from each other, and what they give. Scripts that are
// made to be short leave the spaces out.
var (
	taken = regexp.MustCompile(
		`import\s*(?:\{([^}]*)\}|\* as (\w+)|(\w+))\s*from\s*"\./([\w.]+)";`)
	given      = regexp.MustCompile(`(?m)^export (async function|function|class|const) (\w+)`)
	givenList  = regexp.MustCompile(`export\{([^}]*)\};?`)
	givenAlone = regexp.MustCompile(`export default `)
	renamed    = regexp.MustCompile(`([\w$]+) as ([\w$]+)`)
)

// bundle is a script with all that it imports, as one that imports nothing. Each is a function
// that returns what it gives. No two may take from each other.
func bundle(name string) ([]byte, error) {
	b := bundler{done: map[string]bool{}}
	b.out.WriteString("\"use strict\";\n")
	err := b.add(name)
	return b.out.Bytes(), err
}

type bundler struct {
	out  bytes.Buffer
	done map[string]bool // false while what a script takes from is added
}

func (b *bundler) add(name string) error {
	done, begun := b.done[name]
	if done {
		return nil
	}
	if begun {
		return fmt.Errorf("the script %s takes from itself by way of another", name)
	}
	b.done[name] = false
	script, _, err := File(name)
	if err != nil {
		return err
	}
	for _, m := range taken.FindAllSubmatch(script, -1) {
		if err := b.add(string(m[4])); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b.out, "const %s = (() => {\n%s})();\n", variable(name), body(script))
	b.done[name] = true
	return nil
}

// body is a script whose imports are variables, and whose exports are what it returns.
func body(script []byte) []byte {
	var out []string
	script = taken.ReplaceAllFunc(script, func(line []byte) []byte {
		m := taken.FindSubmatch(line)
		from := variable(string(m[4]))
		switch {
		case m[1] != nil:
			names := renamed.ReplaceAll(m[1], []byte("$1: $2"))
			return fmt.Appendf(nil, "const {%s} = %s;", names, from)
		case m[2] != nil:
			return fmt.Appendf(nil, "const %s = %s;", m[2], from)
		}
		return fmt.Appendf(nil, "const %s = %s.default;", m[3], from)
	})
	for _, m := range given.FindAllSubmatch(script, -1) {
		out = append(out, string(m[2]))
	}
	script = given.ReplaceAll(script, []byte("$1 $2"))
	for _, m := range givenList.FindAllSubmatch(script, -1) {
		out = append(out, renamed.ReplaceAllString(string(m[1]), "$2: $1"))
	}
	script = givenList.ReplaceAll(script, nil)
	if givenAlone.Match(script) {
		out = append(out, "default: alone")
		script = givenAlone.ReplaceAll(script, []byte("const alone = "))
	}
	return fmt.Appendf(script, "\nreturn {%s};\n", strings.Join(out, ", "))
}

// variable is what holds what a script gives.
func variable(name string) string { return "in_" + strings.TrimSuffix(name, path.Ext(name)) }
