package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/screen"
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

func (s *Store) framePath(id string) (string, error) {
	m := frameID.FindStringSubmatch(id)
	if m == nil {
		return "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	return filepath.Join(s.dir, framesDir, m[1], m[2]+"."+m[3]+".jpeg"), nil
}

// FramePath is the file that keeps a frame; "" for none.
func (s *Store) FramePath(id string) string {
	path, _ := s.framePath(id)
	return path
}

// Frame returns a frame as JPEG, or ErrNotFound.
func (s *Store) Frame(ctx context.Context, id string) ([]byte, error) {
	path, err := s.framePath(id)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	return b, err
}

// SaveFrame keeps the frame of the run's step with that index and returns its id, for a question
// that shows it before the step is journaled. The journal keeps the frame of each step by itself,
// under the same id. No frame has the id "".
func (s *Store) SaveFrame(
	ctx context.Context, run Run, index int, f *screen.Frame,
) (string, error) {
	if f == nil {
		return "", nil
	}
	id := fmt.Sprintf("%s.%d.%d", run.SessionID, index, run.Fence)
	path, err := s.framePath(id)
	if err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	b, err := f.Within(longSide).JPEG(jpegQuality)
	if err != nil {
		return "", err
	}
	return id, explain(writeFile(path, b))
}

// writeFile puts a whole file at path or none, durably. A frame without a row is left over by a
// crash; it is harmless, and is replaced or deleted with its session.
func writeFile(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := makeDir(dir); err != nil {
		return err
	}
	if err := atomicwriter.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	return syncDir(dir)
}

// makeDir makes one folder; that it exists is on disk when it returns.
func makeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
