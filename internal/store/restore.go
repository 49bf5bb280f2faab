package store

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
)

// ErrInUse says that a program has the data folder open.
var ErrInUse = errors.New("a program is using the data folder")

// Restore makes the data folder from a backup, or replaces the database in it by the copy that an
// upgrade of the schema has left. It refuses a folder that is in use, and one that holds a database
// unless replace is set: then what was there is kept in the folder that it returns.
func Restore(ctx context.Context, file, dir string, replace bool) (
	sum Summary, kept string, err error) {
	defer func() { err = doing(explain(dir, err), "restoring %s", file) }()
	if dir, err = filepath.Abs(dir); err != nil {
		return sum, "", err
	}
	sum, image, err := readable(ctx, file)
	if err != nil {
		return sum, "", err
	}
	for _, sub := range []string{"", ownersDir} {
		if err := privateDir(filepath.Join(dir, sub)); err != nil {
			return sum, "", err
		}
	}
	lock, err := lockFolder(ctx, dir)
	if err != nil {
		return sum, "", err
	}
	defer lock.Close()
	if _, err := swap(dir); err != nil {
		return sum, "", err
	}
	if err := replaceableFolder(dir, replace); err != nil {
		return sum, "", err
	}
	kept, err = putInto(ctx, file, dir, image)
	return sum, kept, err
}

// readable checks the whole file: a backup, or the database itself.
func readable(ctx context.Context, file string) (sum Summary, image bool, err error) {
	if image, err = isDatabase(file); err != nil {
		return sum, image, err
	}
	if !image {
		sum, err = verify(ctx, file)
		return sum, image, err
	}
	sum, _, err = inspect(ctx, file)
	if err == nil {
		err = notNewer(sum.Schema)
	}
	return sum, image, err
}

// unpackPrefix begins the names of folders in which backups are unpacked.
const unpackPrefix = ".restore-"

// putInto unpacks the file beside what the folder holds, and swaps the two.
func putInto(ctx context.Context, file, dir string, image bool) (kept string, err error) {
	sweep(dir, unpackPrefix, 0)
	fresh, err := os.MkdirTemp(dir, unpackPrefix+"*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if image {
		err = copyFile(filepath.Join(fresh, dbName), file)
	} else {
		err = extract(ctx, file, fresh)
	}
	if err == nil {
		err = writeFrom(filepath.Join(fresh, restoredName), strings.NewReader(""))
	}
	if err = errors.Join(err, pictures.SyncDir(fresh)); err != nil {
		return "", err
	}
	stamp := time.Now().UTC().Format("20060102T150405.000")
	if err := os.Rename(fresh, filepath.Join(dir, swapPrefix+stamp)); err != nil {
		return "", err
	}
	return swap(dir)
}

// isDatabase reports whether the file is one of SQLite.
func isDatabase(file string) (bool, error) {
	const magic = "SQLite format 3\x00"
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(b) == magic, err
}

// replaceableFolder refuses a folder that a store is open on, and one with a database unless it is
// replaced.
func replaceableFolder(dir string, replace bool) error {
	o := &Owner{dir: filepath.Join(dir, ownersDir)}
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if id, is := strings.CutSuffix(e.Name(), lockExt); is && o.locked(id) {
			return hint.Add(ErrInUse, "end the servers and runs of "+shell(dir)+
				" first, or restore into another folder: --data-dir DIR")
		}
	}
	if Exists(dir, "") && !replace {
		return hint.Add(errors.New("the data folder holds a database"),
			"restore into another folder with --data-dir DIR, or with --replace, which keeps "+
				"what is there in a folder beside it")
	}
	return nil
}

// extract unpacks a backup into the folder.
func extract(ctx context.Context, file, dir string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Mkdir(filepath.Join(dir, framesDir), 0o700); err != nil {
		return err
	}
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case h.Name == summaryName:
			continue
		}
		if h.Name != dbName && !slices.Contains(extras, h.Name) &&
			!skillName.MatchString(h.Name) && !isPicture(h.Name) {
			return fmt.Errorf("%q has no place in a backup", h.Name)
		}
		if err := writeFrom(filepath.Join(dir, filepath.FromSlash(h.Name)), r); err != nil {
			return err
		}
	}
}

// isPicture reports whether a name is that of a frame's file.
func isPicture(name string) bool {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[0] != framesDir {
		return false
	}
	id, jpeg := strings.CutSuffix(parts[1]+"."+parts[2], ".jpeg")
	return jpeg && frameID.MatchString(id)
}
