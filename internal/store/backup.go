package store

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store/pictures"
)

// A backup is a tar archive: the summary, the database, small files of the data folder with its
// skills, and the pictures. Nothing in it is compressed, as pictures are already.

// Summary is what a backup holds.
type Summary struct {
	Format    int       `json:"format"`
	Made      time.Time `json:"made_at"`
	Schema    int       `json:"schema"`
	Sessions  int       `json:"sessions"`
	Steps     int       `json:"steps"`
	Questions int       `json:"questions"`
	Audit     int       `json:"audit"`
	Pictures  int       `json:"pictures"`
	Skills    int       `json:"skills"`
	Sum       string    `json:"sha256"` // of all but the pictures, whose steps have theirs
}

const (
	backupFormat = 1
	summaryName  = "backup.json"
	skillsDir    = "skills"
)

// extras are the small files of a data folder that are in a backup if they are there, besides those
// of skills, whose names are like skillName.
var (
	extras    = []string{vaultName, "tokens.json"}
	skillName = regexp.MustCompile(`^` + skillsDir + `/[a-z0-9][a-z0-9._-]*\.yaml$`)
)

// smallFile is a file of a data folder that is read whole. Its name is that within the folder.
type smallFile struct {
	name    string
	content []byte
}

// picture is the file of a frame, as the row of its step knows it.
type picture struct {
	id    string
	bytes int
	sum   []byte
}

// Backup writes all that the store holds to the file, while others go on with it, and reads it back
// into memory before the file gets its name. What was stored before the call is in it, but pictures
// that are not in the data folder, which stay where they are. It replaces no file that is not a
// backup.
func (s *Store) Backup(ctx context.Context, path string) (sum Summary, err error) {
	defer func() { err = doing(explain(filepath.Dir(path), err), "backing up to %s", path) }()
	lite, own := s.engine.(sqliteEngine)
	if !own {
		return sum, hint.Add(errors.New("the database is not in the data folder"),
			"back it up with pg_dump, and the folders frames and skills of "+s.home)
	}
	if err := replaceable(path); err != nil {
		return sum, err
	}
	sweep(filepath.Dir(path), workPrefix, 24*time.Hour)
	work, err := os.MkdirTemp(filepath.Dir(path), workPrefix+"*")
	if err != nil {
		return sum, hint.Add(err, hintWritable)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	image := filepath.Join(work, dbName)
	if err := lite.vacuumInto(ctx, s.db, image); err != nil {
		return sum, err
	}
	copied, known, err := inspect(ctx, image)
	if err != nil {
		return sum, err
	}
	copied.Made = s.now()
	fresh := filepath.Join(work, "backup")
	if err := archive(ctx, s, fresh, image, &copied, known); err != nil {
		return sum, err
	}
	read, err := verify(ctx, fresh)
	if err == nil {
		err = whole(read, copied)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err == nil {
		err = pictures.SyncDir(filepath.Dir(path))
	}
	return copied, err
}

// workPrefix begins the names of folders in which backups are made.
const workPrefix = ".taploop-backup-"

// sweep removes the folders with such names that are older: processes that were killed left them.
func sweep(dir, prefix string, older time.Duration) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), prefix) &&
			time.Since(info.ModTime()) >= older {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // else it stays, and does no harm
		}
	}
}

// replaceable refuses to write a backup over something else.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return hint.Add(errors.New("it is a folder"), "name a file in it")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := readSummary(tar.NewReader(f)); err != nil {
		return hint.Add(errors.New("the file is there, and is no backup"), "name another file")
	}
	return nil
}

// archive writes the backup. A picture that is gone by now is left out: what retention deletes
// meanwhile is not lost by it.
func archive(ctx context.Context, s *Store, path, image string, sum *Summary,
	all []picture) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	// The summary is the first entry, and has to know the pictures.
	dir, own := s.frames.Keeper.(pictures.Folder)
	if !own {
		all = nil
	}
	there := existing(dir, all)
	w := tar.NewWriter(out)
	sum.Pictures = len(there)
	small, err := s.readExtras()
	for _, f := range small {
		if skillName.MatchString(f.name) {
			sum.Skills++
		}
	}
	if err == nil {
		sum.Sum, err = sumOf(image, small)
	}
	text, failed := json.Marshal(sum)
	if err = errors.Join(err, failed); err == nil {
		err = addBytes(w, summaryName, text)
	}
	if err == nil {
		err = addFile(w, dbName, image)
	}
	for _, f := range small {
		if err == nil {
			err = addBytes(w, f.name, f.content)
		}
	}
	for _, name := range there {
		if err == nil {
			err = cmp.Or(context.Cause(ctx), addFile(w, framesDir+"/"+name, dir.Where(name)))
		}
	}
	return errors.Join(err, w.Close(), out.Sync())
}

// existing returns the names of the pictures that the folder has.
func existing(dir pictures.Folder, all []picture) (names []string) {
	for _, p := range all {
		name, _, _, err := pictureName(p.id)
		if err == nil {
			_, err = os.Stat(dir.Where(name))
		}
		if err == nil {
			names = append(names, name)
		}
	}
	return names
}

// readExtras reads the small files that are there.
func (d *db) readExtras() (all []smallFile, err error) {
	names := slices.Clone(extras)
	skills, err := os.ReadDir(filepath.Join(d.home, skillsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range skills {
		if name := skillsDir + "/" + e.Name(); skillName.MatchString(name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		in := d.dir
		if skillName.MatchString(name) {
			in = d.home
		}
		b, err := files.Found(filepath.Join(in, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, smallFile{name, b})
	}
	return all, nil
}

// sumOf is the sum of a backup's database and small files.
func sumOf(image string, small []smallFile) (string, error) {
	f, err := os.Open(image)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	for _, f := range small {
		h.Write(f.content)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func addBytes(w *tar.Writer, name string, b []byte) error {
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(b))})
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

func addFile(w *tar.Writer, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(),
			ModTime: info.ModTime()})
	}
	if err == nil {
		_, err = io.CopyN(w, f, info.Size())
	}
	return err
}

// readSummary reads the first entry of a backup.
func readSummary(r *tar.Reader) (sum Summary, err error) {
	no := hint.Add(errors.New("the file is no backup of taploop"),
		"name a file that taploop backup wrote, or the copy that an upgrade left: "+
			"taploop.db.schemaN")
	h, err := r.Next()
	if err != nil || h.Name != summaryName || h.Size > 1<<16 {
		return sum, no
	}
	b, err := io.ReadAll(r)
	if err != nil || json.Unmarshal(b, &sum) != nil || sum.Format == 0 {
		return sum, no
	}
	if sum.Format > backupFormat {
		return sum, hint.Add(fmt.Errorf("the backup is written in form %d, this program reads %d",
			sum.Format, backupFormat), "use the newer taploop")
	}
	return sum, notNewer(sum.Schema)
}
