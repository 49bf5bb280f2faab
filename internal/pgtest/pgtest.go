// Package pgtest starts the machine's PostgreSQL for tests, in a folder of its own.
package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// patience is how long the server may take to come up.
const patience = time.Minute

// Server is a PostgreSQL that listens on a socket in its folder. It ends with the test.
type Server struct {
	dir  string
	bin  string
	cmd  *exec.Cmd
	gone chan struct{} // closed when the server has ended
}

// Start makes and starts a server. It fails the test if PostgreSQL is not installed.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartIn(t, ground())
}

// StartIn starts a server that has its files below the folder.
func StartIn(t testing.TB, dir string) *Server {
	t.Helper()
	s := create(t, dir)
	// Sorted as people sort, so that a statement that relies on the order of bytes is found out.
	initdb := s.command("initdb", "-D", s.data(), "-U", role, "-A", "trust", "-E", "UTF8",
		"--no-sync", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
	out, err := initdb.CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.Up(t)
	return s
}

// create makes the folder of a server.
func create(t testing.TB, dir string) *Server {
	t.Helper()
	s := &Server{bin: programs(t)}
	var err error
	s.dir, err = os.MkdirTemp(dir, "pg-") // short: the path of a socket has at most 107 bytes
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(s.dir)) })
	require.NoError(t, give(s.dir))
	t.Cleanup(func() {
		if s.cmd != nil {
			s.Kill(t)
		}
	})
	return s
}

// Replica makes and starts a server that follows this one, with its files below the folder, or
// where Start has them if that is "". What this one commits from then on, both have.
func (s *Server) Replica(t testing.TB, dir string) *Server {
	t.Helper()
	r := create(t, cmp.Or(dir, ground()))
	r.Follow(t, s)
	return r
}

// Follow makes a server that has ended the other one's replica, without what it had.
func (s *Server) Follow(t testing.TB, other *Server) {
	t.Helper()
	require.NoError(t, os.RemoveAll(s.data()))
	backup := s.command("pg_basebackup", "-D", s.data(), "-h", other.dir, "-U", role, "-R",
		"--checkpoint=fast", "--no-sync")
	out, err := backup.CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.Up(t)
	// One at a time: neither may be in a transaction with others.
	for _, set := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'",
		"SELECT pg_reload_conf()"} {
		require.NoError(t, Exec(t.Context(), other.URL("postgres"), set))
	}
	for synced := false; !synced; {
		rows, err := Query(t.Context(), other.URL("postgres"),
			"SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
		require.NoError(t, err)
		synced = len(rows) > 0
	}
}

// Promote makes a replica a server that writes.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	require.NoError(t, Exec(t.Context(), s.URL("postgres"), "SELECT pg_promote()"))
}

// URLOf is that of a database of whichever of the servers writes.
func URLOf(database string, servers ...*Server) string {
	dirs := text.Each(servers, func(s *Server) string { return s.dir })
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database,
		RawQuery: url.Values{"host": {strings.Join(dirs, ",")},
			"target_session_attrs": {"read-write"}}.Encode()}
	return u.String()
}

// ground is a folder that the server's own user can reach too, in memory where there is one: that
// of temporary files may be this user's alone.
func ground() string {
	for _, dir := range []string{"/dev/shm", "/tmp"} {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o007 == 0o007 {
			return dir
		}
	}
	return ""
}

const role = "taploop"

// programs is the folder of the newest PostgreSQL.
func programs(t testing.TB) string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	require.NoError(t, err)
	if path, err := exec.LookPath("postgres"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Fatal("PostgreSQL is missing; install: postgresql (apt-get install postgresql)")
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path+"////", "/")[4])
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int {
		return version(a) - version(b)
	}))
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = attributes()
	return cmd
}

// Up starts the server, and waits until it answers.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	s.cmd = s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=200",
		"-c", "logging_collector=off", "-c", "wal_retrieve_retry_interval=100ms",
		"-c", "wal_keep_size=64MB")
	said := new(bytes.Buffer)
	s.cmd.Stdout, s.cmd.Stderr = said, said
	s.gone = make(chan struct{})
	started := make(chan error, 1)
	go func() {
		// The server ends with the thread that started it, so that none is left behind.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(s.gone)
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // says only that it was told to end
		}
	}()
	require.NoError(t, <-started)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for {
		err := Exec(ctx, s.URL("postgres"), "SELECT 1")
		if err == nil {
			return
		}
		if wait.For(ctx, 20*time.Millisecond) != nil {
			s.Kill(t)
			t.Fatalf("PostgreSQL did not come up: %v\n%s", err, said)
		}
	}
}

// Kill ends the server and all its processes at once, as a crash does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if !s.Ended() {
		require.NoError(t, s.cmd.Process.Signal(quit))
	}
	<-s.gone
	s.cmd = nil
}

// Ended reports whether the server has ended by itself.
func (s *Server) Ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// URL is that of a database of the server.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}

// Exec carries out statements in the database.
func Exec(ctx context.Context, url, statements string) error {
	_, err := Query(ctx, url, statements)
	return err
}

// Query carries out statements in the database, and returns the rows of the last one.
func Query(ctx context.Context, url, statements string) ([][][]byte, error) {
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	results, err := conn.Exec(ctx, statements).ReadAll()
	if err = errors.Join(err, conn.Close(ctx)); err != nil || len(results) == 0 {
		return nil, err
	}
	return results[len(results)-1].Rows, nil
}

// Dial connects to the server as a client on this machine does.
func (s *Server) Dial() (net.Conn, error) {
	return net.Dial("unix", filepath.Join(s.dir, ".s.PGSQL.5432"))
}

// Copy makes a database that is like the one of the URL, and returns its URL. It reports whether
// there was none of the name. No one may be connected to the one that is copied.
func Copy(ctx context.Context, of, name string) (made string, fresh bool, err error) {
	u, err := url.Parse(of)
	if err != nil {
		return "", false, err
	}
	template := strings.TrimPrefix(u.Path, "/")
	u.Path = "/" + name
	made = u.String()
	u.Path = "/postgres"
	err = Exec(ctx, u.String(), "CREATE DATABASE "+quoted(name)+" TEMPLATE "+quoted(template))
	if said, ok := errors.AsType[*pgconn.PgError](err); ok &&
		(said.Code == "42P04" || said.Code == "23505") {
		return made, false, nil // there is one, or somebody makes it right now
	}
	return made, err == nil, err
}

// Folder is where the server of the URL keeps its files.
func Folder(of string) (string, error) {
	u, err := url.Parse(of)
	if err != nil {
		return "", err
	}
	return u.Query().Get("host"), nil
}

// Drop removes the database of the URL, and whoever is connected to it.
func Drop(ctx context.Context, of string) error {
	u, err := url.Parse(of)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	return Exec(ctx, u.String(), "DROP DATABASE IF EXISTS "+quoted(name)+" WITH (FORCE)")
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
