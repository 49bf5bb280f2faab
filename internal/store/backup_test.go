package store_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// seen is a step with a picture.
func seen(t testing.TB, n int) agentloop.Step {
	st := step(t, n, actions.Home{})
	st.Screen.Frame = frame(t, 40, 90, color.RGBA{uint8(n), uint8(n >> 8), 9, 255})
	return st
}

func TestABackupUnderLoadLosesNothing(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.tar")
	s := open(t, dir, nil)
	broker := inquiry.NewBroker(s.Questions, nil)
	const writers = 4
	var runs [writers]store.Run
	var steps, asked [writers]atomic.Int64 // that are stored
	for i := range runs {
		runs[i] = started(t, s)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for i := range runs {
		writing.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				j, st := s.Journal(runs[i]), seen(t, n)
				if j.Intent(t.Context(), st) != nil ||
					j.Done(t.Context(), st, agentloop.Progress{Steps: n}) != nil {
					t.Error("a step was not stored")
					return
				}
				steps[i].Store(int64(n))
				_, err := broker.Open(t.Context(), inquiry.Question{Text: "and now?",
					SessionID: runs[i].SessionID, RunID: runs[i].ID, Fence: runs[i].Fence})
				if err != nil {
					t.Error(err)
					return
				}
				asked[i].Store(int64(n))
			}
		})
	}
	for round := range 5 {
		for steps[0].Load() < int64(5*round+5) {
			runtime.Gosched() // until there is something more
		}
		var before, questions [writers]int64
		for i := range runs {
			before[i], questions[i] = steps[i].Load(), asked[i].Load()
		}
		_, err := s.Backup(t.Context(), file)
		require.NoError(t, err)
		requireRestored(t, file, runs[:], before[:], questions[:])
	}
	stop()
	writing.Wait()
}

// requireRestored restores the backup, and looks for the steps with their pictures and the
// questions.
func requireRestored(t *testing.T, file string, runs []store.Run, steps, questions []int64) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "data")
	sum, _, err := store.Restore(t.Context(), file, copied, false)
	require.NoError(t, err)
	require.Equal(t, sum.Steps, sum.Pictures)
	back := open(t, copied, nil)
	defer back.Close()
	for i, r := range runs {
		list, err := back.Steps(t.Context(), r.SessionID, 0)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(list), int(steps[i]))
		for _, st := range list {
			_, err := back.Frame(t.Context(), st.FrameID)
			require.NoError(t, err)
		}
		open, err := back.Questions.List(t.Context(),
			inquiry.Filter{SessionID: r.SessionID, Status: inquiry.Pending})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(open), int(questions[i]))
	}
}

func TestABackupIsNotRestoredOverWhatIsThere(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.tar")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens.json"), []byte("{}"), 0o600))
	s := open(t, dir, nil)
	r := started(t, s)
	killed := filepath.Join(filepath.Dir(file), ".taploop-backup-1") // while it made one
	require.NoError(t, os.MkdirAll(killed, 0o700))
	require.NoError(t, os.Chtimes(killed, time.Time{}, time.Now().Add(-25*time.Hour)))
	_, err := s.Backup(t.Context(), file)
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")

	_, _, err = store.Restore(t.Context(), file, dir, true)
	require.ErrorIs(t, err, store.ErrInUse)
	mark := s.Sign("test", "text")
	require.NoError(t, s.Close())
	_, _, err = store.Restore(t.Context(), file, dir, false)
	require.ErrorContains(t, err, "the data folder holds a database")
	require.Contains(t, hint.Of(err), "--replace")
	killed = filepath.Join(dir, ".restore-1")
	require.NoError(t, os.MkdirAll(killed, 0o700))
	_, kept, err := store.Restore(t.Context(), file, dir, true)
	require.NoError(t, err)
	require.NoDirExists(t, killed)
	require.DirExists(t, filepath.Join(kept, "frames"))
	again := open(t, dir, nil)
	require.Equal(t, mark, again.Sign("test", "text"), "the key is the same")
	_, err = again.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "tokens.json"))

	other := filepath.Join(filepath.Dir(file), "notes.txt")
	require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
	_, err = again.Backup(t.Context(), other)
	require.ErrorContains(t, err, "the file is there, and is no backup")
	_, err = again.Backup(t.Context(), file)
	require.NoError(t, err, "a backup may take the place of one")
}

