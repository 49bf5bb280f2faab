package adbtest

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/taploop/taploop/internal/hint"
)

// Environment variables of the rig.
const (
	envSwitch = "TAPLOOP_RIG"        // "off" leaves the tests out that need the rig
	envSystem = "TAPLOOP_RIG_SYSTEM" // "off" uses the programs below .cache/rig only
	envReport = "TAPLOOP_RIG_REPORT" // file that takes a line for each rig
	// set for the second process until its namespaces are furnished
	envStage  = "TAPLOOP_RIG_STAGE"
	envInside = "TAPLOOP_RIG_INSIDE" // the rig's own folder; set in and below the namespaces
)

var (
	errOff     = errors.New(envSwitch + "=off")
	errNotMain = hint.Add(errors.New("the test binary is not in namespaces of its own"),
		"add to the package: func TestMain(m *testing.M) { adbtest.Main(m) }")
)

// outside is why this process is not in the rig's namespaces, nil when it is.
var outside = errNotMain

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
