package shell

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/sandbox"
)

const pmHelp = `Package manager (package) commands:
  help
    Print this help text.
  path [--user USER_ID] PACKAGE
    Print the path to the .apk of the given PACKAGE.
  list packages [-f] [-d] [-e] [-s] [-3] [-i] [-l] [-u] [-U] [--show-versioncode] [--user USER_ID] [FILTER]
    Prints all packages; only those whose name contains the text in FILTER.
      -f: see their associated file   -s: only system packages   -3: only third party packages
  resolve-activity [--brief] [--components] INTENT
    Print the activity that resolves to the given INTENT.
  query-activities [--brief] [--components] INTENT
    Print all activities that can handle the given INTENT.
  clear [--user USER_ID] PACKAGE
    Deletes all data associated with a package.
`

func pm(c *call) int { return callService(c, packageService, c.args) }

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
	case "get-install-location":
		c.outf("0[auto]\n")
		return exitOK
	}
	return unknownCommand(c, name, pmHelp)
}

// apk is where the package of an app lies.
func apk(app sandbox.App) string {
	if app.System {
		return fmt.Sprintf("/system/app/%s/%s.apk", app.Package, app.Package)
	}
	return fmt.Sprintf("/data/app/~~%s==/%s-%s==/base.apk", identity(app.Package), app.Package, identity(app.Activity+app.Package))
}

func pmList(c *call, a *args) int {
	switch what := a.need(); what {
	case "packages", "package":
		return pmPackages(c, a)
	case "users":
		c.outf("Users:\n\tUserInfo{0:Owner:4c13} running\n")
		return exitOK
	case "features":
		c.outf("feature:reqGlEsVersion=0x30002\nfeature:android.hardware.screen.portrait\nfeature:android.hardware.touchscreen\n")
		return exitOK
	default:
		return c.fail(exitMinus, "Error: unknown list type '%s'", what)
	}
}

func pmPackages(c *call, a *args) int {
	var system, third, files, codes, uids bool
	for {
		option, ok := a.option()
		if !ok {
			break
		}
		switch option {
		case "-s":
			system = true
		case "-3":
			third = true
		case "-f":
			files = true
		case "-U":
			uids = true
		case "--show-versioncode":
			codes = true
		case "-a", "-e", "-i", "-l", "-u", "--apex-only":
		case "-d":
			return exitOK // no package is disabled
		case "--user", "--uid":
			a.need()
		default:
			return c.fail(exitMinus, "Error: Unknown option: %s", option)
		}
	}
	filter, _ := a.next()
	for i, app := range c.sh.phone.Packages() {
		if system && !app.System || third && app.System || !strings.Contains(app.Package, filter) {
			continue
		}
		line := "package:"
		if files {
			line += apk(app) + "="
		}
		line += app.Package
		if codes {
			line += " versionCode:34"
		}
		if uids {
			line += fmt.Sprintf(" uid:%d", uid(i))
		}
		c.outf("%s\n", line)
	}
	return exitOK
}

func uid(i int) int { return 10100 + i }

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
		*brief = *brief || option == "--brief" || option == "--components"
		return option == "--brief" || option == "--components"
	}
}

func pmQuery(c *call, a *args) int {
	brief := false
	in := parseIntent(a, briefly(&brief))
	var found []string
	for _, app := range c.sh.phone.Packages() {
		if target := app.Package + "/" + app.Activity; target == in.component || in.component == "" && c.sh.takes(app, in) {
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
	c.outf("%s  ActivityInfo:\n%s    name=%s\n%s    packageName=%s\n%s    enabled=true exported=true\n",
		indent, indent, strings.TrimPrefix(long(target), pkg+"/"), indent, pkg, indent)
}
