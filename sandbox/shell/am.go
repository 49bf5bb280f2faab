package shell

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/sandbox"
)

const amHelp = `Activity manager (activity) commands:
  start-activity [-W] [-S] [--user <USER_ID>] <INTENT>
      Start an Activity. -W waits for launch to complete, -S force stops the app first.
  broadcast [--user <USER_ID> | all | current] <INTENT>
  force-stop [--user <USER_ID>] <PACKAGE>

 <INTENT> is
    [-a <ACTION>] [-d <DATA_URI>] [-t <MIME_TYPE>] [-c <CATEGORY>] [-n <COMPONENT>] [-f <FLAG>]
    [-e|--es|--ez|--ei <EXTRA_KEY> <EXTRA_VALUE> ...] [<URI> | <PACKAGE> | <COMPONENT>]
`

func activityService(c *call, name string, a *args) int {
	switch name {
	case "start", "start-activity":
		return amStart(c, a)
	case "broadcast":
		return amBroadcast(c, a)
	case "force-stop":
		skipUser(a)
		_ = c.sh.phone.ForceStop(a.need()) // the real one does not say whether it ran
		return exitOK
	}
	return unknownCommand(c, name, amHelp)
}

func skipUser(a *args) {
	for option := range a.options() {
		if option == "--user" {
			a.need()
		}
	}
}

func amStart(c *call, a *args) int {
	wait, stop := false, false
	in := parseIntent(a, func(option string) bool {
		wait = wait || option == "-W"
		stop = stop || option == "-S"
		return slices.Contains([]string{"-W", "-S"}, option)
	})
	target := c.sh.resolve(in)
	if stop && target != "" {
		pkg := packageOf(target)
		c.outf("Stopping: %s\n", pkg)
		_ = c.sh.phone.ForceStop(pkg) // an app that is not installed is reported below
	}
	c.outf("Starting: %s\n", in)
	out := c.stderr
	if wait {
		out = c.stdout
	}
	if target == "" {
		in.flags = "0x10000000"
		return complain(out, "Error: Activity not started, unable to resolve %s", in)
	}
	top := c.sh.phone.Foreground().Component() == target
	began := time.Now()
	if err := c.sh.phone.Start(target); err != nil {
		return startFailed(out, target, err)
	}
	launch := "COLD"
	if top {
		launch = "UNKNOWN (0)"
		complain(out, "Warning: Activity not started, intent has been delivered to "+
			"currently running top-most instance.")
	}
	if wait {
		took := time.Since(began).Milliseconds() + 1
		c.outf("Status: ok\nLaunchState: %s\nActivity: %s\nTotalTime: %d\nWaitTime: %d\nComplete\n",
			launch, target, took, took+2)
	}
	return exitOK
}

func startFailed(out io.Writer, target string, err error) int {
	if !errors.Is(err, sandbox.ErrNoActivity) && !errors.Is(err, sandbox.ErrNoPackage) {
		return complain(out, "Error: Activity not started, %v", err)
	}
	complain(out, "Error type 3")
	return complain(out, "Error: Activity class {%s} does not exist.", long(target))
}

func packageOf(component string) string {
	pkg, _, _ := strings.Cut(component, "/")
	return pkg
}

func amBroadcast(c *call, a *args) int {
	in := parseIntent(a, func(option string) bool { return option == "--async" })
	in.flags = "0x400000"
	c.outf("Broadcasting: %s\n", in)
	result := 0
	if c.sh.phone.Broadcast(in.action, in.extras) {
		result = -1 // the keyboard answers RESULT_OK
	}
	c.outf("Broadcast completed: result=%d\n", result)
	return exitOK
}
