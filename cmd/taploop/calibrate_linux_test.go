package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCalibrateAtATerminalAsksBeforeItWrites(t *testing.T) {
	t.Parallel()
	for answer, writes := range map[string]bool{"y\n": true, "Yes\n": true, "\n": false,
		"no\n": false} {
		b := newTestEnv(t, demoTask, "")
		file := filepath.Join(t.TempDir(), "taploop.yaml")
		p, master, _, screen := b.atTerminal(200, []string{
			"TAPLOOP_MODEL_BASE_URL=" + pointer(t, 8, inPixels), "TAPLOOP_MODEL_DIALECT=gelab",
			"XDG_CONFIG_HOME=" + filepath.Dir(file)}, "calibrate", "-n", "8")
		screen.await(t, `(Write this into .*taploop.yaml\? \[y/N\])`)
		require.NoFileExists(t, file)
		_, err := io.WriteString(master, answer)
		require.NoError(t, err)
		require.Zero(t, p.ends(), "%s", screen)
		if !writes {
			screen.await(t, `(nothing was written)`)
			require.NoFileExists(t, file)
			continue
		}
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(written), "coordinates: pixels")
	}
}
