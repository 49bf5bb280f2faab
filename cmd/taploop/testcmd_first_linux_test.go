package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing of the program is initialised before signals are caught: a Ctrl-C in its first moment ends
// it as a later one does.
func TestSignalsAreCaughtBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), "taploop", "version")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @`).FindAllSubmatch(out, -1) {
		all = append(all, string(m[1]))
	}
	require.Greater(t, len(all), 50, "%s", out)
	first := slices.Index(all, "os/signal")
	require.Positive(t, first, "%s", out)
	require.Equal(t, "github.com/taploop/taploop/internal/interrupt", all[first+1])
	require.Less(t, first, 40, "what is before it is small")
}

// Whoever interrupts tests while suites are read, or before there is a phone, has whole reports.
func TestTestsThatAreInterruptedAtOnceReport(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := f.file("s.yaml", "cases: [{name: a, task: t, expect: none}]")
	code, all := f.run(ctx, file, "--junit", filepath.Join(f.dir, "j.xml"))
	require.Equal(t, exitInterrupted, code, f.said)
	require.Empty(t, all, "no suite was read")
	require.Equal(t, "no case in 0.0s\n", f.said)
	require.Contains(t, f.report("j.xml"), `tests="0"`)
	require.NotContains(t, f.report("j.xml"), "<testcase")
}
