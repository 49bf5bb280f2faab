package shell

import "strings"

const uiautomatorHelp = `Usage: uiautomator <subcommand> [options]

Available subcommands:

help: displays help message

runtest: executes UI automation tests (not available on this phone)

dump: creates an XML dump of current UI hierarchy
    dump [--verbose][file]
      [--compressed]: dumps compressed layout information.
      [file]: where the XML goes; the default is
      /sdcard/window_dump.xml

events: prints out accessibility events until terminated (not available on this phone)
`

const dumpFile = "/sdcard/window_dump.xml"

func uiautomator(c *call) int {
	if len(c.args) == 0 || c.args[0] != "dump" {
		c.errf("%s", uiautomatorHelp)
		return exitFailure
	}
	file := dumpFile
	for _, a := range c.args[1:] {
		if !strings.HasPrefix(a, "-") {
			file = a
		}
	}
	if !c.sh.phone.On() {
		return c.fail(exitOK, "ERROR: null root node returned by UiTestAutomationBridge.")
	}
	xml := c.sh.phone.DumpXML()
	file = c.path(file)
	if file == "/dev/tty" {
		if _, err := c.stdout.Write(xml); err != nil {
			return c.wrote(err)
		}
	} else if err := c.write(file, xml); err != nil {
		// The real one logs this and claims success; a wrong answer helps nobody.
		return c.fail(exitFailure, "ERROR: could not write %s: %s", file, strerror(err))
	}
	c.outf("UI hierchary dumped to: %s\n", file)
	return exitOK
}
