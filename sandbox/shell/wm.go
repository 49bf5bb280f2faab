package shell

import (
	"image"
	"strconv"
	"strings"
)

func windowService(c *call, name string, a *args) int {
	switch name {
	case "size":
		return wmSize(c, a)
	case "density":
		return wmDensity(c, a)
	case "dismiss-keyguard":
		// with a PIN the phone now asks; the command does not say so
		_ = c.sh.phone.DismissKeyguard()
		return exitOK
	}
	return unknownCommand(c, name)
}

// number reads a number; what is none fails in Java's words.
func (c *call) number(s string) (n, code int) {
	v, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, c.fail(exitMinus,
			"Error: bad number java.lang.NumberFormatException: For input string: %q", s)
	}
	return int(v), exitOK
}

func wmSize(c *call, a *args) int {
	word, ok := a.next()
	switch {
	case !ok:
		size := c.sh.phone.PhysicalSize()
		c.outf("Physical size: %dx%d\n", size.X, size.Y)
		if o, set := c.sh.phone.Override(); set {
			c.outf("Override size: %dx%d\n", o.X, o.Y)
		}
		return exitOK
	case word == "reset":
		c.sh.phone.SetOverride(nil)
		return exitOK
	}
	w, h, ok := strings.Cut(word, "x")
	if !ok || w == "" || h == "" {
		return c.fail(exitMinus, "Error: bad size %s", word)
	}
	width, code := c.number(w)
	if code != exitOK {
		return code
	}
	height, code := c.number(h)
	if code == exitOK {
		c.sh.phone.SetOverride(&image.Point{X: width, Y: height})
	}
	return code
}

func wmDensity(c *call, a *args) int {
	word, ok := a.next()
	switch {
	case !ok:
		physical := c.sh.phone.PhysicalDensity()
		c.outf("Physical density: %d\n", physical)
		if d := c.sh.phone.Density(); d != physical {
			c.outf("Override density: %d\n", d)
		}
		return exitOK
	case word == "reset":
		c.sh.phone.SetDensity(0)
		return exitOK
	}
	n, code := c.number(word)
	if code == exitOK && n < 72 {
		return c.fail(exitMinus, "Error: density must be >= 72")
	}
	if code == exitOK {
		c.sh.phone.SetDensity(n)
	}
	return code
}
