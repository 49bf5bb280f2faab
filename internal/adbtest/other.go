//go:build !linux

package adbtest

import (
	"errors"
	"os"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
)

func enter() (int, error) {
	return 0, hint.Add(errors.New("the rig needs Linux's namespaces"),
		"run these tests on Linux, or set "+envSwitch+"=off")
}

func furnish() {}

func separate() *syscall.SysProcAttr { return nil }

func pause(*os.Process) error  { return errors.ErrUnsupported }
func resume(*os.Process) error { return errors.ErrUnsupported }
