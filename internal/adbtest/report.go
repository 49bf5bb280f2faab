package adbtest

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// Outcomes in a report. A test that is started and never ends has neither of the two others.
const (
	started = "started"
	passed  = "passed"
	failed  = "failed"
	leftOut = "left out"
)

// LeaveOut skips a test because of something missing or switched off, and reports it.
func LeaveOut(t testing.TB, why string) {
	t.Helper()
	record(t, leftOut, why)
	t.Skip("left out: ", why)
}

// record appends one line to the report: outcome, package, test and detail, separated by tabs.
// Lines of any number of test binaries that run at once do not mix.
func record(t testing.TB, outcome, detail string) {
	path := os.Getenv(envReport)
	if path == "" {
		return
	}
	line := fmt.Sprintf("%s\t%s\t%s\t%s\n", outcome, testedPackage(), t.Name(),
		strings.Join(strings.Fields(detail), " "))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Errorf("writing the rig's report: %v", err)
		return
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		t.Errorf("writing the rig's report: %v", err)
	}
}

func testedPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "?"
	}
	return strings.TrimSuffix(info.Path, ".test")
}
