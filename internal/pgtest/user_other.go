//go:build !linux

package pgtest

import (
	"os"
	"syscall"
)

var quit = os.Kill

func give(string) error { return nil }

func attributes() *syscall.SysProcAttr { return nil }
