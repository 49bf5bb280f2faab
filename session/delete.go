package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lazyregexp"
	"github.com/taploop/taploop/screen"
)

// Delete removes a session with its runs, steps, frames and questions; what the audit tells of them
// stays. One whose run is queued, running or waiting for a person is refused with a *StateError.
func (s *Store) Delete(ctx context.Context, sessionID string) error {
	deleted, err := s.delete(ctx, sessionID, time.Time{})
	if err == nil && !deleted {
		err = listHint(fmt.Errorf("session %q: %w", sessionID, ErrNotFound))
	}
	return doing(err, "deleting a session")
}

// delete reports false when there is no such session, or one that changed since before, unless that
// is zero.
func (s *Store) delete(ctx context.Context, id string, before time.Time) (deleted bool, err error) {
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := notBusy(ctx, tx, id); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx,
			"DELETE FROM sessions WHERE id = ?1 AND (?2 = 0 OR updated_at < ?2)",
			id, millis(before)))
		if err != nil || n == 0 {
			return err
		}
		deleted = true // with, by reference, all that is its own; but questions have no reference
		err = exec(ctx, tx, "DELETE FROM answers WHERE session_id = ? AND session_id <> ''", id)
		if err != nil {
			return err
		}
		return exec(ctx, tx, "DELETE FROM questions WHERE session_id = ?", id)
	})
	if err == nil && deleted {
		err = s.deleteFrames(id)
	}
	return deleted, err
}

func notBusy(ctx context.Context, tx *sql.Tx, sessionID string) error {
	r, err := scanRow[Run](tx.QueryRowContext(ctx, "SELECT "+runColumns+` FROM runs r
		WHERE session_id = ? AND ended_at = 0 AND state <> 'PAUSED'`, sessionID))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return hint.Add(&StateError{RunID: r.ID, State: r.State, Fence: r.Fence},
		"stop the session first")
}

// deleteFrames comes after the rows: a crash in between leaves pictures without a session, which
// Prune removes, and never a step without its picture.
func (s *Store) deleteFrames(sessionID string) error {
	return os.RemoveAll(filepath.Join(s.dir, framesDir, sessionID))
}

// Prune deletes the sessions in which nothing happened since before, except those that Delete
// refuses, and frames that belong to no session. It returns how many sessions it deleted.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	ids, err := collect(ctx, s.read, scanID, "SELECT id FROM sessions WHERE updated_at < ?",
		millis(before))
	if err != nil {
		return 0, fmt.Errorf("looking for old sessions: %w", err)
	}
	n := 0
	for _, id := range ids {
		deleted, err := s.delete(ctx, id, before)
		var busy *StateError
		if err != nil && !errors.As(err, &busy) {
			return n, fmt.Errorf("deleting old sessions: %w", err)
		}
		if deleted {
			n++
		}
	}
	if err := s.pruneFrames(ctx); err != nil {
		return n, fmt.Errorf("removing frames without a session: %w", err)
	}
	return n, nil
}

func scanID(row scanner) (id string, err error) {
	err = row.Scan(&id)
	return id, err
}

func (s *Store) pruneFrames(ctx context.Context) error {
	// The folders are read first: a session made in between is then known when its folder is.
	entries, err := os.ReadDir(filepath.Join(s.dir, framesDir))
	if err != nil {
		return err
	}
	ids, err := collect(ctx, s.read, scanID, "SELECT id FROM sessions")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			if err := s.deleteFrames(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Frames are kept in a form in which text can be read and a thousand steps are 50 MB: the longest
// side in pixels, and the JPEG's quality of 100.
const (
	longSide    = 1280
	jpegQuality = 80
)

// A frame's id is session, step and the life of the run that looked, "abc.12.3": a writer from a
// former life cannot replace the picture that its successor acted on.
var frameID = lazyregexp.New(`^([a-z0-9]+)\.(\d+)\.(\d+)$`)

func (s *Store) framePath(id string) (string, error) {
	m := frameID.FindStringSubmatch(id)
	if m == nil {
		return "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	}
	return filepath.Join(s.dir, framesDir, m[1], m[2]+"."+m[3]+".jpeg"), nil
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

// Frame returns a frame of a step as JPEG, or ErrNotFound, or ErrFrameLost.
func (s *Store) Frame(ctx context.Context, id string) ([]byte, error) {
	b, _, err := s.frame(ctx, id)
	return b, err
}

// FramePath is the file that keeps a frame. Its errors are those of Frame.
func (s *Store) FramePath(ctx context.Context, id string) (string, error) {
	_, path, err := s.frame(ctx, id)
	return path, err
}

func (s *Store) frame(ctx context.Context, id string) ([]byte, string, error) {
	path, err := s.framePath(id)
	if err != nil {
		return nil, "", err
	}
	var size int
	var sum []byte
	m := frameID.FindStringSubmatch(id)
	row := s.read.QueryRowContext(ctx, `SELECT frame_bytes, frame_sum FROM steps
		WHERE session_id = ? AND idx = ? AND frame = ?`, m[1], m[2], id)
	if err := row.Scan(&size, &sum); errors.Is(err, sql.ErrNoRows) {
		return nil, "", fmt.Errorf("frame %q: %w", id, ErrNotFound)
	} else if err != nil {
		return nil, "", doing(err, "looking for frame %q", id)
	}
	b, err := os.ReadFile(path)
	guarded := len(sum) > 0 // former versions synced each file
	switch got := sha256.Sum256(b); {
	case errors.Is(err, fs.ErrNotExist) && !guarded:
		err = fmt.Errorf("frame %q: %w", id, ErrNotFound)
	case guarded && (errors.Is(err, fs.ErrNotExist) ||
		err == nil && (len(b) != size || !bytes.Equal(got[:], sum))):
		err = fmt.Errorf("frame %q: %w", id, ErrFrameLost)
	}
	if err != nil {
		return nil, "", err
	}
	return b, path, nil
}

// saveFrame keeps the frame under the id. A file without a row is left over by a crash; it is
// harmless, and is replaced or deleted with its session.
func (s *Store) saveFrame(ctx context.Context, id string, f *screen.Frame) (frameFile, error) {
	path, err := s.framePath(id)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return frameFile{}, err
	}
	b, err := f.Within(longSide).JPEG(jpegQuality)
	if err != nil {
		return frameFile{}, err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return frameFile{}, explain(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return frameFile{}, explain(err)
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
