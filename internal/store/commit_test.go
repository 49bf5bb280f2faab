package store_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// cutter passes on what is said to a PostgreSQL and back, and cuts a connection at a COMMIT.
type cutter struct {
	server string
	cut    atomic.Int32 // how many more COMMITs are cut
	after  bool         // the server has carried the COMMIT out, and its answer is lost
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
	server, err := net.Dial("unix", c.server)
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
		if bytes.Contains(b[:n], []byte("COMMIT\x00")) && c.cut.Add(-1) >= 0 {
			if c.after {
				muted.Store(true)
				_, _ = server.Write(b[:n])
				<-answered
			}
			return
		}
		if _, err := io.Copy(server, bytes.NewReader(b[:n])); err != nil {
			return
		}
	}
}

// commitsOnce cuts the connection at commits, before or after the server has carried them out.
func commitsOnce(t *testing.T, dir, database string, after bool) {
	const socket = ".s.PGSQL.5432"
	between, err := os.MkdirTemp("", "cut-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(between)) })
	l, err := net.Listen("unix", filepath.Join(between, socket))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	c := &cutter{server: filepath.Join(dir, socket), after: after}
	go c.serve(l)

	db := on(t, "postgres://taploop@/"+database+"?host="+between)
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
