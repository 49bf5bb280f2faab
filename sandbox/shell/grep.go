package shell

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// grep is toybox's, as far as lines over adb use it.
func grep(c *call) int {
	g := grepper{opts: map[rune]bool{}}
	if code, ok := g.arguments(c); !ok {
		return code
	}
	re, err := g.compile()
	if err != nil {
		return c.fail(2, "grep: bad REGEX '%s': %v", strings.Join(g.patterns, "|"), err)
	}
	matched := false
	code := c.inputs(g.names, func(name string, data []byte) {
		if g.file(c, re, name, string(data)) {
			matched = true
		}
	})
	switch {
	case code != exitOK:
		return 2
	case !matched:
		return exitFailure
	}
	return exitOK
}

type grepper struct {
	opts     map[rune]bool
	most     int // lines of a file, as -m has it; 0 means all
	patterns []string
	names    []string
}

func (g *grepper) arguments(c *call) (code int, ok bool) {
	args := c.args
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		opt := args[0][1:]
		args = args[1:]
		if opt == "-" {
			break
		}
		if opt == "e" {
			if len(args) == 0 {
				return c.fail(2, "grep: Missing argument to -e"), false
			}
			g.patterns, args = append(g.patterns, args[0]), args[1:]
			continue
		}
		if n, ok := strings.CutPrefix(opt, "m"); ok {
			if n == "" && len(args) > 0 {
				n, args = args[0], args[1:]
			}
			var err error
			if g.most, err = strconv.Atoi(n); err != nil || g.most < 0 {
				return c.fail(2, "grep: not integer: %s", n), false
			}
			continue
		}
		for _, o := range opt {
			if !strings.ContainsRune("EFHciahlnoqsvwx", o) {
				invalidOption(c, string(o))
				return 2, false
			}
			g.opts[o] = true
		}
	}
	if g.patterns == nil {
		if len(args) == 0 {
			return c.fail(2, "grep: no REGEX"), false
		}
		g.patterns, args = args[:1], args[1:]
	}
	g.names = args
	return 0, true
}

func (g *grepper) compile() (*regexp.Regexp, error) {
	var alternatives []string
	for _, p := range g.patterns {
		for line := range strings.SplitSeq(p, "\n") {
			switch {
			case g.opts['F']:
				line = regexp.QuoteMeta(line)
			case !g.opts['E']:
				line = extended(line)
			}
			alternatives = append(alternatives, "(?:"+line+")")
		}
	}
	expr := strings.Join(alternatives, "|")
	if g.opts['w'] {
		expr = `\b(?:` + expr + `)\b`
	}
	if g.opts['x'] {
		expr = `^(?:` + expr + `)$`
	}
	if g.opts['i'] {
		expr = "(?i)" + expr
	}
	return regexp.Compile(expr)
}

// extended turns a basic regular expression into an extended one: ( ) { } | + ? change sides with their escaped forms.
func extended(basic string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(basic); i++ {
		ch := basic[i]
		swaps := strings.IndexByte("(){}|+?", ch) >= 0
		switch {
		case class:
			class = ch != ']'
			b.WriteByte(ch)
		case ch == '[':
			class = true
			b.WriteByte(ch)
		case ch == '\\' && i+1 < len(basic):
			i++
			if strings.IndexByte("(){}|+?", basic[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(basic[i])
		case swaps:
			b.WriteByte('\\')
			b.WriteByte(ch)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// file writes what a file's lines give and reports whether one matched.
func (g *grepper) file(c *call, re *regexp.Regexp, name, text string) bool {
	prefix := ""
	if len(g.names) > 1 || g.opts['H'] {
		prefix = name + ":"
	}
	var out strings.Builder
	count := 0
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if text == "" || re.MatchString(line) == g.opts['v'] {
			continue
		}
		if count++; g.most > 0 && count > g.most {
			count--
			break
		}
		number := ""
		if g.opts['n'] {
			number = fmt.Sprintf("%d:", i+1)
		}
		found := []string{line}
		if g.opts['o'] {
			found = re.FindAllString(line, -1)
		}
		for _, f := range found {
			fmt.Fprintf(&out, "%s%s%s\n", prefix, number, f)
		}
	}
	switch {
	case g.opts['q']:
	case g.opts['l'] && count > 0:
		c.outf("%s\n", name)
	case g.opts['c']:
		c.outf("%s%d\n", prefix, count)
	case !g.opts['l']:
		c.outf("%s", out.String())
	}
	return count > 0
}
