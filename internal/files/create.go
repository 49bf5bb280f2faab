package files

import (
	"errors"
	"os"
)

// Create creates a file that only this user may read. If there is a file already, it returns an
// [io/fs.ErrExist].
func Create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// Overwrite opens a file for writing from its beginning, which only this user may read from then
// on. It does not change what is no regular file, such as a pipe.
func Overwrite(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if err = f.Chmod(0o600); err == nil {
			err = f.Truncate(0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
