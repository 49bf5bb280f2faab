package store

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
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
	"github.com/taploop/taploop/internal/wait"
)

// Store is an open data folder: its sessions, and the parts that have the rest. All of it is safe
// for concurrent use, within the process and between processes.
type Store struct {
	*db
	Answers   Answers
	Audit     Audit
	Farm      Farm
	Grants    Grants
	Judged    Judged
	Kept      Kept
	Phones    phones
	Leases    Leases
	Owner     *Owner
	Questions Questions
	Runs      Runs
	Schedules Schedules
	Secrets   Secrets
}

// Stalled reports whether opening the folder or a write has waited for 3s, and no write has got
// through since.
func (s *Store) Stalled() bool { return s.stalled.Load() }

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
	d := &db{dir: abs, home: home, frames: frames{dir: filepath.Join(abs, framesDir)},
		writeQueue: wait.NewLine()}
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
	d.opts.TTL = cmp.Or(d.opts.TTL, 15*time.Second)
	d.opts.Margin = cmp.Or(d.opts.Margin, time.Second)
	s := &Store{db: d, Answers: Answers{d}, Audit: Audit{d}, Farm: Farm{d}, Grants: Grants{d},
		Judged: Judged{d}, Kept: Kept{d}, Leases: Leases{d}, Phones: phones{d},
		Questions: Questions{d},
		Runs:      Runs{d},
		Schedules: Schedules{d},
		Secrets:   Secrets{d}}
	callOff := d.watch()
	err = d.explain(d.open(ctx))
	callOff()
	if d.opts.Reading && readOnly(err) {
		d.refusal = ErrReadOnly
		if errors.Is(err, ErrDiskFull) {
			d.refusal = err
		}
		err = explain(d.engine.openReading(ctx, d))
	}
	if err != nil {
		what := "the data folder " + dir
		if _, own := d.engine.(sqliteEngine); !own {
			what = "the store"
		}
		return nil, errors.Join(fmt.Errorf("opening %s: %w", what, err), s.Close())
	}
	s.Owner = d.owner
	return s, nil
}

// open makes the folder and opens the database.
func (d *db) open(ctx context.Context) error {
	if err := finishRestore(ctx, d.dir); err != nil {
		return err
	}
	for _, sub := range []string{"", framesDir, ownersDir} {
		if err := privateDir(filepath.Join(d.dir, sub)); err != nil {
			return err
		}
	}
	if err := writable(d.dir); err != nil {
		return err
	}
	return d.engine.open(ctx, d)
}

// privateDir creates a missing folder for this user only. It fails if every user may write to the
// folder, because any of them could replace its files.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
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

// shell is a path as a shell reads it.
func shell(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// writable reports why nothing can be made in the folder.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return hint.Add(err, hintWritable)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Close gives up what this store owns. Its runs that were RUNNING count as left behind from now on,
// see [Runs.Recover].
func (s *Store) Close() error {
	s.frames.saving.Wait()
	var errs []error
	if s.owner != nil && s.write != nil {
		s.owner.leave()
	}
	for _, pool := range []*sql.DB{s.read, s.write} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if s.owner != nil && s.write != nil {
		errs = append(errs, s.owner.close())
	}
	return errors.Join(errs...)
}

// ReadOnly reports whether nothing of the store can be changed, see [Options.Reading].
func (s *Store) ReadOnly() bool { return s.write == nil }

// readOnly reports whether the error is that of a folder, or a file in it, that cannot be written.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, ErrDiskFull)
}

// Sign is a mark on a text that only stores of this data folder can make, even after a restart.
// Marks for one purpose do not hold for another. Compare marks with [hmac.Equal].
func (s *Store) Sign(purpose, text string) []byte {
	// The key itself encrypts, and signs nothing but this.
	return mark(mark(s.vault.key, "mark for "+purpose), text)
}

func mark(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
