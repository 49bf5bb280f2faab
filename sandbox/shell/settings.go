package shell

import (
	"slices"
	"strings"
)

func settingsService(c *call, name string, a *args) int {
	want := map[string]int{"get": 2, "put": 3}[name]
	if want == 0 {
		return unknownCommand(c, name)
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
		return c.fail(exitMinus, "Bad arguments")
	}
	if name == "put" {
		c.sh.phone.PutSetting(space, words[1], words[2])
		return exitOK
	}
	v, ok := c.sh.phone.Setting(space, words[1])
	if !ok {
		v = "null"
	}
	c.outf("%s\n", v)
	return exitOK
}
