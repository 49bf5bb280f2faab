package shell

import (
	"strconv"
	"strings"
)

const monkeyUsage = `usage: monkey [-p ALLOWED_PACKAGE] [-c MAIN_CATEGORY] COUNT
`

// Exit codes of monkey.
const (
	monkeyBadArgs    = 255 // -1
	monkeyNoActivity = 252 // -4
)

type monkeyArgs struct {
	pkg, category string
	said          []string // values that it repeats
	count         int
}

// monkey starts an app, which is its first event and all that it is used for over ADB.
func monkey(c *call) int {
	echoArguments(c)
	m, bad := parseMonkey(c.args)
	if bad != "" {
		return c.fail(monkeyBadArgs, "** Error: %s\n%s", bad, monkeyUsage)
	}
	for _, d := range m.said {
		c.outf("data=%q\n", d)
	}
	in := &intent{action: actionMain, pkg: m.pkg, categories: []string{m.category}}
	target := c.sh.resolve(in)
	if target == "" || c.sh.phone.Launch(packageOf(target)) != nil {
		c.outf("** No activities found to run, monkey aborted.\n")
		return monkeyNoActivity
	}
	c.outf("Events injected: %d\n", m.count)
	c.outf("## Network stats: elapsed time=17ms (0ms mobile, 0ms wifi, 17ms not connected)\n")
	return exitOK
}

// echoArguments is what the script around the real monkey and monkey itself print before anything
// else.
func echoArguments(c *call) {
	for _, a := range c.args {
		c.outf("  bash arg: %s\n", a)
	}
	c.errf("args: [%s]\n", strings.Join(c.args, ", "))
	for _, a := range c.args {
		c.errf(" arg: %q\n", a)
	}
}

func parseMonkey(words []string) (m monkeyArgs, bad string) {
	m.category = categoryLauncher
	for ; len(words) > 0; words = words[1:] {
		word := words[0]
		takes := word == "-p" || word == "-c" || word == "-s" || word == "--throttle" ||
			strings.HasPrefix(word, "--pct-")
		if takes {
			if words = words[1:]; len(words) == 0 {
				return m, "Missing argument for " + word
			}
		}
		switch {
		case word == "-p":
			m.pkg = words[0]
			m.said = append(m.said, m.pkg)
		case word == "-c":
			m.category = words[0]
			m.said = append(m.said, m.category)
		case takes, word == "-v", strings.HasPrefix(word, "--ignore-"):
		case strings.HasPrefix(word, "-"):
			return m, "Unknown option: " + word
		default:
			n, err := strconv.Atoi(word)
			if err != nil || n < 0 {
				return m, "Count is not a number: " + strconv.Quote(word)
			}
			m.count = n
			return m, ""
		}
	}
	return m, "Count not specified"
}