func TestABackupThatIsNotWholeIsRefused(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.tar")
	s := open(t, dir, nil)
	r := started(t, s)
	require.NoError(t, s.Journal(r).Intent(t.Context(), seen(t, 1)))
	_, err := s.Backup(t.Context(), file)
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	jpeg := bytes.LastIndex(whole, []byte("\xff\xd8\xff")) + 200
	page := bytes.Index(whole, []byte("CREATE TABLE steps"))
	newer, err := json.Marshal(store.Summary{Format: 1, Schema: 999})
	require.NoError(t, err)
	form, err := json.Marshal(store.Summary{Format: 2, Schema: store.Schema()})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"cut":      {whole[:len(whole)/2], "damaged"},
		"no end":   {whole[:1024], "damaged"},
		"picture":  {spoilt(whole, jpeg), "is another picture"},
		"database": {spoilt(whole, page-3000), "damaged"},
		"empty":    {nil, "the file is no backup"},
		"text":     {[]byte("hello"), "the file is no backup"},
		"newer":    {archive(t, "backup.json", newer), "newer than this program"},
		"form":     {archive(t, "backup.json", form), "written in form 2, this program reads 1"},
		"climbs": {archive(t, "backup.json", []byte(`{"format":1}`),
			"frames/../../x.jpeg", []byte("x")), "belongs to no step"},
		"stranger": {archive(t, "backup.json", []byte(`{"format":1}`),
			"skills/../x.yaml", []byte("x")), "has no place in it"},
		"skill": {archive(t, "backup.json", []byte(`{"format":1}`),
			"skills/x.yaml", []byte("x")), "does not hold what it says"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad.tar")
			require.NoError(t, os.WriteFile(bad, c.content, 0o600))
			into := filepath.Join(t.TempDir(), "data")
			_, _, err := store.Restore(t.Context(), bad, into, false)
			require.ErrorContains(t, err, c.says)
			require.NotEmpty(t, hint.Of(err))
			require.NoDirExists(t, into)
		})
	}
}

// A database that was copied as it lay there may lack what was written last, which stands in a file
// beside it.
func TestADatabaseThatWasCopiedInUseIsNoBackup(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s := open(t, dir, nil)
	started(t, s)
	_, err := s.Backup(t.Context(), filepath.Join(to, "whole.tar"))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	raw, err := os.ReadFile(filepath.Join(dir, "taploop.db"))
	require.NoError(t, err)
	whole, err := os.ReadFile(filepath.Join(to, "whole.tar"))
	require.NoError(t, err)
	head, _, _ := bytes.Cut(whole[512:], []byte{0})
	for name, content := range map[string][]byte{"taploop.db": raw,
		"packed.tar": archive(t, "backup.json", head, "taploop.db", raw)} {
		copied, into := filepath.Join(to, name), filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(copied, content, 0o600))
		_, _, err = store.Restore(t.Context(), copied, into, false)
		require.ErrorContains(t, err, "the database is a copy of one that was in use")
		require.NoDirExists(t, into)
		if name == "taploop.db" {
			require.Contains(t, hint.Of(err), "taploop backup")
		}
	}
}

// The skills of the data folder are part of what was stored. Two backups at once do not disturb
// each other.
func TestABackupHasTheSkills(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s := open(t, dir, nil)
	skills := map[string]string{"cart.yaml": "skill: cart\n", "cart.proposed.yaml": "skill: 2\n"}
	folder := filepath.Join(dir, "skills")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for name, content := range skills {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".cart.yaml~"), []byte("no"), 0o600))
	var both sync.WaitGroup
	for _, name := range []string{"a.tar", "b.tar", "a.tar"} {
		both.Go(func() {
			if sum, err := s.Backup(t.Context(), filepath.Join(to, name)); err != nil ||
				sum.Skills != 2 {
				t.Error(name, sum, err)
			}
		})
	}
	both.Wait()
	for _, name := range []string{"a.tar", "b.tar"} {
		copied := filepath.Join(t.TempDir(), "data")
		theirs := filepath.Join(copied, "skills", "theirs.yaml")
		require.NoError(t, os.MkdirAll(filepath.Dir(theirs), 0o700))
		require.NoError(t, os.WriteFile(theirs, nil, 0o600))
		sum, kept, err := store.Restore(t.Context(), filepath.Join(to, name), copied, false)
		require.NoError(t, err)
		require.Equal(t, 2, sum.Skills)
		require.FileExists(t, filepath.Join(kept, "skills", "theirs.yaml"))
		list, err := os.ReadDir(filepath.Join(copied, "skills"))
		require.NoError(t, err)
		require.Len(t, list, 2)
		for _, e := range list {
			b, err := os.ReadFile(filepath.Join(copied, "skills", e.Name()))
			require.NoError(t, err)
			require.Equal(t, skills[e.Name()], string(b))
		}
	}
	require.NoError(t, os.Truncate(filepath.Join(folder, "cart.yaml"), 16<<20+1))
	_, err := s.Backup(t.Context(), filepath.Join(to, "c.tar"))
	require.ErrorContains(t, err, "cart.yaml is longer than 16 MiB")
	require.NoError(t, os.Remove(filepath.Join(folder, "cart.yaml")))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "cart.yaml"), 0o700))
	_, err = s.Backup(t.Context(), filepath.Join(to, "c.tar"))
	require.ErrorContains(t, err, "cart.yaml is no regular file")
	require.NotEmpty(t, hint.Of(err))
}

