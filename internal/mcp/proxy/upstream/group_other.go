//go:build !unix

package upstream

import "os/exec"

func Group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
