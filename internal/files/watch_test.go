package files_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/files"
)

func TestAChangeOfAFileIsToldWhoeverMadeIt(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "list.json"), filepath.Join(dir, "other.json")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var w files.Watcher
		ended := make(chan struct{})
		go func() { w.Run(ctx, path, other); close(ended) }()
		synctest.Wait()
		told := func() bool {
			changed := w.Changed()
			time.Sleep(time.Second)
			synctest.Wait()
			select {
			case <-changed:
				return true
			default:
				return false
			}
		}
		require.False(t, told(), "nothing has happened")
		for i, edit := range []func() error{
			func() error { return os.WriteFile(other, []byte("[]"), 0o600) },
			func() error { return os.WriteFile(other, []byte("[1]"), 0o600) },
			func() error {
				return files.Change(path, func() (int, error) { return 1, nil })
			},
			func() error {
				return files.Change(path, func() (int, error) { return 2, nil })
			},
			func() error { return os.Remove(path) },
		} {
			require.NoError(t, edit())
			require.True(t, told(), "change %d", i)
			require.False(t, told(), "once")
		}
		cancel()
		<-ended
	})
}
