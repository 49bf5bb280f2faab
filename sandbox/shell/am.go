package shell

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/sandbox"
)

const amHelp = `Activity manager (activity) commands:
  help
      Print this help text.
  start-activity [-D] [-N] [-W] [-S] [--user <USER_ID>] <INTENT>
      Start an Activity. -W waits for launch to complete, -S force stops the app first.
  broadcast [--user <USER_ID> | all | current] <INTENT>
      Send a broadcast Intent.
  force-stop [--user <USER_ID>] <PACKAGE>
      Completely stop the given application package.
  kill [--user <USER_ID>] <PACKAGE>
      Kill the processes of the given application that are safe to kill.
  kill-all
      Kill all processes that are safe to kill.
  get-current-user
      Returns id of the current foreground user.
  stack list | task ...
      List the root tasks.

 <INTENT> specifications include these flags and arguments:
    [-a <ACTION>] [-d <DATA_URI>] [-t <MIME_TYPE>] [-c <CATEGORY> [-c <CATEGORY>] ...] [-n <COMPONENT>]
    [-e|--es <EXTRA_KEY> <EXTRA_STRING_VALUE> ...] [--ez|--ei|--el|--ef|--eu <EXTRA_KEY> <VALUE> ...] [-f <FLAG>]
    [<URI> | <PACKAGE> | <COMPONENT>]
`

func am(c *call) int { return callService(c, activityService, c.args) }

func activityService(c *call, name string, a *args) int {
	switch name {
	case "start", "start-activity":
		return amStart(c, a)
	case "broadcast":
		return amBroadcast(c, a)
	case "force-stop":
		return amForceStop(c, a)
	case "kill":
		skipUser(a)
		a.need() // apps in the background are never worth killing here
		return exitOK
	case "kill-all":
		return exitOK
	case "get-current-user":
		c.outf("0\n")
		return exitOK
	case "stack", "task":
		return amStack(c, a)
	case "startservice", "start-service", "start-foreground-service":
		in := parseIntent(a, none)
		c.outf("Starting service: %s\n", in)
		return c.fail(exitMinus, "Error: Not found; no service started.")
	}
	return unknownCommand(c, name, amHelp)
}

func none(string) bool { return false }

func skipUser(a *args) {
	for {
		option, ok := a.option()
		if !ok {
			return
		}
		if option == "--user" {
			a.need()
		}
	}
}

func amStart(c *call, a *args) int {
	wait, stop := false, false
	in := parseIntent(a, func(option string) bool {
		switch option {
		case "-W":
			wait = true
		case "-S":
			stop = true
		}
		return slices.Contains([]string{"-W", "-S", "-D", "-N", "--streaming", "--track-allocation"}, option)
	})
	target := c.sh.resolve(in)
	if stop && target != "" {
		pkg := packageOf(target)
		c.outf("Stopping: %s\n", pkg)
		_ = c.sh.phone.ForceStop(pkg) // an app that is not installed is told of below
	}
	c.outf("Starting: %s\n", in)
	tell := c.stderr
	if wait {
		tell = c.stdout
	}
	if target == "" {
		in.flags = "0x10000000"
		return complain(tell, "Error: Activity not started, unable to resolve %s", in)
	}
	before := c.sh.phone.Foreground()
	began := time.Now()
	if err := c.sh.phone.Start(target); err != nil {
		return startFailed(c, in, target, err, wait)
	}
	top := before.Component() == target
	if top {
		complain(tell, "Warning: Activity not started, intent has been delivered to currently running top-most instance.")
	}
	if wait {
		took := time.Since(began).Milliseconds() + 1
		c.outf("Status: ok\nLaunchState: %s\nActivity: %s\nTotalTime: %d\nWaitTime: %d\nComplete\n",
			map[bool]string{true: "UNKNOWN (0)", false: "COLD"}[top], target, took, took+2)
	}
	return exitOK
}

func startFailed(c *call, in *intent, target string, err error, wait bool) int {
	tell := c.stderr
	if wait {
		tell = c.stdout
	}
	if !errors.Is(err, sandbox.ErrNoActivity) && !errors.Is(err, sandbox.ErrNoPackage) {
		return complain(tell, "Error: Activity not started, %v", err)
	}
	complain(tell, "Error type 3")
	return complain(tell, "Error: Activity class {%s} does not exist.", long(target))
}

func packageOf(component string) string {
	pkg, _, _ := strings.Cut(component, "/")
	return pkg
}

func amForceStop(c *call, a *args) int {
	skipUser(a)
	_ = c.sh.phone.ForceStop(a.need()) // the real one does not tell whether there was anything to stop
	return exitOK
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

func amStack(c *call, a *args) int {
	if what := a.need(); what != "list" {
		return c.fail(exitMinus, "Error: unknown command '%s'", what)
	}
	size := c.sh.phone.Size()
	for i, pkg := range c.sh.phone.Running() {
		app, _ := c.sh.find(pkg)
		c.outf("RootTask id=%d bounds=[0,0][%d,%d] displayId=0 userId=0\n", 100+i, size.X, size.Y)
		c.outf("  taskId=%d: %s/%s bounds=[0,0][%d,%d] userId=0 visible=%t topActivity=ComponentInfo{%s}\n\n",
			100+i, pkg, app.Activity, size.X, size.Y, i == 0, long(pkg+"/"+app.Activity))
	}
	return exitOK
}
