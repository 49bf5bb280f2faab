package shell

import (
	"slices"
	"strings"
)

func settingsService(c *invocation, name string, a *args) int {
	if name != "get" && name != "put" {
		return unknownCommand(c, name)
	}
	skipUser(a)
	space, key := strings.ToLower(a.need()), a.need()
	if !slices.Contains([]string{"system", "secure", "global"}, space) {
		return c.fail(exitMinus, "Invalid namespace '%s'", space)
	}
	if name == "put" {
		c.sh.phone.Settings.PutSetting(space, key, a.need())
		return exitOK
	}
	v, ok := c.sh.phone.Settings.Setting(space, key)
	if !ok {
		v = "null"
	}
	c.outf("%s\n", v)
	return exitOK
}
