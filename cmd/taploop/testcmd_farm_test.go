//go:build unix

package main

import (
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/shell"
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

// yard is two machines with a phone each, of one farm, and a third one without.
type yard struct {
	*tested
	paris, berlin *tested
	workers       map[string]*process
}

func newYard(t *testing.T, script string) *yard {
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	y := &yard{newTested(t, 0, script), newTested(t, 1, script), newTested(t, 0, script),
		map[string]*process{}}
	y.berlin.phones = []*sandbox.Simulator{newPhone()}
	y.berlin.adb.Attach("phone-2", shell.New(y.berlin.phones[0]))
	for name, at := range map[string]*tested{"paris": y.paris, "berlin": y.berlin} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		addr := ln.Addr().String()
		require.NoError(t, ln.Close())
		b := &testEnv{t: t, dir: at.dir, env: append(at.env, "TAPLOOP_STORE_URL="+server.URL("farm"),
			"TAPLOOP_FARM_NAME="+name, "TAPLOOP_FARM_ADDR=http://"+addr, "TAPLOOP_CONFIG="+
				at.file("c.yaml", "farm: {labels: {site: "+name+"}}"))}
		y.workers[name] = b.spawnAs(func(*exec.Cmd) {}, "serve", "--role", "worker", "--http", addr, "-v")
		y.workers[name].stderr.await(t, "(the phones are announced)")
	}
	y.env = append(y.env, "TAPLOOP_STORE_URL="+server.URL("farm"), "TAPLOOP_FARM_ROLE=front",
		"TAPLOOP_ADB_SERVER=127.0.0.1:1", "TAPLOOP_LEASE_TTL=2s")
	return y
}

// A suite has its cases on whichever machine has the phone, as a task has. What its lines and
// expectations ask of the phone goes there.
func TestSuitesRunOnPhonesOfOtherMachines(t *testing.T) {
	t.Parallel()
	y := newYard(t, "rules:\n"+say("true or false", "{\"verdict\": true}")+say("", claim))
	const cases = `
setup: [wait_boot, {push: {from: s.yaml, to: /sdcard/s.yaml}}]
cases:
- name: a
  task: t
  expect: [{app: com.android.launcher3}, {answer: done}, {shell: {command: getprop ro.product.model}},
    {file: {path: /sdcard/s.yaml, contains: launcher3}}, {logcat: {tag: nothing, absent: true}}]
`
	phone := map[string]bool{}
	for _, how := range []struct{ content, phones string }{
		{cases, "site=paris"}, {"phone: {site: berlin, api: '>=30', app: com.android.settings}" + cases, "any"},
		{cases, "any"},
	} {
		code, all := y.test(how.content, "--phones", how.phones)
		require.Equal(t, exitDone, code, "%s: %s", how.phones, y.said)
		require.Len(t, all, 1)
		phone[all[0].Attempts[0].Phone] = true
		code, _ = y.test(how.content, "--phones", all[0].Attempts[0].Phone)
		require.Equal(t, exitDone, code, "%s: %s", how.phones, y.said)
	}
	require.Len(t, phone, 2, "each where its label says")

	code, all := y.test("phone: {site: rome}" + cases)
	require.Equal(t, exitPhone, code)
	require.Contains(t, all[0].Message, "site: berlin or paris", "the labels that there are")
	code, _ = y.test(cases, "--phones", "site=paris", "--ask")
	require.Equal(t, exitPhone, code)
	require.Contains(t, y.said, "is at machine paris", "whose questions would be in no inbox")
	code, _ = y.test("phone: {api: new}" + cases)
	require.Equal(t, exitUsage, code)
	require.Contains(t, y.said, `api is "new"`)
}

// A case whose machine dies goes to the phone of another one, and a task waits until the tests have
// let its phone go.
func TestACaseOfALostMachineGoesToAnotherOne(t *testing.T) {
	t.Parallel()
	y := newYard(t, "rules:\n"+say("", claim))
	var once sync.Once
	y.asked = func(*scripted.Request) {
		once.Do(func() { _ = y.workers["paris"].cmd.Process.Kill() })
	}
	code, all := y.test("cases: [{name: a, task: t, with: [{n: 1}, {n: 2}, {n: 3}], "+
		"expect: [{app: com.android.launcher3}]}]", "--phones", "api>=30")
	require.Equal(t, exitDone, code, y.said)
	require.Len(t, all, 3)
	require.Contains(t, y.said, "phone-1 is taken out")
	b := &testEnv{t: t, dir: y.dir, env: y.env}
	out, said, code := b.run("farm", "status")
	require.Zero(t, code, said)
	require.Regexp(t, `berlin +worker +phone-2 +device +- `, out, "it is let go")
}
