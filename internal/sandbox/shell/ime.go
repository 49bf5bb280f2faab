package shell

import (
	"slices"
	"strings"
)

// Settings about input methods, in the namespace secure.
const (
	enabledIMEs = "enabled_input_methods"
	selectedIME = "default_input_method"
)

// imeService is the ime command.
func imeService(c *invocation, name string, a *args) int {
	switch name {
	case "list":
		return imeList(c, a)
	case "enable", "disable":
		return imeEnable(c, a, name == "enable")
	case "set":
		return imeSet(c, a)
	}
	return unknownCommand(c, name)
}

// enabled lists the input methods that may be selected.
func (s *Shell) enabled() []string {
	v, _ := s.phone.Settings.Setting("secure", enabledIMEs)
	return strings.FieldsFunc(v, func(r rune) bool { return r == ':' })
}

func imeList(c *invocation, a *args) int {
	all := slices.Contains(a.rest, "-a")
	for _, id := range c.sh.phone.Keyboard.IMEs() {
		if all || slices.Contains(c.sh.enabled(), id) {
			c.outf("%s\n", id)
		}
	}
	return exitOK
}

func imeEnable(c *invocation, a *args, on bool) int {
	word := map[bool]string{true: "enabled", false: "disabled"}[on]
	skipUser(a)
	given := a.need()
	id, ok := c.sh.phone.Keyboard.FindIME(given)
	if !ok {
		return c.fail(exitMinus, "Unknown input method %s cannot be %s for user #0", given, word)
	}
	list := slices.DeleteFunc(c.sh.enabled(), func(s string) bool { return s == id })
	if on {
		list = append(list, id)
	} else if c.sh.phone.Keyboard.IME() == id && len(list) > 0 {
		c.sh.phone.Settings.PutSetting("secure", selectedIME, list[0])
	}
	c.sh.phone.Settings.PutSetting("secure", enabledIMEs, strings.Join(list, ":"))
	c.outf("Input method %s: now %s for user #0\n", id, word)
	return exitOK
}

func imeSet(c *invocation, a *args) int {
	skipUser(a)
	given := a.need()
	id, ok := c.sh.phone.Keyboard.FindIME(given)
	if !ok || !slices.Contains(c.sh.enabled(), id) {
		return c.fail(exitMinus, "Unknown input method %s cannot be selected for user #0", given)
	}
	c.sh.phone.Settings.PutSetting("secure", selectedIME, id)
	c.outf("Input method %s selected for user #0\n", id)
	return exitOK
}
