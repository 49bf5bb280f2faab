package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// intent is what am and pm read from their arguments.
type intent struct {
	action, data   string
	pkg, component string
	categories     []string
	extras         map[string]string
	flags          map[string]bool // the command's own flags that are present
}

const (
	actionView       = "android.intent.action.VIEW"
	actionMain       = "android.intent.action.MAIN"
	categoryLauncher = "android.intent.category.LAUNCHER"
	categoryHome     = "android.intent.category.HOME"
)

// parseIntent reads the words of an intent, among them the command's own flags.
func parseIntent(a *args, flags ...string) *intent {
	in := &intent{extras: map[string]string{}, flags: map[string]bool{}}
	for option := range a.options() {
		if slices.Contains(flags, option) {
			in.flags[option] = true
		} else {
			in.option(a, option)
		}
	}
	if word, ok := a.next(); ok {
		in.target(word)
	}
	return in
}

func (in *intent) option(a *args, option string) {
	switch option {
	case "-a":
		in.action = a.need()
	case "-c":
		in.categories = append(in.categories, a.need())
	case "-d":
		in.data = a.need()
	case "-p":
		in.pkg = a.need()
	case "-n":
		in.component = component(a.need())
	case "--user", "-t", "-f":
		a.need()
	case "-e", "--es", "--ei", "--ez":
		k := a.need()
		in.extras[k] = a.need()
	default:
		panic(illegalArgument("Unknown option: %s", option))
	}
}

// component checks PACKAGE/CLASS and writes the class in short form.
func component(s string) string {
	pkg, class, ok := strings.Cut(s, "/")
	if !ok || pkg == "" || class == "" {
		panic(illegalArgument("Bad component name: %s", s))
	}
	if rest, ok := strings.CutPrefix(class, pkg+"."); ok {
		class = "." + rest
	}
	return pkg + "/" + class
}

// target reads the last word: a URI, a component or a package, which means its launcher activity.
func (in *intent) target(word string) {
	switch {
	case strings.Contains(word, ":"):
		in.data = word
		if in.action == "" {
			in.action = actionView
		}
	case strings.Contains(word, "/"):
		in.component = component(word)
	default:
		in.pkg = word
		if in.action == "" {
			in.action = actionMain
			in.categories = append(in.categories, categoryLauncher)
		}
	}
}

// String says what the intent is for, without its extras.
func (in *intent) String() string {
	parts := []string{"Intent {"}
	for _, p := range [][2]string{{"act", in.action}, {"dat", in.data}, {"pkg", in.pkg},
		{"cmp", in.component}} {
		if p[1] != "" {
			parts = append(parts, p[0]+"="+p[1])
		}
	}
	return strings.Join(append(parts, "}"), " ")
}

// settingsPages are the actions that open Settings.
const settingsPages = "android.settings."

// resolve finds the activity that an intent starts, as PACKAGE/.Class, or "" when nothing takes it.
func (s *Shell) resolve(in *intent) string {
	if in.component != "" {
		return in.component
	}
	for _, app := range s.phone.Apps.Packages() {
		if s.takes(app, in) {
			return app.Package + "/" + app.Activity
		}
	}
	return ""
}

// takes reports whether an app has an activity for an intent without a component.
func (s *Shell) takes(app *sandbox.App, in *intent) bool {
	if app.Activity == "" || in.pkg != "" && in.pkg != app.Package {
		return false
	}
	if strings.HasPrefix(in.action, settingsPages) {
		return app.Package == "com.android.settings"
	}
	if scheme, _, ok := strings.Cut(in.data, ":"); ok && in.action == actionView {
		return slices.Contains(app.Links, scheme)
	}
	if in.action != actionMain && (in.action != "" || in.pkg == "") || in.data != "" {
		return false
	}
	for _, c := range in.categories {
		isHome := strings.HasPrefix(app.Package, "com.android.launcher")
		if c == categoryHome && !isHome || c == categoryLauncher && isHome ||
			c != categoryHome && c != categoryLauncher && c != "android.intent.category.DEFAULT" {
			return false
		}
	}
	return true
}

// long is a component with its class written in full, as window titles have it.
func long(component string) string {
	pkg, class, ok := strings.Cut(component, "/")
	if !ok || !strings.HasPrefix(class, ".") {
		return component
	}
	return fmt.Sprintf("%s/%s%s", pkg, pkg, class)
}
