package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clockSet is a file of package time: every ten seconds the clock of a machine is right, five
// minutes fast or five minutes slow. Only what measures a time goes on as it did.
const clockSet = `package time

import "syscall"

var clockOf, clockIsSet = syscall.Getenv("TAPLOOP_TEST_CLOCK")

func clockSet(sec int64) int64 {
	if !clockIsSet {
		return 0
	}
	return 300 * ((sec/10+int64(len(clockOf)))%3 - 1)
}
`

// programWhoseClockIsSet builds taploop with the clock of a machine that is set forth and back.
// Machines with a TAPLOOP_TEST_CLOCK of another length have another time.
func programWhoseClockIsSet(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	of := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(of, "time.go"))
	require.NoError(t, err)
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	require.Contains(t, string(source), now)
	replaced := map[string]string{}
	for name, text := range map[string]string{
		"time.go":     strings.Replace(string(source), now, now+"\tsec += clockSet(sec)\n", 1),
		"clockset.go": clockSet,
	} {
		replaced[filepath.Join(of, name)] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	path := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(path, overlay, 0o600))
	program := filepath.Join(dir, "taploop")
	out, err := exec.Command("go", "build", "-overlay", path, "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}
