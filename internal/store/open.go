package store

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
	"github.com/taploop/taploop/internal/wait"
)

// Exists reports whether there may be sessions: in a data folder with a database in it, or in a
// database elsewhere, which is not asked.
func Exists(dir, url string) bool {
	if Networked(url) {
		return true
	}
	_, err := os.Stat(filepath.Join(folder(dir, url), dbName))
	return err == nil || swapping(folder(dir, url)) != ""
}

// Networked reports whether the URL is of a database that several machines can share.
func Networked(url string) bool { return url != "" && !strings.HasPrefix(url, SQLiteURL) }

// folder is the data folder: the URL can name another for SQLite.
func folder(dir, url string) string {
	if other, ok := strings.CutPrefix(url, SQLiteURL); ok && other != "" {
		return other
	}
	return dir
}

// Open opens the data folder and migrates its database. It creates a missing folder for this user
// only. It fails if every user may write to the folder, and returns ErrNewerSchema for a database
// of a newer program.
func Open(ctx context.Context, dir string, opts *Options) (*Store, error) {
	url := ""
	if opts != nil {
		url = opts.URL
	}
	home, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the data folder %s: %w", dir, err)
	}
	abs, err := filepath.Abs(folder(home, url))
	if err != nil {
		return nil, err
	}
	d := &db{dir: abs, home: home, writeQueue: wait.NewLine()}
	if opts != nil {
		d.opts = *opts
	}
	if d.engine, err = engineOf(d.opts.URL); err != nil {
		return nil, err
	}
	if d.opts.Now == nil {
		d.opts.Now = time.Now
	}
	d.opts.Patience = cmp.Or(d.opts.Patience, 15*time.Second)
	if err := keepFrames(d); err != nil {
		return nil, err
	}
	d.opts.TTL = cmp.Or(d.opts.TTL, 15*time.Second)
	d.opts.Margin = cmp.Or(d.opts.Margin, time.Second)
	s := &Store{db: d, Answers: Answers{d}, Audit: Audit{d}, Farm: Farm{d}, Grants: Grants{d},
		Judged: Judged{d}, Kept: Kept{d}, Leases: Leases{d}, Phones: phones{d},
		Questions: Questions{d},
		Runs:      Runs{d},
		Schedules: Schedules{d},
		Secrets:   Secrets{d}}
	if err = openOrRead(ctx, d); err != nil {
		what := "the data folder " + dir
		if _, own := d.engine.(sqliteEngine); !own {
			what = "the store"
		}
		return nil, errors.Join(fmt.Errorf("opening %s: %w", what, err), s.Close())
	}
	s.Owner = d.owner
	return s, nil
}

// FilesURL is the URL of pictures that are files in the data folder.
const FilesURL = "files:"

// keepFrames sets where the pictures are: in the data folder, unless the options name a bucket.
func keepFrames(d *db) (err error) {
	d.frames.Keeper = pictures.Folder(filepath.Join(d.dir, framesDir))
	if d.opts.Frames != "" && d.opts.Frames != FilesURL {
		d.frames.Keeper, err = pictures.NewBucket(d.opts.Frames, d.opts.Patience, func() string {
			return hex.EncodeToString(mark(d.vault.key, "frames")[:8])
		})
	}
	return err
}

// openOrRead opens the folder. Where it cannot be written it is read, if that is wanted.
func openOrRead(ctx context.Context, d *db) error {
	callOff := d.watch()
	err := explain(d.dir, openFolder(ctx, d))
	callOff()
	if d.opts.Reading && readOnly(err) {
		d.refusal = ErrReadOnly
		if errors.Is(err, ErrDiskFull) {
			d.refusal = err
		}
		err = explain(d.dir, d.engine.openReading(ctx, d))
	}
	return err
}

// openFolder makes the folder and opens the database.
func openFolder(ctx context.Context, d *db) error {
	if err := finishRestore(ctx, d.dir); err != nil {
		return err
	}
	if d.opts.Existing && d.engine.alone() {
		if _, err := os.Stat(filepath.Join(d.dir, dbName)); err != nil {
			return hint.Add(fmt.Errorf("there is no store: %w", err), "name the folder of one")
		}
	}
	for _, sub := range []string{"", framesDir, ownersDir} {
		if err := privateDir(filepath.Join(d.dir, sub)); err != nil {
			return err
		}
	}
	if err := writable(d.dir); err != nil {
		return err
	}
	if err := d.engine.open(ctx, d); err != nil {
		return err
	}
	return pauseRestored(ctx, d)
}

// privateDir creates a missing folder for this user only. It fails if every user may write to the
// folder, because any of them could replace its files.
func privateDir(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
		return hint.Add(err, "remove what is in the folder's place, a file or a link that "+
			"leads to no folder, or choose another folder")
	}
	if err != nil {
		return hint.Add(err, hintWritable)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o002 != 0 && runtime.GOOS != "windows" {
		return hint.Add(fmt.Errorf("everybody may write to %s (mode %04o)", dir, mode),
			"chmod 700 "+shell(dir)+", or choose another folder")
	}
	return nil
}

// writable reports why no file can be made in the folder that is as large as SQLite's are at first.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return hint.Add(err, hintWritable)
	}
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// readOnly reports whether the error is that of a folder, or a file in it, that cannot be written.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, ErrDiskFull)
}
