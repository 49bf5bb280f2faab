package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/screen"
)

// Frames are kept in a form in which text can be read and a thousand steps are 50 MB: the longest
// side in pixels, and the JPEG's quality of 100.
const (
	longSide    = 1280
	jpegQuality = 80
)

// A frame's id is session, step and the life of the run that looked, "abc.12.3": a writer from a
// former life cannot replace the picture that its successor acted on.
var frameID = regexp.MustCompile(`^([a-z0-9]+)\.(\d+)\.(\d+)$`)

// frames are the files of the pictures, in a folder for each session.
type frames struct {
	dir    string
	saving sync.WaitGroup // in the background
}

// path is the file of the frame with the id, of that session and step.
func (f *frames) path(id string) (path, sessionID, step string, err error) {
	m := frameID.FindStringSubmatch(id)
	if m == nil {
		return "", "", "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	return filepath.Join(f.dir, m[1], m[2]+"."+m[3]+".jpeg"), m[1], m[2], nil
}

// any reports whether the frames of a session are there.
func (f *frames) any() (bool, error) {
	dir, err := os.Open(f.dir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	_, none := dir.Readdirnames(1)
	return none != io.EOF, nil
}

// delete comes after the rows: a crash in between leaves pictures without a session, which Prune
// removes, and never a step without its picture.
func (f *frames) delete(sessionID string) error {
	return os.RemoveAll(filepath.Join(f.dir, sessionID))
}

// prune deletes the frames of the sessions that are not known.
func (f *frames) prune(known func() ([]string, error)) error {
	// The folders are read first: a session made in between is then known when its folder is.
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	ids, err := known()
	if err != nil {
		return err
	}
	slices.Sort(ids)
	for _, e := range entries {
		if _, found := slices.BinarySearch(ids, e.Name()); !found {
			if err := f.delete(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// frameFile is a frame in its file. The file is not synced: the row of its step has the length and
// the SHA-256 of what was written, so that a file which a crash of the machine has cut short, or
// left with something else in it, is not taken for the frame.
type frameFile struct {
	id, path string // "" for none
	bytes    int
	sum      []byte
}

// FrameID is the id of what the run, in its present life, sees at the step of that index.
func (r Run) FrameID(index int) string {
	return fmt.Sprintf("%s.%d.%d", r.SessionID, index, r.Fence)
}

// save writes the frame under the id. A crash can leave a file without a row. It is harmless, and
// is replaced or deleted with its session.
func (f *frames) save(ctx context.Context, id string, frame *screen.Frame) (frameFile, error) {
	path, _, _, err := f.path(id)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return frameFile{}, err
	}
	b, err := frame.Within(longSide).JPEG(jpegQuality)
	if err != nil {
		return frameFile{}, err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return frameFile{}, explain(f.dir, err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return frameFile{}, explain(f.dir, err)
	}
	sum := sha256.Sum256(b)
	return frameFile{id, path, len(b), sum[:]}, nil
}

// sync makes the file survive a crash of the machine.
func (f frameFile) sync() error {
	file, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeFrom(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeFrom(to, f)
}
