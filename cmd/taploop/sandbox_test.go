//go:build unix

package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A task that is done twice is not claimed twice, under whatever name the model is asked, until the
// sandbox is as new.
func TestTheSandboxLooksBeforeItClaimsAndIsPutBackAsNew(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p := b.spawn("sandbox", "--addr", "127.0.0.1:0", "--model-addr", "127.0.0.1:0")
	p.stderr.await(t, `(?m)(^sandbox ready$)`)
	where := regexp.MustCompile(`ADB server (\S+), a scripted model at http://(\S+)/v1;`).
		FindStringSubmatch(p.stderr.String())
	require.Len(t, where, 3)
	b.env = append(b.env, "TAPLOOP_LOOP_SETTLE_TIMEOUT=3s") // its screens move
	run := func(model string) string {
		out, errs, code := b.run("run", "--adb-server", where[1], "--base-url",
			"http://"+where[2]+"/v1", "--model", model, "Set an alarm for 7:30 in the morning.")
		require.Zero(t, code, "%s", errs)
		return out
	}
	require.Contains(t, run("A"), "The alarm at 7:30 is set.")
	require.Contains(t, run("ui-tars"), "Nothing was done now.")
	// the history of one shows it other words than the script's, the places of one are pixels, and
	// one writes y first
	for _, model := range []string{"Qwen3-VL-8B", "UI-TARS-1.5-7B", "gemini-3"} {
		_, errs, code := b.run("sandbox", "--reset", "--model-addr", where[2])
		require.Zero(t, code, "%s", errs)
		require.Contains(t, run(model), "The alarm at 7:30 is set.")
	}
	// a code that the phone does not take is not claimed to have logged anybody in
	settings := []string{"--adb-server", where[1], "--base-url", "http://" + where[2] + "/v1",
		"--model", "A"}
	_, errs, code := b.run(append([]string{"run", "Log in to the Shop with the phone number 5550123. " +
		"The code comes as a message."}, settings...)...)
	require.Equal(t, exitWaiting, code, errs)
	out, errs, code := b.feed("000000\n", append([]string{"continue", "--reply", "-"}, settings...)...)
	require.Equal(t, exitNotCompleted, code, errs)
	require.Contains(t, out, "What was typed as the secret was not taken")
	require.NotContains(t, out, "You are logged in")
	p.kill()
	_, errs, code = b.run("sandbox", "--reset", "--model-addr", where[2])
	require.Equal(t, exitError, code)
	require.Contains(t, errs, "no sandbox runs with its model at")
}
