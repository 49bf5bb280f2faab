package adbtest

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// Runner is a *testing.M, or what stands in for one.
type Runner interface{ Run() int }

// Main runs the package's tests inside the rig's namespaces and exits with their code. Where
// namespaces are not to be had it runs them in the open, and each Start then fails with the reason.
func Main(m *testing.M) {
	code, ran := run(m)
	if !ran {
		// at once: a race detector in this process, which ran nothing, would wait for a second
		syscall.Exit(code)
	}
	os.Exit(code)
}

// Inside is Main for a TestMain that has another wrapper, such as testscript.Main: its Run enters
// the namespaces first.
func Inside(m Runner) Runner { return inside{m} }

type inside struct{ tests Runner }

func (in inside) Run() int {
	code, _ := run(in.tests)
	return code
}

// run returns the exit code of the tests, and whether they ran in this very process.
func run(tests Runner) (code int, here bool) {
	switch {
	case strings.EqualFold(os.Getenv(envSwitch), "off"):
		outside = errOff
	case os.Getenv(envInside) != "": // furnished, or a child of such a process, as a fuzz worker is
		outside = nil
	case os.Getenv(envStage) != "":
		furnish() // and start again
	default:
		if code, outside = enter(); outside == nil {
			return code, false
		}
	}
	return tests.Run(), true
}
