package shell

import "strings"

// uiautomator writes the views of the window in front as XML.
func uiautomator(c *invocation) int {
	if len(c.args) == 0 || c.args[0] != "dump" {
		return c.fail(exitFailure, "usage: uiautomator dump [--compressed] [file]")
	}
	file := "/sdcard/window_dump.xml"
	for _, a := range c.args[1:] {
		if !strings.HasPrefix(a, "-") {
			file = c.path(a)
		}
	}
	if !c.sh.phone.Lock.On() {
		return c.fail(exitOK, "ERROR: null root node returned by UiTestAutomationBridge.")
	}
	xml := c.sh.phone.Screen.DumpXML()
	if file == "/dev/tty" {
		_, _ = c.stdout.Write(xml)
	} else if err := c.write(file, xml); err != nil {
		// The real one logs this and claims success. A wrong answer helps no client.
		return c.fail(exitFailure, "ERROR: could not write %s: %s", file, ErrorText(err))
	}
	c.outf("UI hierchary dumped to: %s\n", file)
	return exitOK
}
