//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// reader runs commands on a data folder that can only be read.
type reader struct {
	t   *testing.T
	dir string
}

// run returns what the command printed, its exit code, and leaves the folder as it is.
func (r reader) run(args ...string) (stdout, stderr string, code int) {
	c := whomModesStop(r.t, args...)
	c.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH"), "TAPLOOP_DATA_DIR=" + r.dir}
	c.Dir = "/"
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	before := r.files()
	if err := c.Run(); err != nil {
		require.ErrorAs(r.t, err, new(*exec.ExitError))
	}
	require.Equal(r.t, before, r.files())
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// whomModesStop is a command of taploop that may write only where a folder's mode says so.
func whomModesStop(t *testing.T, args ...string) *exec.Cmd {
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	line := append([]string{program}, args...)
	if os.Getuid() == 0 { // whom no mode stops, without this
		line = append([]string{"setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"}, line...)
	}
	return exec.Command(line[0], line[1:]...)
}

func (r reader) files() (names []string) {
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return names
}

// closeToWriting makes all of the folder readable and nothing of it writable.
func (r reader) closeToWriting() {
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		mode := fs.FileMode(0o400)
		if e.IsDir() {
			mode = 0o500
			r.t.Cleanup(func() { require.NoError(r.t, os.Chmod(path, 0o700)) })
		}
		require.NoError(r.t, os.Chmod(path, mode))
		return err
	}))
}

func TestADataFolderThatCanOnlyBeReadIsRead(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"closed": false,
		"of a server that was killed": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := reader{t, filepath.Join(dir, "data")}
			made := filepath.Join(dir, "made")
			db, err := store.Open(t.Context(), made, nil)
			require.NoError(t, err)
			_, run, err := db.Begin(t.Context(), store.Session{Serial: "emu-1"},
				store.Run{Task: "set an alarm"})
			require.NoError(t, err)
			q := put(t, inquiry.NewBroker(db.Questions, nil),
				inquiry.Question{Text: "at what time?"})
			if killed { // its log is there, and has everything
				require.NoError(t, os.CopyFS(r.dir, os.DirFS(made)))
				log, err := os.Stat(filepath.Join(r.dir, "taploop.db-wal"))
				require.NoError(t, err)
				require.NotZero(t, log.Size())
			}
			require.NoError(t, db.Close())
			if !killed {
				require.NoError(t, os.Rename(made, r.dir))
			}
			r.closeToWriting()
			for _, c := range []struct {
				says string
				args []string
			}{
				{"set an alarm", []string{"sessions", "list"}},
				{"set an alarm", []string{"sessions", "show", run.SessionID}},
				{"set an alarm", []string{"sessions", "export", run.SessionID, "-o", "-"}},
				{"at what time?", []string{"audit"}},
				{"at what time?", []string{"inquiries"}},
				{"at what time?", []string{"inquiries", q.ID[:10]}},
			} {
				out, errs, code := r.run(c.args...)
				require.Zero(t, code, "%q: %s", c.args, errs)
				require.Contains(t, out, c.says, "%q", c.args)
			}
			for _, args := range [][]string{{"reply", q.ID, "at 7"}, {"stop", run.SessionID},
				{"sessions", "prune", "--older-than", "1h"}} {
				_, errs, code := r.run(args...)
				require.Equal(t, exitError, code, "%q", args)
				require.Contains(t, errs, "choose a folder that this user may write to")
			}
		})
	}
}

func TestAPageOverAFileThatWasThereIsOnlyForItsOwner(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	db, _ := b.folder()
	_, run, err := db.Begin(t.Context(), store.Session{Serial: "emu-1"},
		store.Run{Task: "set an alarm"})
	require.NoError(t, err)
	page := filepath.Join(b.dir, "page.html")
	long := bytes.Repeat([]byte("old "), 1<<18)
	require.NoError(t, os.WriteFile(page, long, 0o644))
	require.NoError(t, os.Chmod(page, 0o644))
	_, errs, code := b.run("sessions", "export", run.SessionID, "-o", page)
	require.Zero(t, code, "%s", errs)
	info, err := os.Stat(page)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.NotContains(t, string(written), "old old")
	require.Contains(t, string(written), "set an alarm")
	_, errs, code = b.run("sessions", "export", run.SessionID, "-o", os.DevNull)
	require.Zero(t, code, "%s", errs)

	file := filepath.Join(b.dir, "taploop.yaml")
	require.NoError(t, os.WriteFile(file, long, 0o644))
	for name, text := range map[string]string{"m.yaml": "local: {api_base: \"http://x/v1\"}\n",
		"s.yaml": "agent_loop_config: {model_config: {model_name: m, " +
			"model_provider: local}}\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
	}
	_, errs, code = b.run("config", "import", "s.yaml", "m.yaml", "-o", file, "--force")
	require.Zero(t, code, "%s", errs)
	info, err = os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm(), "it may hold a key")
}

func TestAFolderThatSomebodyMadeKeepsItsMode(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	dir := filepath.Join(b.dir, "shared")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Chmod(dir, 0o755))
	_, errs, code := b.run("sessions", "list", "--data-dir", dir)
	require.Zero(t, code, "%s", errs)
	require.Contains(t, errs, "chmod 700 "+dir)
	_, errs, code = b.run("sessions", "list", "--data-dir", dir)
	require.Zero(t, code, "%s", errs)
	require.NotContains(t, errs, "chmod", "it is said once")
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	require.EqualValues(t, 0o755, mode(dir))
	require.EqualValues(t, 0o700, mode(filepath.Join(dir, "frames")))
	require.EqualValues(t, 0o600, mode(filepath.Join(dir, "taploop.db")))

	require.NoError(t, os.Chmod(dir, 0o777))
	_, errs, code = b.run("sessions", "list", "--data-dir", dir)
	require.Equal(t, exitError, code)
	require.Contains(t, errs, "everybody may write to "+dir+" (mode 0777)")
	require.Contains(t, errs, "try: chmod 700 '"+dir+"'")
	require.EqualValues(t, 0o777, mode(dir))

	own := filepath.Join(b.dir, "new", "data")
	_, errs, code = b.run("sessions", "list", "--data-dir", own)
	require.Zero(t, code, "%s", errs)
	require.EqualValues(t, 0o700, mode(own))
}

func TestARecordingThatCannotBeKeptIsToldBeforeTheModelIsAsked(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the model is asked")
	}))
	t.Cleanup(model.Close)
	dir := t.TempDir()
	kept, suite := filepath.Join(dir, "kept"), filepath.Join(dir, "s.yaml")
	require.NoError(t, os.WriteFile(suite,
		[]byte("cases: [{name: a, task: t, cassette: kept/c.jsonl, expect: none}]"), 0o600))
	require.NoError(t, os.Mkdir(kept, 0o500))
	c := whomModesStop(t, "test", suite, "--phones", "sandbox", "--record")
	c.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(),
		"TAPLOOP_MODEL_BASE_URL=" + model.URL, "TAPLOOP_MODEL_NAME=m"}
	said, err := c.CombinedOutput()
	require.Equal(t, exitPhone, c.ProcessState.ExitCode(), "%v: %s", err, said)
	require.Contains(t, string(said), "no file can be made in "+kept)
}
