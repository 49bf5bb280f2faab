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
func monkey(c *invocation) int {
	for _, a := range c.args {
		c.outf("  bash arg: %s\n", a)
	}
	in, count, ok := parseMonkey(c.args)
	if !ok {
		return c.fail(monkeyBadArgs, "usage: monkey [-p ALLOWED_PACKAGE] [-c MAIN_CATEGORY] COUNT")
	}
	target := c.sh.resolve(in)
	if target == "" || c.sh.phone.Apps.Launch(packageOf(target)) != nil {
		c.outf("** No activities found to run, monkey aborted.\n")
		return monkeyNoActivity
	}
	c.outf("Events injected: %d\n", count)
	return exitOK
}

func parseMonkey(words []string) (in *intent, count int, ok bool) {
	in = &intent{action: actionMain, categories: []string{categoryLauncher}}
	a := &args{rest: words}
	for option := range a.options() {
		if option == "-v" || strings.HasPrefix(option, "--ignore-") {
			continue
		}
		switch value, _ := a.next(); {
		case option == "-p":
			in.pkg = value
		case option == "-c":
			in.categories[0] = value
		case option == "-s", option == "--throttle", strings.HasPrefix(option, "--pct-"):
		default:
			return nil, 0, false
		}
	}
	word, _ := a.next()
	count, err := strconv.Atoi(word)
	return in, count, err == nil && count >= 0
}
