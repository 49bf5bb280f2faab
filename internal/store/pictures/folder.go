package pictures

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
)

// Folder keeps pictures as files, in a folder for each session.
type Folder string

// Where implements Keeper.
func (f Folder) Where(name string) string {
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// Put implements Keeper.
func (f Folder) Put(_ context.Context, name string, b []byte) error {
	file := f.Where(name)
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// Sync implements Keeper.
func (f Folder) Sync(name string) error {
	file, err := os.OpenFile(f.Where(name), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return errors.Join(SyncDir(filepath.Dir(f.Where(name))), SyncDir(string(f)))
}

// SyncDir makes the names in a folder survive a crash of the machine.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get implements Keeper.
func (f Folder) Get(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(f.Where(name))
}

// List implements Keeper.
func (f Folder) List(ctx context.Context, session string) iter.Seq2[Picture, error] {
	return func(yield func(Picture, error) bool) {
		each := func(file string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				var info fs.FileInfo
				if info, err = e.Info(); err == nil {
					name := path.Join(filepath.Base(filepath.Dir(file)), e.Name())
					if !yield(Picture{name, info.Size()}, context.Cause(ctx)) {
						return fs.SkipAll
					}
				}
			}
			if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile, or never there
				return nil
			}
			return err
		}
		if err := filepath.WalkDir(f.Where(session), each); err != nil {
			yield(Picture{}, err)
		}
	}
}

// Delete implements Keeper.
func (f Folder) Delete(_ context.Context, session string, names ...string) (err error) {
	if len(names) == 0 {
		return os.RemoveAll(f.Where(session))
	}
	for _, name := range names {
		failed := os.Remove(f.Where(name))
		if !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Probe implements Keeper: see Farm.Room of the store, which asks the disk.
func (f Folder) Probe(context.Context) error { return nil }

// Close implements Keeper.
func (f Folder) Close() {}
