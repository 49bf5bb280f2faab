package shell

import (
	"fmt"
	"slices"
	"strings"
)

const settingsHelp = `Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
      Retrieve the current value of KEY.
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
      Change the contents of KEY to VALUE.
  delete [--user <USER_ID> | current] NAMESPACE KEY
      Delete the entry for KEY.
  list [--user <USER_ID> | current] NAMESPACE
      Print all defined keys.
  NAMESPACE is one of {system, secure, global}, case-insensitive
`

func settings(c *call) int { return callService(c, settingsService, c.args) }

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

const svcUsage = `Available commands:
    help     Show information about the subcommands
    power    Control the power manager
    data     Control mobile data connectivity
    wifi     Control the Wi-Fi manager
    bluetooth Control Bluetooth service
`

// svc switches radios and the stay-awake setting.
func svc(c *call) int {
	if len(c.args) < 2 {
		c.errf("%s", svcUsage)
		return exitFailure
	}
	what, word := c.args[0], c.args[1]
	onOff := map[string]string{"enable": "1", "disable": "0"}
	key := map[string]string{"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on"}[what]
	switch {
	case key != "" && onOff[word] != "":
		c.sh.phone.PutSetting("global", key, onOff[word])
	case what == "power" && word == "stayon" && len(c.args) > 2:
		values := map[string]string{"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}
		v, ok := values[c.args[2]]
		if !ok {
			return c.fail(exitFailure, "usage: svc power stayon [true|false|usb|ac|wireless|dock]")
		}
		c.sh.phone.PutSetting("global", "stay_on_while_plugged_in", v)
	default:
		c.errf("%s", svcUsage)
		return exitFailure
	}
	return exitOK
}
