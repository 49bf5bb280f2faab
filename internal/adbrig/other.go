//go:build !linux

package adbrig

import (
	"errors"
	"os"

	"github.com/taploop/taploop/internal/hint"
)

func enter() (int, error) {
	return 0, hint.Add(errors.New("the rig needs Linux's namespaces"), "run these tests on Linux, or set "+envSwitch+"=off")
}

func furnish(string) {}

func killAll(int, string, <-chan struct{}) {}

func pause(*os.Process) error  { return errors.ErrUnsupported }
func resume(*os.Process) error { return errors.ErrUnsupported }
