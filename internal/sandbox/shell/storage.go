package shell

import (
	"errors"
	"io/fs"
	"path"
	"syscall"
)

// devices are the files that discard writes and hold nothing.
var devices = map[string]bool{"/dev/null": true, "/dev/tty": true}

func join(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// ErrorText is an error in the words of the C library.
func ErrorText(err error) string {
	for _, e := range []struct {
		is   error
		text string
	}{
		{fs.ErrNotExist, "No such file or directory"},
		{fs.ErrPermission, "Permission denied"},
		{syscall.EROFS, "Read-only file system"},
		{syscall.EISDIR, "Is a directory"},
		{syscall.ENOTDIR, "Not a directory"},
		{syscall.ENOSPC, "No space left on device"},
		{syscall.EINVAL, "Invalid argument"},
	} {
		if errors.Is(err, e.is) {
			return e.text
		}
	}
	return err.Error()
}
