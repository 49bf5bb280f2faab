package shell

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

func packageService(c *invocation, name string, a *args) int {
	switch name {
	case "list":
		return pmList(c, a)
	case "path":
		skipUser(a)
		pkg := a.need()
		if !c.sh.installed(func(app *sandbox.App) bool { return app.Package == pkg }) {
			return exitFailure
		}
		c.outf("package:/data/app/%s/base.apk\n", pkg)
		return exitOK
	case "clear", "grant", "revoke", "install":
		return pmChange(c, name, a)
	case "resolve-activity":
		return pmResolve(c, a)
	case "query-activities":
		return pmQuery(c, a)
	}
	return unknownCommand(c, name)
}

// installed reports whether there is such an app.
func (s *Shell) installed(such func(*sandbox.App) bool) bool {
	return slices.ContainsFunc(s.phone.Apps.Packages(), such)
}

func pmList(c *invocation, a *args) int {
	if what := a.need(); what != "packages" && what != "package" {
		return c.fail(exitMinus, "Error: unknown list type '%s'", what)
	}
	system, third, user := false, false, "all"
	for option := range a.options() {
		switch option {
		case "-s":
			system = true
		case "-3":
			third = true
		case "-e", "-u": // all are enabled, and none is uninstalled
		case "--user":
			user = a.need()
		default:
			return c.fail(exitMinus, "Error: Unknown option: %s", option)
		}
	}
	if user == "all" && c.sh.phone.Apps.Secluded() {
		panic(exception("java.lang.SecurityException: Shell does not have permission to access " +
			"user 150\n com.android.server.am.ActivityManagerService.handleIncomingUser:14983"))
	}
	filter, _ := a.next()
	for _, app := range c.sh.phone.Apps.Packages() {
		if system && !app.System || third && app.System || !strings.Contains(app.Package, filter) {
			continue
		}
		c.outf("package:%s\n", app.Package)
	}
	return exitOK
}

const resolved = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault="

// pmResolve answers in the brief form.
func pmResolve(c *invocation, a *args) int {
	target := c.sh.resolve(parseIntent(a, "--brief", "--components"))
	known := func(app *sandbox.App) bool { return app.Package+"/"+app.Activity == target }
	if !c.sh.installed(known) {
		c.outf("No activity found\n")
		return exitOK
	}
	c.outf("%strue\n%s\n", resolved, target)
	return exitOK
}

// pmQuery answers in the long form.
func pmQuery(c *invocation, a *args) int {
	in := parseIntent(a, "--brief", "--components")
	var found []*sandbox.App
	for _, app := range c.sh.phone.Apps.Packages() {
		if c.sh.takes(app, in) {
			found = append(found, app)
		}
	}
	c.outf("%d activities found:\n", len(found))
	for i, app := range found {
		c.outf("  Activity #%d:\n    %sfalse\n      ActivityInfo:\n        name=%s\n        "+
			"packageName=%s\n        enabled=true exported=true\n", i, resolved,
			app.Package+app.Activity, app.Package)
	}
	return exitOK
}
