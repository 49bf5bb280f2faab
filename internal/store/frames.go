package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store/pictures"
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

// frames are the pictures of the steps.
type frames struct {
	pictures.Keeper
	saving sync.WaitGroup // in the background
}

// pictureName is the name of the picture of the frame with the id, of that session and step.
func pictureName(id string) (name, sessionID, step string, err error) {
	m := frameID.FindStringSubmatch(id)
	if m == nil {
		return "", "", "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	return m[1] + "/" + m[2] + "." + m[3] + ".jpeg", m[1], m[2], nil
}

// sessions are those that have pictures.
func (f *frames) sessions(ctx context.Context) (map[string]bool, error) {
	there := map[string]bool{}
	for p, err := range f.List(ctx, "") {
		if err != nil {
			return nil, err
		}
		there[path.Dir(p.Name)] = true
	}
	return there, nil
}

// prune deletes the frames of the sessions that are not known.
func (f *frames) prune(ctx context.Context, known func() ([]string, error)) error {
	// The pictures come first: a session made in between is then known when its pictures are.
	there, err := f.sessions(ctx)
	if err != nil {
		return err
	}
	ids, err := known()
	for _, id := range ids {
		delete(there, id)
	}
	for id := range there {
		if err == nil {
			err = f.Delete(ctx, id)
		}
	}
	return err
}

// frameFile is a frame that was put. A file of it is not synced: the row of its step has the length
// and the SHA-256 of what was written, so that a file which a crash of the machine has cut short,
// or left with something else in it, is not taken for the frame.
type frameFile struct {
	id, name string // "" for none
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
	name, _, _, err := pictureName(id)
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
	if err := f.Put(ctx, name, b); err != nil {
		return frameFile{}, explain("", err)
	}
	sum := sha256.Sum256(b)
	return frameFile{id, name, len(b), sum[:]}, nil
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
