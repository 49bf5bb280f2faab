package shell

// services are what cmd(1) reaches.
func services() map[string]service {
	return map[string]service{
		"activity": activityService, "input": inputService,
		"package": packageService, "settings": settingsService, "window": windowService,
	}
}

func cmd(c *invocation) int {
	if len(c.args) == 0 {
		return c.fail(exitService, "cmd: No service specified")
	}
	f, ok := services()[c.args[0]]
	if !ok {
		return c.fail(exitService, "cmd: Can't find service: %s", c.args[0])
	}
	return callService(c, f, c.args[1:])
}
