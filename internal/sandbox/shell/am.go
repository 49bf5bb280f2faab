package shell

import (
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

func activityService(c *invocation, name string, a *args) int {
	switch name {
	case "start", "start-activity":
		return amStart(c, a)
	case "broadcast":
		return amBroadcast(c, a)
	case "crash":
		skipUser(a)
		c.sh.phone.Apps.Crash(a.need(), "android.app.RemoteServiceException$"+
			"CrashedByAdbException: shell-induced crash\n\tat android.app.ActivityThread."+
			"throwRemoteServiceException(ActivityThread.java:2107)")
		return exitOK
	case "force-stop":
		skipUser(a)
		c.sh.phone.Apps.ForceStop(a.need())
		return exitOK
	}
	return unknownCommand(c, name)
}

// pkill stops the process of an app, which then does not respond.
func pkill(c *invocation) int {
	if len(c.args) != 2 || c.args[0] != "-STOP" {
		return c.fail(exitFailure, "pkill: only -STOP PACKAGE is simulated")
	}
	if !c.sh.installed(func(app *sandbox.App) bool { return app.Package == c.args[1] }) {
		return exitFailure
	}
	c.sh.phone.Apps.Hang(c.args[1], "Input dispatching timed out")
	return exitOK
}

func amStart(c *invocation, a *args) int {
	in := parseIntent(a, "-W", "-S")
	target := c.sh.resolve(in)
	c.outf("Starting: %s\n", in)
	if target == "" {
		return c.fail(exitFailure, "Error: Activity not started, unable to resolve %s", in)
	}
	if in.flags["-S"] {
		c.sh.phone.Apps.ForceStop(packageOf(target)) // one that is not installed is reported below
	}
	top := c.sh.phone.Screen.Foreground().Component() == target
	if c.sh.phone.Apps.Start(target) != nil {
		complain(c.stderr, "Error type 3")
		return c.fail(exitFailure, "Error: Activity class {%s} does not exist.", long(target))
	}
	if top {
		complain(c.stderr, "Warning: Activity not started, intent has been delivered to "+
			"currently running top-most instance.")
	}
	if in.flags["-W"] {
		c.outf("Status: ok\nActivity: %s\nComplete\n", target)
	}
	return exitOK
}

func packageOf(component string) string {
	pkg, _, _ := strings.Cut(component, "/")
	return pkg
}

func amBroadcast(c *invocation, a *args) int {
	in := parseIntent(a, "--async")
	c.outf("Broadcasting: %s\n", in)
	result := 0
	if c.sh.phone.Keys.Broadcast(in.action, in.extras) {
		result = -1 // the keyboard answers RESULT_OK
	}
	c.outf("Broadcast completed: result=%d\n", result)
	return exitOK
}
