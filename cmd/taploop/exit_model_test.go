//go:build unix

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/lab/replay"
)

func TestAKeyThatIsRefusedHasAnExitCodeOfItsOwn(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error": {"message": "incorrect API key provided"}}`,
				http.StatusUnauthorized)
		}))
	defer refuses.Close()
	b := newTestEnv(t, demoTask, "")
	out, errs, code := b.run("run", b.task.Goal, "--json", "--base-url", refuses.URL+"/v1")
	require.Equal(t, exitKey, code, "%s", errs)
	require.Contains(t, out, `"stop_reason": "MODEL_KEY_REFUSED"`)
	require.Contains(t, out, "TAPLOOP_MODEL_API_KEY")
	require.Contains(t, out, `"command": "taploop continue `)
}

// A replay that no model answered says nothing of agreement.
func TestAReplayThatAskedNothingShowsNoAgreement(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, new(replayCmd).print(&invocation{streams: streams{out: &out}},
		replay.Report{}))
	require.Equal(t, "no step was asked\n", out.String())
}

func TestALevelThatIsSetIsLoggedFromAlsoWhileARunIsShown(t *testing.T) {
	for level, want := range map[string]bool{"auto": false, "warn": true, "error": false} {
		var said strings.Builder
		a := &invocation{streams: streams{err: &said}}
		a.Options.Flags = map[string]any{"log.level": level, "data_dir": t.TempDir()}
		require.NoError(t, a.Load())
		a.quiet()
		a.Log.Warn("spans are lost")
		require.Equal(t, want, strings.Contains(said.String(), "spans are lost"), level)
	}
}
