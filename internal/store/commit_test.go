package store_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// cutter passes on what is said to a PostgreSQL and back, and cuts a connection at a COMMIT.
type cutter struct {
	mu      sync.Mutex
	server  string
	cut     atomic.Int32           // how many more COMMITs are cut
	after   bool                   // the server has carried the COMMIT out, and its answer is lost
	instead func() (server string) // happens in place of a COMMIT
	silent  atomic.Bool            // nothing arrives, and nobody is told
	asked   atomic.Int32           // how often a client has said something
}

func (c *cutter) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go c.pass(client)
	}
}

func (c *cutter) pass(client net.Conn) {
	defer client.Close()
	c.mu.Lock()
	at := c.server
	c.mu.Unlock()
	server, err := net.Dial("unix", at)
	if err != nil {
		return
	}
	defer server.Close()
	var muted atomic.Bool
	answered := make(chan struct{}, 100)
	go func() {
		defer client.Close()
		b := make([]byte, 64<<10)
		for {
			n, err := server.Read(b)
			if err != nil {
				return
			}
			if c.silent.Load() {
				continue
			}
			if muted.Load() {
				answered <- struct{}{}
			} else if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		c.asked.Add(1)
		if bytes.Contains(b[:n], []byte("COMMIT\x00")) && c.cut.Add(-1) >= 0 {
			if c.after {
				muted.Store(true)
				_, _ = server.Write(b[:n])
				<-answered
			}
			if c.instead != nil {
				c.mu.Lock()
				c.server = c.instead()
				c.mu.Unlock()
			}
			return
		}
		if _, err := io.Copy(server, bytes.NewReader(b[:n])); err != nil {
			return
		}
	}
}

// socket is the name of a server's socket.
const socket = ".s.PGSQL.5432"

// begin returns the URL of the database behind the cutter.
func (c *cutter) begin(t *testing.T, database string) (url string) {
	between, err := os.MkdirTemp("", "cut-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(between)) })
	l, err := net.Listen("unix", filepath.Join(between, socket))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go c.serve(l)
	return "postgres://taploop@/" + database + "?host=" + between
}

// commitsOnce cuts the connection at commits, before or after the server has carried them out.
func commitsOnce(t *testing.T, dir, database string, after bool) {
	c := &cutter{server: filepath.Join(dir, socket), after: after}
	db := on(t, c.begin(t, database))
	r := started(t, db)
	j := db.Journal(r)
	for n := 1; n <= 5; n++ {
		st := step(t, n, actions.Home{})
		c.cut.Store(1)
		require.NoError(t, j.Intent(t.Context(), st))
		c.cut.Store(2)
		require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: n}))
		c.cut.Store(1)
		require.NoError(t, db.Audit.Append(t.Context(),
			store.AuditEntry{Event: store.AuditSaid, SessionID: r.SessionID}))
	}
	list, err := db.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, list, 5)
	require.Equal(t, 5, usage(t, db, r.SessionID)[r.ID].Steps)
	require.Len(t, audit(t, db, store.AuditFilter{SessionID: r.SessionID}), 5, "each once")
}

// asksSeldom counts how often a step of a run waits for an answer of the database.
func asksSeldom(t *testing.T, dir, database string) {
	c := &cutter{server: filepath.Join(dir, socket)}
	db := on(t, c.begin(t, database))
	j := db.Journal(started(t, db))
	for n := 1; n <= 3; n++ { // the first ones prepare the statements
		st := step(t, n, actions.Home{})
		before := c.asked.Load()
		require.NoError(t, j.Intent(t.Context(), st))
		intent := c.asked.Load()
		require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: n}))
		if n == 3 {
			require.Equal(t, []int32{5, 6}, []int32{intent - before, c.asked.Load() - intent},
				"before the touch, and after it")
		}
	}
}

// A machine is cut off from the database: who reads is told so, and reads again when it is back.
func goesSilent(t *testing.T, dir, database string) {
	c := &cutter{server: filepath.Join(dir, socket)}
	db, err := store.Open(t.Context(), t.TempDir(), &store.Options{URL: c.begin(t, database),
		Patience: 3 * time.Second}) // what a slow machine takes for a statement
	require.NoError(t, err)
	r := started(t, db)
	c.silent.Store(true)
	var written error
	var writing sync.WaitGroup
	writing.Go(func() {
		written = db.Audit.Append(t.Context(), store.AuditEntry{Event: store.AuditSaid})
	})
	_, err = db.Runs.Get(t.Context(), r.ID)
	writing.Wait()
	require.ErrorIs(t, err, store.ErrSilent)
	require.NotEmpty(t, hint.Of(err))
	require.ErrorIs(t, written, store.ErrSilent)
	c.silent.Store(false)
	got, err := db.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, r, got)
	require.NoError(t, db.Close())
}

// A replica that takes over counts its transactions on from those that it has seen. Another one may
// have the number of a transaction that is lost.
func TestACommitIsNotTakenForThatOfAnotherServersTransaction(t *testing.T) {
	if storetest.OnPostgres() {
		return
	}
	for what, taken := range map[string]bool{"the number is free": false, "it is taken": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			first, url := server(t)
			second := first.Replica(t, "")
			dir, err := pgtest.Folder(url)
			require.NoError(t, err)
			c := &cutter{server: filepath.Join(dir, socket)}
			c.instead = func() string {
				first.Kill(t)
				second.Promote(t)
				for range 100 {
					if taken {
						assert.NoError(t, pgtest.Exec(t.Context(), second.URL("postgres"),
							"SELECT pg_current_xact_id()"))
					}
				}
				dir, err := pgtest.Folder(second.URL("empty"))
				assert.NoError(t, err)
				return filepath.Join(dir, socket)
			}
			either, db := on(t, pgtest.URLOf("empty", second, first)), on(t, c.begin(t, "empty"))
			said := store.AuditEntry{Event: store.AuditSaid}
			require.NoError(t, either.Audit.Append(t.Context(), said))
			c.cut.Store(1)
			err = db.Audit.Append(t.Context(), said)
			require.NoError(t, either.Audit.Append(t.Context(), said), "it finds who writes now")
			entries := audit(t, either, store.AuditFilter{})
			if taken {
				require.ErrorContains(t, err, "whether it was stored is not known")
				require.Len(t, entries, 2, "nor was it tried again")
				return
			}
			require.NoError(t, err)
			require.Len(t, entries, 3)
		})
	}
}

// A database that goes down, comes up, has become a replica or has broken the connection off is away
// for now. One that refuses what it was asked is not.
func TestADatabaseThatIsAwayIsToldFromOneThatRefuses(t *testing.T) {
	away := []error{driver.ErrBadConn, &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		&pgconn.ConnectError{}}
	for _, code := range []string{"57P01", "57P02", "57P03", "25006", "53300", "08006"} {
		away = append(away, &pgconn.PgError{Code: code})
	}
	for _, err := range away {
		err = store.Explained(fmt.Errorf("reading: %w", err))
		require.ErrorIs(t, err, store.ErrSilent)
		require.True(t, agentloop.Unwritable(err))
		require.NotEmpty(t, hint.Of(err))
	}
	for _, err := range []error{&pgconn.PgError{Code: "42601"}, context.Canceled, io.ErrUnexpectedEOF} {
		require.False(t, agentloop.Unwritable(store.Explained(err)), "%v", err)
	}
}