// A process can be killed between any two moves of a restore. The next one that opens the folder,
// or restores into it, makes the others.
func TestARestoreThatWasKilledWhileItSwappedIsFinished(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup.tar")
	s := open(t, storetest.Dir(t), nil)
	kept := started(t, s)
	require.NoError(t, s.Journal(kept).Intent(t.Context(), seen(t, 1)))
	_, err := s.Backup(t.Context(), file)
	require.NoError(t, err)
	const swap, aside = ".swap-20260102T030405.678", "replaced-20260102T030405.678"
	moves := [][2]string{{"taploop.db-wal", aside}, {"taploop.db", aside},
		{swap + "/taploop.db", ""}, {"frames", aside}, {swap + "/frames", ""},
		{swap + "/answers.key", ""}}
	for n := range len(moves) + 1 {
		dir := storetest.Dir(t)
		s := open(t, dir, nil)
		old := started(t, s)
		require.NoError(t, s.Journal(old).Intent(t.Context(), seen(t, 2)))
		require.NoError(t, s.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, "taploop.db-wal"), []byte("old"), 0o600))
		_, _, err := store.Restore(t.Context(), file, filepath.Join(dir, swap), false)
		require.NoError(t, err)
		for _, more := range []string{"owners", "open.lock"} {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, swap, more)))
		}
		for _, m := range moves[:n] {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, m[1]), 0o700))
			require.NoError(t, os.Rename(filepath.Join(dir, m[0]),
				filepath.Join(dir, m[1], filepath.Base(m[0]))))
		}
		require.True(t, store.Exists(dir, ""))
		if n%2 == 1 {
			_, _, err := store.Restore(t.Context(), file, dir, false)
			require.ErrorContains(t, err, "the data folder holds a database")
		}
		back := open(t, dir, nil)
		_, err = back.Runs.Get(t.Context(), kept.ID)
		require.NoError(t, err)
		_, err = back.Runs.Get(t.Context(), old.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		steps, err := back.Steps(t.Context(), kept.SessionID, 0)
		require.NoError(t, err)
		_, err = back.Frame(t.Context(), steps[0].FrameID)
		require.NoError(t, err)
		require.NoDirExists(t, filepath.Join(dir, swap))
		require.FileExists(t, filepath.Join(dir, aside, "taploop.db"))
		require.FileExists(t, filepath.Join(dir, aside, "taploop.db-wal"))
		require.DirExists(t, filepath.Join(dir, aside, "frames"))
		require.NoError(t, back.Close())
	}
}

// spoilt returns the bytes with 16 others at the place.
func spoilt(b []byte, at int) []byte {
	b = bytes.Clone(b)
	for i := range 16 {
		b[at+i] ^= 0x5a
	}
	return b
}

func archive(t *testing.T, entries ...any) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(entries); i += 2 {
		content := entries[i+1].([]byte)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: entries[i].(string), Mode: 0o600,
			Size: int64(len(content))}))
		_, err := w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// The database can be elsewhere than the skills: they are those of the data folder.
func TestABackupHasTheSkillsOfTheDataFolderWhereverTheDatabaseIs(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "database")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skills"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "skills", "x.yaml"), []byte("x"), 0o600))
	s := open(t, dir, &store.Options{URL: store.SQLiteURL + elsewhere})
	started(t, s)
	file := filepath.Join(t.TempDir(), "backup.tar")
	sum, err := s.Backup(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, 1, sum.Skills)
	copied := t.TempDir()
	_, _, err = store.Restore(t.Context(), file, copied, false)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(copied, "skills", "x.yaml"))
}
