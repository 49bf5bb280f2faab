package shell

import (
	"fmt"
	"image"
)

func windowService(c *invocation, name string, a *args) int {
	switch name {
	case "size":
		return wmSize(c, a)
	case "density":
		if _, ok := a.next(); ok {
			return c.fail(exitMinus, "Error: the density of the simulated phone stays")
		}
		c.outf("Physical density: %d\n", c.sh.phone.Display.Density())
		return exitOK
	case "dismiss-keyguard":
		// with a PIN the phone now asks, which the command does not say
		c.sh.phone.Lock.DismissKeyguard()
		return exitOK
	}
	return unknownCommand(c, name)
}

func wmSize(c *invocation, a *args) int {
	word, ok := a.next()
	if !ok {
		physical := c.sh.phone.Display.PhysicalSize()
		c.outf("Physical size: %dx%d\n", physical.X, physical.Y)
		if o := c.sh.phone.Display.Override(); o != (image.Point{}) {
			c.outf("Override size: %dx%d\n", o.X, o.Y)
		}
		return exitOK
	}
	var size image.Point
	n, _ := fmt.Sscanf(word, "%dx%d", &size.X, &size.Y)
	if n != 2 && word != "reset" {
		return c.fail(exitMinus, "Error: bad size %s", word)
	}
	c.sh.phone.Display.SetOverride(size)
	return exitOK
}
