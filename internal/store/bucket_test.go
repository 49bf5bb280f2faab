package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/s3test"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// signed has the process sign with the keys that the server knows.
func signed(t *testing.T) *s3test.Server {
	t.Helper()
	for name, value := range s3test.Keys {
		t.Setenv(name, value)
	}
	return s3test.Start(t)
}

func firstFrame(t *testing.T, s *store.Store, r store.Run) string {
	t.Helper()
	list, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	return list[0].FrameID
}

// Two machines of one database, of which each shows the pictures that the other took.
func TestPicturesInABucketAreThoseOfAllMachines(t *testing.T) {
	server := signed(t)
	opts := &store.Options{Frames: server.URL(s3test.Bucket, "farm 1"), Patience: 5 * time.Second}
	dir := t.TempDir()
	s, other := open(t, dir, opts), open(t, dir, opts)
	r, old := past(t, s, store.Completed), past(t, s, store.Completed)
	require.Equal(t, 2, pictures(t, other, r))
	entries, err := os.ReadDir(filepath.Join(dir, "frames"))
	require.NoError(t, err)
	require.Empty(t, entries, "none is on this machine's disk")
	require.NoError(t, other.Check(t.Context()))
	path, err := s.FramePath(t.Context(), firstFrame(t, s, r))
	require.NoError(t, err)
	require.Regexp(t, `^s3://frames/farm 1/[0-9a-f]{16}/`+r.SessionID+`/1\.\d\.jpeg$`, path)

	stranger := open(t, t.TempDir(), opts) // another farm in the same bucket
	theirs := past(t, stranger, store.Completed)
	gone := firstFrame(t, stranger, theirs)
	_, err = stranger.Prune(t.Context(), time.Now().Add(time.Hour), store.AuditEntry{})
	require.NoError(t, err)
	_, err = stranger.Frame(t.Context(), gone)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, 2, pictures(t, s, r), "what is of no session there is not all in the bucket")

	require.NoError(t, other.Delete(t.Context(), old.SessionID, store.AuditEntry{}))
	require.Equal(t, 2, pictures(t, s, r))
	done, err := other.Retain(t.Context(), store.Retention{Disk: 1})
	require.NoError(t, err)
	require.Equal(t, 2, done.Pictures)
	require.Zero(t, pictures(t, s, r))
}

// The bucket goes away while a run goes on: the run ends as on a full disk, and can be continued.
func TestABucketThatIsAwayIsAStoreThatTakesNoWrites(t *testing.T) {
	server := signed(t)
	s := open(t, t.TempDir(), &store.Options{Frames: server.URL(s3test.Bucket, ""),
		Patience: time.Second})
	r := started(t, s)
	j := s.Journal(r)
	require.NoError(t, j.Intent(t.Context(), seen(t, 1)))
	require.NoError(t, s.Farm.Room(t.Context()))
	server.Kill(t)
	for what, err := range map[string]error{
		"journaling": j.Intent(t.Context(), seen(t, 2)),
		"room":       s.Farm.Room(t.Context()),
		"checking":   s.Check(t.Context()),
	} {
		require.ErrorIs(t, err, store.ErrPictures, what)
		require.True(t, agentloop.Unwritable(err), what)
		require.Contains(t, hint.Of(err), "store.frames is up at", what)
	}
	_, err := s.Frame(t.Context(), firstFrame(t, s, r))
	require.NotErrorIs(t, err, store.ErrNotFound, "it is not lost")
	list, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, list, 1, "no intent without its picture: nothing was touched")
	server.Up(t)
	require.NoError(t, s.Farm.Room(t.Context()))
	require.NoError(t, j.Intent(t.Context(), seen(t, 2)))
	_, err = s.Frame(t.Context(), firstFrame(t, s, r))
	require.ErrorIs(t, err, store.ErrFrameLost, "a server that has lost it")
	require.ErrorContains(t, s.Check(t.Context()), "1 of 2 pictures are not in s3://frames/")
}

// Pictures are moved to a bucket and back, with the database or without.
func TestPicturesAreCopiedToABucketAndBack(t *testing.T) {
	server := signed(t)
	dir := t.TempDir()
	from, _ := furnished(t, dir)
	bucket := &store.Options{Frames: server.URL(s3test.Bucket, "")}
	there := open(t, dir, bucket)
	require.ErrorContains(t, there.Check(t.Context()), "pictures are not in s3://")
	require.NoError(t, from.Copy(t.Context(), there, nil), "of the same database")
	require.NoError(t, there.Check(t.Context()))
	require.NoError(t, from.Copy(t.Context(), there, nil), "and again")

	to := open(t, t.TempDir(), bucket)
	require.NoError(t, there.Copy(t.Context(), to, nil), "to where all pictures are already")
	home := t.TempDir()
	back := open(t, home, nil)
	require.NoError(t, to.Copy(t.Context(), back, nil))
	requireSame(t, from, back)
	require.NoError(t, back.Check(t.Context()))
	all, err := filepath.Glob(filepath.Join(home, "frames", "*", "*.jpeg"))
	require.NoError(t, err)
	require.Len(t, all, 36)

	// one is not whole where it was copied to: it is copied again
	require.NoError(t, os.WriteFile(all[0], []byte("half"), 0o600))
	require.NoError(t, to.Copy(t.Context(), back, nil))
	// one is another of the same size: the copy does not say that both are the same
	b, err := os.ReadFile(all[0])
	require.NoError(t, err)
	b[len(b)-1]++
	require.NoError(t, os.WriteFile(all[0], b, 0o600))
	require.ErrorContains(t, to.Copy(t.Context(), back, nil), "all else is copied: 1 of 36")
}

// A backup has no pictures of a bucket: they stay there, where the restored store finds them.
func TestABackupLeavesPicturesInTheirBucket(t *testing.T) {
	server := signed(t)
	dir, home := t.TempDir(), t.TempDir()
	opts := &store.Options{Frames: server.URL(s3test.Bucket, "")}
	s, err := store.Open(t.Context(), dir, opts)
	require.NoError(t, err)
	r := started(t, s)
	st := step(t, 1, actions.Home{})
	require.NoError(t, s.Journal(r).Intent(t.Context(), st))
	file := filepath.Join(home, "b.tar")
	sum, err := s.Backup(t.Context(), file)
	require.NoError(t, err)
	require.Zero(t, sum.Pictures)
	require.NoError(t, s.Close())
	_, _, err = store.Restore(t.Context(), file, filepath.Join(home, "d"), false)
	require.NoError(t, err)
	restored, err := store.Open(t.Context(), filepath.Join(home, "d"), opts)
	require.NoError(t, err)
	require.NoError(t, restored.Check(t.Context()))
	require.NoError(t, restored.Close())
}

// A picture that another machine keeps as a file is no picture that never was.
func TestAPictureOfAnotherMachineIsSaidToBeOne(t *testing.T) {
	if storetest.OnPostgres() {
		return
	}
	_, url := server(t)
	here := open(t, t.TempDir(), &store.Options{URL: url})
	there := open(t, t.TempDir(), &store.Options{URL: url})
	id := firstFrame(t, here, past(t, here, store.Completed))
	_, err := here.Frame(t.Context(), id)
	require.NoError(t, err)
	_, err = there.Frame(t.Context(), id)
	require.ErrorIs(t, err, store.ErrFrameAway)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Contains(t, hint.Of(err), "store.frames: s3://")
	_, err = there.Frame(t.Context(), "abc.1.1")
	require.NotErrorIs(t, err, store.ErrFrameAway, "which never was")
}
