package shell

import (
	"maps"
	"slices"
)

// services are what cmd(1) reaches.
func services() map[string]service {
	return map[string]service{
		"activity": activityService, "input": inputService, "input_method": imeService, "package": packageService,
		"settings": settingsService, "statusbar": statusbarService, "uimode": uimodeService, "window": windowService,
	}
}

func cmd(c *call) int {
	words := c.args
	if len(words) > 0 && words[0] == "-w" {
		words = words[1:]
	}
	if len(words) == 0 {
		return c.fail(exitService, "cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.")
	}
	if words[0] == "-l" {
		c.outf("Currently running services:\n")
		for _, name := range slices.Sorted(maps.Keys(services())) {
			c.outf("  %s\n", name)
		}
		return exitOK
	}
	f, ok := services()[words[0]]
	if !ok {
		return c.fail(exitService, "cmd: Can't find service: %s", words[0])
	}
	return callService(c, f, words[1:])
}

const statusbarHelp = `Status bar commands:
  help
    Print this help text.
  expand-notifications
    Open the notifications panel.
  collapse
    Collapse the notifications and settings panel.
`

const keyBack = 4

func statusbarService(c *call, name string, _ *args) int {
	shade := func() bool {
		w := c.sh.phone.Foreground()
		return w.Activity == "NotificationShade" && !c.sh.phone.Locked()
	}
	switch name {
	case "expand-notifications", "expand-settings":
		if size := c.sh.phone.Size(); !shade() {
			c.sh.phone.Swipe(size.X/2, 1, size.X/2, size.Y/2, defaultSwipe)
		}
		return exitOK
	case "collapse":
		if shade() {
			c.press(keyBack)
		}
		return exitOK
	}
	return unknownCommand(c, name, statusbarHelp)
}

const uimodeHelp = `UiModeManager service (uimode) commands:
  help
    Print this help text.
  night [yes|no|auto]
    Set or read night mode.
`

func uimodeService(c *call, name string, a *args) int {
	if name != "night" {
		return unknownCommand(c, name, uimodeHelp)
	}
	modes := map[string]string{"yes": "2", "no": "1", "auto": "0"}
	if word, ok := a.next(); ok {
		mode, known := modes[word]
		if !known {
			return c.fail(exitMinus, "Error: mode must be 'yes', 'no', 'auto', or 'custom_schedule' or 'custom_bedtime'")
		}
		c.sh.phone.PutSetting("secure", "ui_night_mode", mode)
	}
	now, _ := c.sh.phone.Setting("secure", "ui_night_mode")
	for word, mode := range modes {
		if mode == now {
			c.outf("Night mode: %s\n", word)
		}
	}
	return exitOK
}
