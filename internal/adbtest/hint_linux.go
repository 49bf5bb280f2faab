package adbtest

// namespaceHint is what to do so that namespaces are to be had.
const namespaceHint = "run the tests as root, in a container start it with docker run " +
	"--privileged, allow user namespaces (sysctl user.max_user_namespaces, " +
	"kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), " +
	"or leave the tests out with " + envSwitch + "=off"
