package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model/scripted"
)

// modelOf serves a script; observe may be nil.
func modelOf(t testing.TB, script string, observe func(*scripted.Request)) (baseURL string) {
	t.Helper()
	rules, err := scripted.Parse([]byte(script))
	require.NoError(t, err)
	h := scripted.NewHandler(rules)
	h.Observe = observe
	s, err := scripted.Start(context.Background(), "127.0.0.1:0", h)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.BaseURL
}

// lone are the variables of a program that sees nothing of this machine.
func lone(t testing.TB, baseURL string) []string {
	home := t.TempDir()
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home,
		"TAPLOOP_MODEL_BASE_URL=" + baseURL, "TAPLOOP_MODEL_NAME=m",
		"TAPLOOP_MODEL_DIALECT=gelab"}
}

func TestAnInterruptedBenchKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	end := `"<THINK>-</THINK>\texplain:-\taction:COMPLETE\treturn:it is done\tsummary:-"`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int32
	env := lone(t, modelOf(t, "rules:\n- {times: 1, reply: "+end+"}\n"+
		"- {times: 1, delay: 10m, reply: "+end+"}\n- {reply: "+end+"}\n",
		func(*scripted.Request) {
			if asked.Add(1) == 2 { // in the middle of the second run
				cancel()
			}
		}))
	dir := filepath.Join(t.TempDir(), "results")
	args := []string{"bench", "--task", "like-message", "-n", "3", "--size", "360x800", "-o", dir,
		"--json"}
	var out, said bytes.Buffer
	require.Equal(t, exitInterrupted, run(ctx, args, env, streams{strings.NewReader(""), &out,
		&said}), said.String())
	var report shownReport
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Equal(t, []int{3, 1, 1}, []int{report.Planned, report.Done, len(report.Runs)})
	require.Contains(t, said.String(), "1 of 3 runs are done; the same command goes on")
	page, err := os.ReadFile(report.Page)
	require.NoError(t, err)
	require.Contains(t, string(page), "1 of 3 runs so far")

	out.Reset()
	require.Equal(t, exitDone, run(t.Context(), args, env, streams{strings.NewReader(""), &out,
		io.Discard}))
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Equal(t, 3, report.Done)
	for i, r := range report.Runs {
		require.Equal(t, i+1, r.Round)
		require.True(t, r.Claimed && !r.Passed)
		require.Contains(t, r.Problem, "liked messages are")
	}
}
