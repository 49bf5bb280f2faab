package adbrig_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbrig"
)

func TestMain(m *testing.M) { adbrig.Main(m) }

// standin writes a command of the phone as a script and returns its folder.
func standin(t *testing.T, name, script string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/system/bin/sh\n"+script), 0o755))
	return dir
}

func TestAStandInAnswersThroughTheRealServerAndDaemon(t *testing.T) {
	dir := standin(t, "input", `echo "out $1 $TAPLOOP_SANDBOX_SOCKET"; echo "err $2" >&2; exit 7`)
	rig := adbrig.Start(t, &adbrig.Options{Phones: []adbrig.Phone{{
		Standins: dir, Env: []string{"TAPLOOP_SANDBOX_SOCKET=/run/phone"},
	}}})

	stdout, stderr, code := rig.ADB("shell", "input", "tap", "'two words'")
	require.Equal(t, "out tap /run/phone\n", stdout)
	require.Equal(t, "err two words\n", stderr)
	require.Equal(t, 7, code)
}
