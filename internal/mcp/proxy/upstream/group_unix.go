//go:build unix

package upstream

import (
	"os/exec"
	"syscall"
)

// Group makes the program the first of a group of its own, which ends as a whole: npx and uvx start
// the server as a child.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { kill(cmd); return nil }
}

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
