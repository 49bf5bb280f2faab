package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/taploop/taploop/internal/hint"
)

// ReadOnly reports whether nothing of the store can be changed, see [Options.Reading].
func (s *Store) ReadOnly() bool { return s.write == nil }

// readOnly reports whether the error is that of a folder, or a file in it, that may not be written.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// openReading opens a folder without writing anything to it.
func (s *Store) openReading(ctx context.Context) error {
	path := filepath.Join(s.dir, dbName)
	if _, err := os.Stat(path); err != nil {
		return hint.Add(err, hintWritable)
	}
	// With a log another process writes, or was killed: the log has to be read, too. Without one
	// SQLite would want to make one.
	params := "mode=ro"
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		params = "immutable=1"
	}
	var err error
	if s.write != nil { // a part of the folder was written
		err, s.write = s.write.Close(), nil
	}
	if err != nil {
		return err
	}
	if s.read, err = s.connect(path, 4, params+"&_pragma=query_only(ON)"); err != nil {
		return err
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := version(ctx, s.read, len(files))
	if err == nil && version < len(files) {
		err = hint.Add(fmt.Errorf("it has the older schema %d, and cannot be brought to %d",
			version, len(files)), "copy it to where this user may write, and open the copy")
	}
	if err != nil {
		return err
	}
	s.owner = &owner{dir: filepath.Join(s.dir, ownersDir)}
	key, err := os.ReadFile(filepath.Join(s.dir, vaultName))
	if errors.Is(err, fs.ErrNotExist) {
		key, err = newKey(), nil // nothing was ever kept under one
	}
	if err == nil {
		s.vault, err = newVault(key)
	}
	return err
}
