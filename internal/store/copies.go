package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// copyName is the name of the copy of the database that an upgrade from the schema leaves.
func copyName(schema int64) string { return fmt.Sprintf("%s.schema%d", dbName, schema) }

// keepCopy copies the database before it is upgraded, for a program that knows only its schema.
func (e sqliteEngine) keepCopy(ctx context.Context, d *db, schema int64) error {
	path := filepath.Join(d.dir, copyName(schema))
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // left by a process that was killed
	}
	err := e.vacuumInto(ctx, d, fresh)
	if err == nil {
		err = os.Rename(fresh, path)
	} else {
		_ = os.Remove(fresh) // the error is returned
	}
	return err
}

// vacuumInto copies the database to a new file, in one moment of it.
func (e sqliteEngine) vacuumInto(ctx context.Context, d *db, path string) error {
	if err := privateFile(path); err != nil {
		return err
	}
	database, params := filepath.Join(d.dir, dbName), "_pragma=secure_delete(ON)"
	if d.write == nil {
		params = e.onlyReading(database)
	}
	source, err := e.connect(d, database, 1, params)
	if err != nil {
		return err
	}
	_, err = source.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(err, source.Close())
}

// orCopy hints at the newest copy that this program can open, if the database is a newer one's.
func orCopy(err error, dir string) error {
	if !errors.Is(err, ErrNewerSchema) {
		return err
	}
	for schema := int64(Schema()); schema > 0; schema-- {
		path := filepath.Join(dir, copyName(schema))
		if info, failed := os.Stat(path); failed == nil {
			return hint.Add(err, fmt.Sprintf("use the newer taploop; to go "+
				"back to what was stored before the upgrade of %s: taploop restore --replace %s",
				info.ModTime().Format(time.DateTime), shell(path)))
		}
	}
	return err
}

// shell is a path as a shell reads it.
func shell(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
