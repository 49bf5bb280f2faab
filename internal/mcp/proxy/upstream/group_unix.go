//go:build unix

package upstream

import (
	"os/exec"
	"syscall"
)

// Group starts the program in a new process group, which ends as a whole: npx and uvx start the
// server as a child.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { kill(cmd); return nil }
}

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
