package shell

import (
	"strconv"
	"strings"
)

var exports = map[string]string{
	"HOME": "/", "SHELL": "/system/bin/sh", "USER": "shell", "LOGNAME": "shell", "TERM": "dumb",
	"HOSTNAME": "sandbox", "TMPDIR": "/data/local/tmp",
	"PATH":         "/system/bin:/system/xbin:/vendor/bin",
	"ANDROID_ROOT": "/system", "ANDROID_DATA": "/data", "ANDROID_STORAGE": "/storage",
	"EXTERNAL_STORAGE": "/sdcard",
}

// variable is what $NAME stands for, "" when it is not set; nothing can be set. "HOME name" is the
// expansion's question for a user's home; there are no users, so the answer is what was written,
// and the host is not asked.
func (p *process) variable(name string) string {
	switch user, home := strings.CutPrefix(name, "HOME "); {
	case home:
		return "~" + user
	case name == "?":
		return strconv.Itoa(p.code)
	case name == "$":
		return "4711"
	}
	return exports[name]
}
