package shell

import (
	"strconv"
	"strings"
)

// Exit codes of monkey.
const (
	monkeyBadArgs    = 255 // -1
	monkeyNoActivity = 252 // -4
)

// monkey starts an app, which is its first event and all that it is used for over ADB. The script
// around the real one prints the arguments first.
func monkey(c *call) int {
	for _, a := range c.args {
		c.outf("  bash arg: %s\n", a)
	}
	in, count, ok := parseMonkey(c.args)
	if !ok {
		return c.fail(monkeyBadArgs, "usage: monkey [-p ALLOWED_PACKAGE] [-c MAIN_CATEGORY] COUNT")
	}
	target := c.sh.resolve(in)
	if target == "" || c.sh.phone.Launch(packageOf(target)) != nil {
		c.outf("** No activities found to run, monkey aborted.\n")
		return monkeyNoActivity
	}
	c.outf("Events injected: %d\n", count)
	return exitOK
}

func parseMonkey(words []string) (in *intent, count int, ok bool) {
	in = &intent{action: actionMain, categories: []string{categoryLauncher}}
	for len(words) > 1 {
		switch word := words[0]; {
		case word == "-p":
			in.pkg = words[1]
		case word == "-c":
			in.categories[0] = words[1]
		case word == "-s", word == "--throttle", strings.HasPrefix(word, "--pct-"):
		case word == "-v", strings.HasPrefix(word, "--ignore-"):
			words = words[1:]
			continue
		default:
			return nil, 0, false
		}
		words = words[2:]
	}
	if len(words) == 0 {
		return nil, 0, false
	}
	count, err := strconv.Atoi(words[0])
	return in, count, err == nil && count >= 0
}
