package shell

import (
	"fmt"
	"slices"
	"strings"
)

const settingsHelp = `Settings provider (settings) commands:
  get NAMESPACE KEY
  put NAMESPACE KEY VALUE
  delete NAMESPACE KEY
  list NAMESPACE
  NAMESPACE is one of {system, secure, global}, case-insensitive
`

func settingsService(c *call, name string, a *args) int {
	want := map[string]int{"get": 2, "put": 3, "delete": 2, "list": 1}[name]
	if want == 0 {
		return unknownCommand(c, name, settingsHelp)
	}
	skipUser(a)
	words := a.rest
	if len(words) == 0 {
		return c.fail(exitMinus, "Invalid namespace 'null'")
	}
	space := strings.ToLower(words[0])
	if !slices.Contains([]string{"system", "secure", "global"}, space) {
		return c.fail(exitMinus, "Invalid namespace '%s'", words[0])
	}
	if len(words) < want {
		return c.fail(exitMinus, "Bad arguments\n%s", strings.TrimSuffix(settingsHelp, "\n"))
	}
	switch name {
	case "get":
		v, ok := c.sh.phone.Setting(space, words[1])
		if !ok {
			v = "null"
		}
		c.outf("%s\n", v)
	case "put":
		c.sh.phone.PutSetting(space, words[1], words[2])
	case "delete":
		n := 0
		if c.sh.phone.DeleteSetting(space, words[1]) {
			n = 1
		}
		c.outf("Deleted %d rows\n", n)
	case "list":
		var out []string
		for k, v := range c.sh.phone.Settings(space) {
			out = append(out, fmt.Sprintf("%s=%s\n", k, v))
		}
		slices.Sort(out)
		c.outf("%s", strings.Join(out, ""))
	}
	return exitOK
}
