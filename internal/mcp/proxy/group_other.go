//go:build !unix

package proxy

import "os/exec"

func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
