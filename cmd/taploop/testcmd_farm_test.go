//go:build unix

package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/suite"
)

// Suites run where the phones can be reached, chosen as tasks choose them. Phones of other machines
// are named with their machine.
func TestSuitesInAFarmAreToldWhichMachineHasThePhone(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	f := newTested(t, 2, "rules:\n"+say("", claim))
	f.env = append(f.env, "TAPLOOP_STORE_URL="+server.URL("farm"))
	const addr = "TAPLOOP_ADB_SERVER="
	at := slices.IndexFunc(f.env, func(v string) bool { return strings.HasPrefix(v, addr) })
	there := strings.TrimPrefix(f.env[at], addr)
	b := &testEnv{t: t, dir: f.dir, env: f.env}
	worker := b.spawnAs(func(c *exec.Cmd) {
		c.Env = append(slices.Clone(f.env), "TAPLOOP_FARM_NAME=berlin",
			"TAPLOOP_CONFIG="+f.file("berlin.yaml", "farm: {labels: {site: berlin}}"),
			"TAPLOOP_DATA_DIR="+filepath.Join(f.dir, "berlin"))
	}, "serve", "--role", "worker", "-v")
	worker.stderr.await(t, "(the phones are announced)")
	f.env = append(f.env, "TAPLOOP_ADB_SERVER=127.0.0.1:1", "TAPLOOP_FARM_ROLE=front")
	const content = "cases: [{name: a, task: t, with: [{n: 1}, {n: 2}], expect: none}]"
	for _, phones := range []string{"any", "site=berlin,api>=1", "phone-1"} {
		code, all := f.test(content, "--phones", phones)
		require.Equal(t, exitPhone, code, "%s: %s", phones, f.said)
		require.Equal(t, suite.KindPhone, all[0].Kind)
		require.Contains(t, f.said, "is at machine berlin")
		require.Contains(t, f.said, "--adb-server")
	}
	code, _ := f.test(content, "--phones", "site=paris")
	require.Equal(t, exitPhone, code)
	require.Contains(t, f.said, "site: berlin", "the labels that there are")

	// Its ADB server can be reached here, too.
	for _, phones := range []string{"any", "phone-1, phone-2", "api>=1"} {
		code, all := f.test("phones: {labels: [api=*]}\n"+content, "--phones", phones,
			"--adb-server", there)
		require.Equal(t, exitDone, code, "%s: %s", phones, f.said)
		require.Len(t, all, 2)
	}
	code, _ = f.test("phones: {labels: [api=1]}\n"+content, "--adb-server", there)
	require.Equal(t, exitPhone, code)

	_, url := (&testEnv{t: t, dir: t.TempDir(), env: f.env}).serve()
	resp, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/readyz")
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode, "a front needs no ADB server")
}
