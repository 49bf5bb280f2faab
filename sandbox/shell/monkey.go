package shell

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

const monkeyUsage = `usage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...]
              [-c MAIN_CATEGORY [-c MAIN_CATEGORY] ...]
              [--ignore-crashes] [--ignore-timeouts] [--pct-syskeys PERCENT] [--throttle MILLISEC]
              [-s SEED] [-v [-v] ...]
              COUNT
`

// Exit codes of monkey.
const (
	monkeyBadArgs    = 255 // -1
	monkeyNoActivity = 252 // -4
)

type monkeyArgs struct {
	packages, categories, data []string
	seed                       uint64
	count                      int
}

func monkey(c *call) int {
	echoArguments(c)
	m, bad := parseMonkey(c.args)
	if bad != "" {
		return c.fail(monkeyBadArgs, "%s\n%s", bad, monkeyUsage)
	}
	for _, d := range m.data {
		c.outf("data=%q\n", d)
	}
	app := m.main(c.sh)
	if app == "" {
		c.outf("** No activities found to run, monkey aborted.\n")
		return monkeyNoActivity
	}
	if err := c.sh.phone.Launch(app); err != nil {
		c.outf("** System appears to have crashed at event 0 of %d using seed %d\n", m.count, m.seed)
		return 1
	}
	m.play(c)
	c.outf("Events injected: %d\n", m.count)
	c.outf("## Network stats: elapsed time=17ms (0ms mobile, 0ms wifi, 17ms not connected)\n")
	return exitOK
}

// echoArguments is what the script around the real monkey and monkey itself print before anything else.
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
	m.seed = 1
	for i := 0; i < len(words); i++ {
		word := words[i]
		value := func() string {
			if i+1 >= len(words) {
				bad = "** Error: Missing argument for " + word
				return ""
			}
			i++
			return words[i]
		}
		switch {
		case word == "-p":
			m.packages = append(m.packages, value())
			m.data = append(m.data, m.packages[len(m.packages)-1])
		case word == "-c":
			m.categories = append(m.categories, value())
			m.data = append(m.data, m.categories[len(m.categories)-1])
		case word == "-s":
			m.seed, _ = strconv.ParseUint(value(), 10, 64)
		case strings.HasPrefix(word, "--pct-"), word == "--throttle":
			value()
		case word == "-v", strings.HasPrefix(word, "--ignore-"), word == "--monitor-native-crashes", word == "--kill-process-after-error":
		case strings.HasPrefix(word, "-"):
			bad = "** Error: Unknown option: " + word
		default:
			n, err := strconv.Atoi(word)
			if err != nil || n < 0 {
				return m, "** Error: Count is not a number: " + strconv.Quote(word)
			}
			m.count = n
			return m, bad
		}
		if bad != "" {
			return m, bad
		}
	}
	return m, "** Error: Count not specified"
}

// main is the package whose main activity is started first: an allowed one with one of the categories.
func (m *monkeyArgs) main(s *Shell) string {
	categories := m.categories
	if len(categories) == 0 {
		categories = []string{categoryLauncher}
	}
	packages := m.packages
	if len(packages) == 0 {
		packages = []string{""}
	}
	for _, pkg := range packages {
		for _, category := range categories {
			if target := s.resolve(&intent{action: actionMain, pkg: pkg, categories: []string{category}}); target != "" {
				return packageOf(target)
			}
		}
	}
	return ""
}

// play touches the screen here and there: the first event was the start of the app.
func (m *monkeyArgs) play(c *call) {
	random := rand.New(rand.NewPCG(m.seed, 0))
	for i := 1; i < m.count && c.ctx.Err() == nil; i++ {
		size := c.sh.phone.Size()
		c.sh.phone.Tap(random.IntN(size.X), random.IntN(size.Y))
	}
}
