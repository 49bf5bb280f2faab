package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// environment is what $NAME stands for. Nothing can be set.
type environment struct{ p *process }

var exports = map[string]string{
	"HOME": "/", "SHELL": "/system/bin/sh", "USER": "shell", "LOGNAME": "shell", "TERM": "dumb",
	"HOSTNAME": "sandbox", "TMPDIR": "/data/local/tmp",
	"PATH":         "/system/bin:/system/xbin:/vendor/bin",
	"ANDROID_ROOT": "/system", "ANDROID_DATA": "/data", "ANDROID_STORAGE": "/storage",
	"EXTERNAL_STORAGE": "/sdcard",
}

// Get returns a variable. "HOME name" is the expansion's question for a user's home; there are no
// users, so the answer is what was written, and the host is not asked.
func (e environment) Get(name string) expand.Variable {
	text, ok := exports[name]
	switch {
	case ok:
	case name == "PWD":
		text = e.p.dir
	case name == "?":
		text = strconv.Itoa(e.p.code)
	case name == "$":
		text = "4711"
	case strings.HasPrefix(name, "HOME "):
		text = "~" + strings.TrimPrefix(name, "HOME ")
	default:
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: text}
}

// Each lists the variables that are exported.
func (e environment) Each(f func(name string, v expand.Variable) bool) {
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		if !f(name, e.Get(name)) {
			return
		}
	}
}
