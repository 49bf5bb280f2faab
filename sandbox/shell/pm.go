package shell

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/sandbox"
)

const pmHelp = `Package manager (package) commands:
  path PACKAGE
  list packages [-f] [-s] [-3] [--user USER_ID] [FILTER]
      -f: see their associated file   -s: only system packages   -3: only third party packages
  resolve-activity [--brief] [--components] INTENT
  query-activities [--brief] [--components] INTENT
  clear PACKAGE
`

func packageService(c *call, name string, a *args) int {
	switch name {
	case "list":
		return pmList(c, a)
	case "path":
		skipUser(a)
		app, ok := c.sh.find(a.need())
		if !ok {
			return exitFailure
		}
		c.outf("package:%s\n", apk(app))
		return exitOK
	case "clear":
		skipUser(a)
		if c.sh.phone.ClearData(a.need()) != nil {
			return c.fail(exitFailure, "Failed")
		}
		c.outf("Success\n")
		return exitOK
	case "resolve-activity":
		return pmResolve(c, a)
	case "query-activities":
		return pmQuery(c, a)
	}
	return unknownCommand(c, name, pmHelp)
}

// apk is where the package of an app lies.
func apk(app sandbox.App) string {
	if app.System {
		return fmt.Sprintf("/system/app/%s/%s.apk", app.Package, app.Package)
	}
	return fmt.Sprintf("/data/app/~~%s==/%s-%s==/base.apk",
		identity(app.Package), app.Package, identity(app.Activity+app.Package))
}

func pmList(c *call, a *args) int {
	if what := a.need(); what != "packages" && what != "package" {
		return c.fail(exitMinus, "Error: unknown list type '%s'", what)
	}
	var system, third, files bool
	for option := range a.options() {
		switch option {
		case "-s":
			system = true
		case "-3":
			third = true
		case "-f":
			files = true
		case "-e", "-u": // all are enabled, and none is uninstalled
		case "--user":
			a.need()
		default:
			return c.fail(exitMinus, "Error: Unknown option: %s", option)
		}
	}
	filter, _ := a.next()
	for _, app := range c.sh.phone.Packages() {
		if system && !app.System || third && app.System || !strings.Contains(app.Package, filter) {
			continue
		}
		if files {
			c.outf("package:%s=%s\n", apk(app), app.Package)
		} else {
			c.outf("package:%s\n", app.Package)
		}
	}
	return exitOK
}

const resolved = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault="

func pmResolve(c *call, a *args) int {
	brief := false
	in := parseIntent(a, briefly(&brief))
	target := c.sh.resolve(in)
	if target == "" || !c.sh.startable(target) {
		c.outf("No activity found\n")
		return exitOK
	}
	c.outf("%strue\n", resolved)
	describeActivity(c, target, "", brief)
	return exitOK
}

// briefly takes the options of resolve-activity that are not the intent's.
func briefly(brief *bool) func(string) bool {
	return func(option string) bool {
		known := option == "--brief" || option == "--components"
		*brief = *brief || known
		return known
	}
}

func pmQuery(c *call, a *args) int {
	brief := false
	in := parseIntent(a, briefly(&brief))
	var found []string
	for _, app := range c.sh.phone.Packages() {
		target := app.Package + "/" + app.Activity
		if target == in.component || in.component == "" && c.sh.takes(app, in) {
			found = append(found, target)
		}
	}
	if len(found) == 0 {
		c.outf("No activities found\n")
		return exitOK
	}
	c.outf("%d activities found:\n", len(found))
	for i, target := range found {
		c.outf("  Activity #%d:\n    %sfalse\n", i, resolved)
		describeActivity(c, target, "    ", brief)
	}
	return exitOK
}

// startable reports whether the phone has the component.
func (s *Shell) startable(component string) bool {
	app, ok := s.find(packageOf(component))
	return ok && component == app.Package+"/"+app.Activity
}

func describeActivity(c *call, target, indent string, brief bool) {
	if brief {
		c.outf("%s%s\n", indent, target)
		return
	}
	pkg := packageOf(target)
	for _, line := range []string{
		"  ActivityInfo:", "    name=" + strings.TrimPrefix(long(target), pkg+"/"),
		"    packageName=" + pkg, "    enabled=true exported=true",
	} {
		c.outf("%s%s\n", indent, line)
	}
}
