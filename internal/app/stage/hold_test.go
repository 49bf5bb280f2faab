package stage

import (
	"context"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/store"
)

// What tests write to their phones waits while their lease cannot be renewed, and goes on with the
// next renewal: that of the usual folder holds, not of the folder of the cases.
func TestTestsWriteToAPhoneOnlyWhileTheirLeaseHolds(t *testing.T) {
	phone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer phone.Close()
	dir := t.TempDir()
	of := func(dir string) *app.Settings {
		set := &app.Settings{Log: slog.New(slog.DiscardHandler), Options: config.Options{
			Environ: []string{"TAPLOOP_DATA_DIR=" + dir, "XDG_CONFIG_HOME=" + dir,
				"TAPLOOP_ADB_SERVER=" + phone.Addr().String(), "TAPLOOP_LEASE_TTL=1s"}}}
		require.NoError(t, set.Load())
		return set
	}
	s := &Stage{}
	s.db, err = openEnded(t.Context(), of(dir))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.db.Close()) }()
	s.holds.open(t.Context(), s, nil)
	parts, err := app.Open(t.Context(), of(t.TempDir()), app.Options{Phones: s.db})
	require.NoError(t, err)
	defer func() { require.NoError(t, parts.Close()) }()
	_, err = s.holds.take(t.Context(), "P")
	require.NoError(t, err)

	let := make(chan struct{})
	var locks atomic.Bool
	other, err := store.Open(t.Context(), dir, &store.Options{Now: func() time.Time {
		if locks.Load() { // the clock is read within the transaction
			<-let
		}
		return time.Now()
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	lapsed := make(chan struct{}, 1)
	s.db.Owner.OnLapse(func() { lapsed <- struct{}{} })
	locks.Store(true)
	wrote := make(chan error, 1)
	go func() {
		wrote <- other.Audit.Append(context.WithoutCancel(t.Context()), store.AuditEntry{Event: "x"})
	}()
	<-lapsed
	ended := make(chan struct{})
	close(ended)
	require.False(t, s.db.Owner.May(ended))
	asking, stop := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() { _, err := parts.Host.States(asking); asked <- err }()
	at, err := phone.Accept()
	require.NoError(t, err)
	defer at.Close()
	first := make([]byte, 1)
	require.NoError(t, at.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
	_, err = at.Read(first)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing is written")
	require.NoError(t, at.SetReadDeadline(time.Time{}))
	locks.Store(false)
	close(let)
	require.NoError(t, <-wrote)
	_, err = at.Read(first)
	require.NoError(t, err)
	require.Equal(t, "0", string(first), "of the first request's length")
	require.True(t, s.db.Owner.May(nil))
	stop()
	require.Error(t, <-asked)
	require.NoError(t, s.holds.close())
}
