package shell

import (
	"image"
	"strconv"
	"strings"
)

const wmHelp = `Window manager (window) commands:
  help
      Print this help text.
  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]
    Show or override the display size, in pixels unless suffixed with 'dp'.
  density [reset|DENSITY] [-d DISPLAY_ID] [-u UNIQUE_ID]
    Show or override the display density.
  dismiss-keyguard
    Dismiss the keyguard, asking the user for the credential if there is one.
  user-rotation [-d DISPLAY_ID] [free|lock] [rotation]
    Show or set the user rotation mode and rotation.
  fixed-to-user-rotation [-d DISPLAY_ID] [enabled|disabled|default|enabled_if_no_auto_rotation]
    Show or set whether the rotation is fixed to the user rotation.
`

func wm(c *call) int { return callService(c, windowService, c.args) }

func windowService(c *call, name string, a *args) int {
	switch name {
	case "size":
		return wmSize(c, a)
	case "density":
		return wmDensity(c, a)
	case "dismiss-keyguard":
		_ = c.sh.phone.DismissKeyguard() // with a PIN the phone now asks for it; the command does not tell
		return exitOK
	case "user-rotation":
		return wmRotation(c, a)
	case "set-user-rotation": // the older name, of Android 11 and 12
		return wmRotation(c, a)
	case "fixed-to-user-rotation", "set-fix-to-user-rotation":
		return wmFixed(c, a)
	case "set-ignore-orientation-request":
		a.need()
		return exitOK
	}
	return unknownCommand(c, name, wmHelp)
}

// setting reads what is to be set, passing over -d ID; false means that the present value is asked for.
func (a *args) setting() (string, bool) {
	word, ok := a.next()
	for ok && word == "-d" {
		a.need()
		word, ok = a.next()
	}
	return word, ok
}

func wmSize(c *call, a *args) int {
	word, ok := a.setting()
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
	var size image.Point
	for _, side := range []struct {
		text string
		to   *int
	}{{w, &size.X}, {h, &size.Y}} {
		n, bad := c.dimension(side.text)
		if bad != "" {
			return c.fail(exitMinus, "Error: bad number java.lang.NumberFormatException: For input string: %q", bad)
		}
		*side.to = n
	}
	if size.X <= 0 || size.Y <= 0 {
		c.sh.phone.SetOverride(nil)
		return exitOK
	}
	c.sh.phone.SetOverride(&size)
	return exitOK
}

// dimension reads a length in pixels, px or dp.
func (c *call) dimension(s string) (n int, bad string) {
	number, dp := strings.CutSuffix(s, "dp")
	number = strings.TrimSuffix(number, "px")
	v, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return 0, number
	}
	if dp {
		v = v * int64(c.sh.phone.Density()) / 160
	}
	return int(v), ""
}

func wmDensity(c *call, a *args) int {
	word, ok := a.setting()
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
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		return c.fail(exitMinus, "Error: bad number java.lang.NumberFormatException: For input string: %q", word)
	}
	if n < 72 {
		return c.fail(exitMinus, "Error: density must be >= 72")
	}
	c.sh.phone.SetDensity(int(n))
	return exitOK
}

func wmRotation(c *call, a *args) int {
	word, ok := a.setting()
	if !ok {
		if v, _ := c.sh.phone.Setting("system", "accelerometer_rotation"); v == "1" {
			c.outf("free\n")
		} else {
			c.outf("lock %d\n", c.sh.phone.Rotation())
		}
		return exitOK
	}
	switch word {
	case "free":
		c.sh.phone.SetRotation(0, true)
		return exitOK
	case "lock":
		turns := c.sh.phone.Rotation()
		if s, ok := a.next(); ok {
			n, err := strconv.Atoi(s)
			if err != nil || n < 0 || n > 3 {
				return c.fail(exitMinus, "Error: expected rotation 0, 1, 2 or 3, but got '%s'", s)
			}
			turns = n
		}
		c.sh.phone.SetRotation(turns, false)
		return exitOK
	}
	return c.fail(exitMinus, "Error: expecting 'free', 'lock', but found '%s'", word)
}

func wmFixed(c *call, a *args) int {
	word, ok := a.setting()
	if !ok {
		c.outf("default\n")
		return exitOK
	}
	switch word {
	case "enabled", "disabled", "default", "enabled_if_no_auto_rotation":
		return exitOK
	}
	return c.fail(exitMinus, "Error: expecting enabled, disabled or default, but found '%s'", word)
}
