package adbtest

import (
	"os"
	"strings"
)

// namespaceHint is what to do on this machine so that namespaces are to be had.
func namespaceHint() string {
	for _, s := range []struct{ file, closed, remedy string }{
		{"/proc/sys/user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=10000"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0",
			"sudo sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
			"sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
	} {
		if b, err := os.ReadFile(s.file); err == nil && strings.TrimSpace(string(b)) == s.closed {
			return "run: " + s.remedy + ", or run the tests as root, or set " + envSwitch +
				"=off to leave them out"
		}
	}
	return "in a container, start it with: docker run --privileged; elsewhere run the tests as " +
		"root; or set " +
		envSwitch + "=off to leave them out"
}
