package sandbox

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesAreWrittenReadListedAndRemoved(t *testing.T) {
	f := hold(t, nil).phone.Files()
	require.NoError(t, f.Write("/sdcard/a.txt", []byte("one")))
	data, err := f.Read("/storage/emulated/0/a.txt")
	require.NoError(t, err)
	require.Equal(t, "one", string(data), "both names lead to the same storage")
	again, _ := f.Read("/sdcard/./x/../a.txt")
	require.Equal(t, "one", string(again))

	info, err := f.Stat("/sdcard/a.txt")
	require.NoError(t, err)
	require.Equal(t, File{Data: []byte("one"), At: morning}, info)

	require.NoError(t, f.Write("/data/local/tmp/b.txt", nil))
	list, err := f.List("/data/local/tmp")
	require.NoError(t, err)
	require.Equal(t, []string{"b.txt"}, list)
	require.NoError(t, f.Remove("/data/local/tmp/b.txt"))
	list, err = f.List("/data/local/tmp")
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestFilesSayWhatIsWrong(t *testing.T) {
	f := hold(t, nil).phone.Files()
	require.NoError(t, f.Write("/sdcard/a.txt", nil))
	for path, want := range map[string]error{
		"/sdcard/none/b": fs.ErrNotExist, "/sdcard/a.txt/b": syscall.ENOTDIR,
		"/system/bin/sh": syscall.EROFS, "/": syscall.EROFS, "/sdcard/Download": syscall.EISDIR,
		"/sdcard/../system/x": syscall.EROFS,
	} {
		require.ErrorIs(t, f.Write(path, nil), want, path)
	}
	require.ErrorIs(t, f.Write("/sdcard/big", make([]byte, maxFiles+1)), syscall.ENOSPC)
	require.ErrorIs(t, f.Remove("/system/bin"), syscall.EROFS)
	require.ErrorIs(t, f.Remove("/sdcard/DCIM"), syscall.EISDIR)
	require.ErrorIs(t, f.Remove("/sdcard/none"), fs.ErrNotExist)
	_, err := f.Read("/sdcard")
	require.ErrorIs(t, err, syscall.EISDIR)
	_, err = f.Read("/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = f.List("/sdcard/a.txt")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
