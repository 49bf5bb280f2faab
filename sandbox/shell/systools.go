package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

func pwd(c *call) int {
	c.outf("%s\n", c.dir)
	return exitOK
}

func id(c *call) int {
	switch strings.Join(c.args, " ") {
	case "-u", "-g", "-G":
		c.outf("2000\n")
	case "-un", "-u -n", "-nu", "-gn", "-g -n":
		c.outf("shell\n")
	default:
		c.outf("uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw)," +
			"1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats)," +
			"3009(readproc),3011(uhid),3012(readtracefs) context=u:r:shell:s0\n")
	}
	return exitOK
}

func whoami(c *call) int {
	c.outf("shell\n")
	return exitOK
}

func uname(c *call) int {
	if len(c.args) == 0 {
		c.outf("Linux\n")
		return exitOK
	}
	var out []string
	for _, o := range strings.Join(c.args, "") {
		fields := map[rune]string{
			's': "Linux", 'n': "localhost", 'r': "6.1.23-android14-4", 'm': "x86_64", 'o': "Android",
			'a': "Linux localhost 6.1.23-android14-4 #1 SMP PREEMPT x86_64 Android",
		}
		if f, ok := fields[o]; ok {
			out = append(out, f)
		}
	}
	c.outf("%s\n", strings.Join(out, " "))
	return exitOK
}

func umask(c *call) int {
	if len(c.args) == 0 {
		c.outf("022\n")
	}
	return exitOK
}

// kill finds no process: the phone's apps are ended with am force-stop.
func kill(c *call) int {
	code := exitOK
	for _, a := range c.args {
		if !strings.HasPrefix(a, "-") {
			code = c.fail(exitFailure, "%s: kill: %s: No such process", shName, a)
		}
	}
	return code
}

func env(c *call) int {
	for _, v := range c.environ {
		c.outf("%s\n", v)
	}
	return exitOK
}

func which(c *call) int {
	code := exitOK
	for _, a := range c.args {
		p, ok := c.sh.where(a)
		if !ok {
			code = exitFailure
			continue
		}
		c.outf("%s\n", p)
	}
	return code
}

// where is the path of a command.
func (s *Shell) where(name string) (string, bool) {
	base := baseName(name)
	if s.lookup(base) == nil || interpreted[base] {
		return "", false
	}
	return path.Join("/system/bin", base), true
}

// commandV is command -v and command -V.
func commandV(c *call) int {
	code := exitFailure
	for _, a := range c.args[min(1, len(c.args)):] {
		p, found := c.sh.where(a)
		switch {
		case interp.IsBuiltin(a):
			p, found = a, found || interpreted[a] || a == "eval" || a == "trap" || a == "command"
		}
		if found {
			c.outf("%s\n", p)
			code = exitOK
		}
	}
	return code
}

func typeCommand(c *call) int {
	code := exitOK
	for _, a := range c.args {
		p, found := c.sh.where(a)
		switch {
		case interp.IsBuiltin(a) && (found || interpreted[a]):
			c.outf("%s is a shell builtin\n", a)
		case found:
			c.outf("%s is a tracked alias for %s\n", a, p)
		default:
			c.outf("%s not found\n", a)
			code = exitNotFound
		}
	}
	return code
}
