package sandbox

import (
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFilesAreWrittenReadListedAndRemoved(t *testing.T) {
	f := hold(t, nil).Files()
	require.NoError(t, f.Write("/sdcard/a.txt", []byte("one"), 0o644, time.Time{}))
	data, err := f.Read("/storage/emulated/0/a.txt")
	require.NoError(t, err)
	require.Equal(t, "one", string(data), "both names lead to the same storage")
	again, _ := f.Read("/sdcard/./x/../a.txt")
	require.Equal(t, "one", string(again))

	info, err := f.Stat("/sdcard/a.txt")
	require.NoError(t, err)
	require.Equal(t, "a.txt", info.Name())
	require.Equal(t, int64(3), info.Size())
	require.Equal(t, fs.FileMode(0o644), info.Mode())
	require.Equal(t, morning, info.ModTime())

	require.NoError(t, f.Mkdir("/data/local/tmp/dir"))
	require.NoError(t, f.Write("/data/local/tmp/dir/b.txt", nil, 0o644, morning))
	list, err := f.List("/data/local/tmp")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.True(t, list[0].IsDir())
	require.ErrorIs(t, f.Remove("/data/local/tmp/dir"), syscall.ENOTEMPTY)
	require.NoError(t, f.Remove("/data/local/tmp/dir/b.txt"))
	require.NoError(t, f.Remove("/data/local/tmp/dir"))
}

func TestFilesSayWhatIsWrong(t *testing.T) {
	f := hold(t, nil).Files()
	require.NoError(t, f.Write("/sdcard/a.txt", nil, 0o644, morning))
	write := func(p string) error { return f.Write(p, nil, 0o644, time.Time{}) }
	require.ErrorIs(t, write("/sdcard/none/b"), fs.ErrNotExist)
	require.ErrorIs(t, write("/sdcard/a.txt/b"), syscall.ENOTDIR)
	require.ErrorIs(t, write("/system/bin/sh"), syscall.EROFS)
	require.ErrorIs(t, write("/"), syscall.EROFS)
	require.ErrorIs(t, write("/sdcard/Download"), syscall.EISDIR)
	require.ErrorIs(t, write("/sdcard/../system/x"), syscall.EROFS)
	require.ErrorIs(t, f.Write("/sdcard/big", make([]byte, maxFiles+1), 0o644, time.Time{}),
		syscall.ENOSPC)
	require.ErrorIs(t, f.Mkdir("/sdcard"), fs.ErrExist)
	require.ErrorIs(t, f.Mkdir("/system/x"), syscall.EROFS)
	require.ErrorIs(t, f.Remove("/system/bin"), syscall.EROFS)
	require.ErrorIs(t, f.Remove("/sdcard/none"), fs.ErrNotExist)
	_, err := f.Read("/sdcard")
	require.ErrorIs(t, err, syscall.EISDIR)
	_, err = f.Read("/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = f.List("/sdcard/a.txt")
	require.ErrorIs(t, err, syscall.ENOTDIR)
}
