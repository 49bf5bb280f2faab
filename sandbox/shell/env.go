package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// phoneEnv is the environment that a line starts with.
type phoneEnv struct{}

var exports = map[string]string{
	"HOME": "/", "SHELL": "/system/bin/sh", "USER": "shell", "LOGNAME": "shell", "HOSTNAME": "sandbox", "TERM": "dumb",
	"PATH":         "/product/bin:/apex/com.android.runtime/bin:/apex/com.android.art/bin:/system_ext/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin:/vendor/xbin",
	"ANDROID_ROOT": "/system", "ANDROID_DATA": "/data", "ANDROID_STORAGE": "/storage", "EXTERNAL_STORAGE": "/sdcard",
	"ANDROID_ASSETS": "/system/app", "ANDROID_BOOTLOGO": "1", "ASEC_MOUNTPOINT": "/mnt/asec", "DOWNLOAD_CACHE": "/data/cache",
}

// plainVars are set and not exported. The interpreter would fill the ids from the host if they were missing.
var plainVars = map[string]string{
	"UID": "2000", "EUID": "2000", "USER_ID": "2000", "GID": "2000", "EGID": "2000", "PPID": "1", pidVariable: "4711",
	"KSH_VERSION": "@(#)MIRBSD KSH R59 2024/02/01 Android",
}

// noFolder is where the interpreter would make named pipes and look for its own: a path that no system call accepts, so
// that no line can reach the host's temporary folder.
const noFolder = "/\x00"

// Get returns a variable. "HOME name" is the interpreter's question for a user's home; there are no users, so the answer
// is what was written, and the host is not asked.
func (phoneEnv) Get(name string) expand.Variable {
	if v, ok := exports[name]; ok {
		return expand.Variable{Set: true, Exported: true, Kind: expand.String, Str: v}
	}
	if v, ok := plainVars[name]; ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: v}
	}
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: "~" + user}
	}
	if name == "TMPDIR" {
		return expand.Variable{Set: true, Kind: expand.String, Str: noFolder}
	}
	return expand.Variable{}
}

// Each lists the variables that are exported.
func (e phoneEnv) Each(f func(name string, v expand.Variable) bool) {
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		if !f(name, e.Get(name)) {
			return
		}
	}
}
