package shell

import (
	"maps"
	"slices"
)

// androidCommands are the programs of a system image that talk to its services.
func androidCommands() map[string]command {
	return map[string]command{
		"am": commandOf(activityService), "cmd": cmd, "content": content,
		"date":     date, // of the phone's own clock, which a real userland does not know
		"dumpsys":  dumpsys,
		"getevent": getevent, "getprop": getprop,
		"ime": commandOf(imeService), "input": commandOf(inputService), "logcat": logcat,
		"monkey": monkey, "pkill": pkill, "pm": commandOf(packageService), "screencap": screencap,
		"settings": commandOf(settingsService), "uiautomator": uiautomator,
		"wm": commandOf(windowService),
	}
}

func getprop(c *invocation) int {
	all := c.sh.phone.Settings.Props()
	if len(c.args) > 0 {
		c.outf("%s\n", all[c.args[0]])
		return exitOK
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		c.outf("[%s]: [%s]\n", k, all[k])
	}
	return exitOK
}
