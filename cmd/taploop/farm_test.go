//go:build unix

package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/s3test"
)

// worker is a server of another machine that sees the phone.
func (b *testEnv) worker(name string) *process {
	p := b.spawnAs(func(c *exec.Cmd) {
		c.Env = append(c.Env[:len(c.Env):len(c.Env)], "TAPLOOP_FARM_NAME="+name,
			"TAPLOOP_DATA_DIR="+filepath.Join(b.dir, name))
	}, "serve", "--role", "worker", "-v")
	return p
}

// The database goes down and comes up while a worker carries a task out for another machine:
// neither notices more than a pause.
func TestATaskOutlivesARestartOfTheDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	b := newTestEnv(t, demoTask, "", "TAPLOOP_STORE_URL="+server.URL("farm"),
		"TAPLOOP_FARM_ROLE=front", "TAPLOOP_LEASE_TTL=1s", "TAPLOOP_LEASE_MARGIN=100ms")
	held := b.holdAt("2/8")
	_, said, code := b.run("schedule", "add", "@yearly", b.task.Goal)
	require.Zero(t, code, said)
	require.Contains(t, said, "no server is up")
	only := b.worker("only")
	only.stderr.await(t, "(the phones are announced)")
	_, said, code = b.run("schedule", "add", "@yearly", b.task.Goal, "--name", "again")
	require.Zero(t, code, said)
	require.NotContains(t, said, "no server is up", "another machine's would begin it")
	run := b.spawn("run", b.task.Goal, "--serial", "any", "--json")
	held.await(t)
	server.Kill(t)
	held.open()
	server.Up(t)
	require.Equal(t, 4, run.ends(), "it asks for the size: %s", run.stderr)
	_, said, code = b.run("continue", "--reply", "42")
	require.Zero(t, code, said)
	b.done(tripTouches)
}

// Workers are killed, stopped for longer than their lease, and drained while they carry a task out
// for a machine without phones: another one ends it, and no gesture is made twice.
func TestATaskOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for what, fault := range map[string]func(*testEnv, *process){
		"killed": func(_ *testEnv, p *process) { p.kill() },
		"stopped": func(b *testEnv, p *process) {
			require.NoError(b.t, p.cmd.Process.Signal(syscall.SIGSTOP))
			b.t.Cleanup(func() { _ = p.cmd.Process.Signal(syscall.SIGCONT) })
		},
		"drained": func(b *testEnv, p *process) {
			_, stderr, code := b.run("farm", "drain", "first")
			require.Zero(b.t, code, "%s", stderr)
			require.Zero(b.t, p.ends())
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"),
				"CREATE DATABASE farm_"+what))
			b := newTestEnv(t, demoTask, "", "TAPLOOP_STORE_URL="+server.URL("farm_"+what),
				"TAPLOOP_FARM_ROLE=front", "TAPLOOP_LEASE_TTL=1s", "TAPLOOP_LEASE_MARGIN=100ms")
			held := b.holdAt("2/8")
			first := b.worker("first")
			first.stderr.await(t, "(the phones are announced)")
			run := b.spawn("run", b.task.Goal, "--serial", "api>=30", "--json")
			held.await(t)
			again := b.holdAt("2/8") // whoever takes it up asks the model the same
			fault(b, first)
			second := b.worker("second")
			second.stderr.await(t, "(run resumed|run claimed)")
			again.open()
			held.open()
			if what == "stopped" {
				require.NoError(t, first.cmd.Process.Signal(syscall.SIGCONT))
			}
			require.Equal(t, 4, run.ends(), "it asks for the size: %s", run.stderr)
			_, stderr, code := b.run("continue", "--reply", "42")
			require.Zero(t, code, "%s", stderr)
			b.done(tripTouches)
			out, _, _ := b.run("farm", "status")
			require.Contains(t, out, "second")
			_, url := b.serve()
			page, _ := b.browser(url, b.link())
			status, farm := page.send("GET", "/v1/farm", "")
			require.Equal(t, 200, status, "%v", farm)
			require.Regexp(t, `at:20\S+ drained:false id:\S+ name:second phones:\[map\[`,
				fmt.Sprint(farm["workers"]), "as the page lists them")
			if what == "drained" {
				require.NotContains(t, out, "first")
			}
			for what == "killed" && !strings.Contains(fmt.Sprint(farm["workers"]), "gone:true") {
				_, farm = page.send("GET", "/v1/farm", "")
			}
			if what == "killed" {
				out, _, _ = b.run("farm", "status")
				require.Regexp(t, `first +worker +\S+ +gone`, out, "also to who has not watched it")
			}
		})
	}
}

// Two workers take the pictures of one task, each as long as it lives, and keep them in a bucket: a
// front shows all of them.
func TestAFrontShowsThePicturesOfOtherMachines(t *testing.T) {
	t.Parallel()
	server, bucket := pgtest.Start(t), s3test.Start(t)
	require.NoError(t, pgtest.Exec(t.Context(), server.URL("postgres"), "CREATE DATABASE farm"))
	env := []string{"TAPLOOP_STORE_URL=" + server.URL("farm"), "TAPLOOP_FARM_ROLE=front",
		"TAPLOOP_LEASE_TTL=1s", "TAPLOOP_LEASE_MARGIN=100ms",
		"TAPLOOP_STORE_FRAMES=" + bucket.URL(s3test.Bucket, "")}
	for name, value := range s3test.Keys {
		env = append(env, name+"="+value)
	}
	b := newTestEnv(t, demoTask, "", env...)
	held := b.holdAt("2/8")
	first := b.worker("first")
	first.stderr.await(t, "(the phones are announced)")
	run := b.spawn("run", b.task.Goal, "--serial", "any", "--json")
	held.await(t)
	again := b.holdAt("2/8") // whoever takes it up asks the model the same
	first.kill()
	second := b.worker("second")
	second.stderr.await(t, "(run resumed|run claimed)")
	again.open()
	held.open()
	require.Equal(t, 4, run.ends(), "it asks for the size: %s", run.stderr)
	_, url := b.serve()
	page, _ := b.browser(url, b.link())
	_, sessions := page.send("GET", "/v1/sessions", "")
	at := "/v1/sessions/" + sessions["sessions"].([]any)[0].(map[string]any)["session_id"].(string)
	_, steps := page.send("GET", at+"/steps", "")
	shown := 0
	for _, st := range steps["steps"].([]any) {
		resp := page.open("GET", st.(map[string]any)["screenshot_url"].(string), "")
		require.Equal(t, 200, resp.StatusCode, "%v", st)
		require.Equal(t, "image/jpeg", resp.Header.Get("Content-Type"))
		shown++
	}
	require.Greater(t, shown, 1)
	out, _, code := b.run("store", "check")
	require.Zero(t, code)
	require.Contains(t, out, "the store is whole")

	ready := func() (int, string) {
		resp := page.open("GET", "/readyz", "")
		said, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(said)
	}
	status, said := ready()
	require.Equal(t, 200, status, said)
	bucket.Kill(t)
	for status == 200 { // what it knows is good for a second
		status, said = ready()
	}
	require.Contains(t, said, `"says":"the store of pictures is away"`)
	out, _, _ = b.run("doctor")
	require.Contains(t, out, "pictures cannot be stored where store.frames says")
}
