package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/skill"
)

// Item is a case with the values of one row filled in: the unit of runs and reports.
type Item struct {
	Suite *Suite
	Case  Case
	Name  string // of the case, with its row
	Row   int    // from 1, 0 if the case has no rows
	// Setup and Teardown are those of Each.
	Setup, Teardown []Line
	Stages          []Stage
}

// Stage is a part of a case: a task with what is to be true after it. A suite's case has one.
type Stage struct {
	Task   string
	Expect []Expect
	Skill  *skill.Plan // that is repeated, or nil
}

// foreign is a case of a file in another format: one that has a task for each stage.
func foreign(s *Suite, name string, at keys.Position, stages []Stage) *Item {
	i := &Item{Suite: s, Name: name, Stages: stages}
	i.Case.Name = name
	i.Case.Put(at)
	return i
}

// At is where the case stands.
func (i *Item) At() keys.Position { return i.Case.At() }

// Tags are those of the suite and of the case.
func (i *Item) Tags() []string { return slices.Concat(i.Suite.Tags, i.Case.Tags) }

// Budget is what an attempt may use. What the case leaves open is the suite's.
func (i *Item) Budget() Budget {
	b, s := i.Case.Budget, i.Suite.Budget
	return Budget{Place: b.Place, Steps: cmp.Or(b.Steps, s.Steps), Time: cmp.Or(b.Time, s.Time),
		Tokens: cmp.Or(b.Tokens, s.Tokens), Cost: cmp.Or(b.Cost, s.Cost)}
}

// newSuite is a suite with the name of its file.
func newSuite(file, ext string) *Suite {
	return &Suite{File: file, Name: strings.TrimSuffix(filepath.Base(file), ext)}
}

// Path is a path of the suite's file, from its folder.
func (s *Suite) Path(name string) string { return filepath.Join(filepath.Dir(s.File), name) }

var errNoFile = errors.New("no regular file")

// Open opens a file of the suite's folder, and none to which a link leads out of it.
func (s *Suite) Open(name string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(s.File))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	of, is := errors.AsType[*fs.PathError](err)
	switch {
	case is:
		return nil, fmt.Errorf("%s: %w", name, of.Err)
	case !info.Mode().IsRegular(): // opening a pipe might never end
		return nil, fmt.Errorf("%s is %w", name, errNoFile)
	}
	return root.Open(name)
}

// One opens the one file of the suite's folder that a pattern names. In it, ** is any folders.
func (s *Suite) One(pattern string) (*os.File, error) {
	found, err := doublestar.Glob(os.DirFS(filepath.Dir(s.File)),
		path.Clean(filepath.ToSlash(pattern)), doublestar.WithFilesOnly())
	if err != nil || len(found) != 1 {
		return nil, cmp.Or(err, fmt.Errorf("%s is %d files of the suite's folder, want one",
			pattern, len(found)))
	}
	return s.Open(found[0])
}

// Folder is a name for files about the item, which no other item has.
func (i *Item) Folder() string { return i.key(i.Suite.File) }

// key is a name for files, which no other item of the suite has, or of any with its file.
func (i *Item) key(file string) string {
	sum := sha256.Sum256([]byte(i.Suite.Name + "\x00" + i.Case.Name + "\x00" + i.Name + file))
	return slug(i.Suite.Name) + "-" + slug(i.Name) + "-" + hex.EncodeToString(sum[:4])
}

// Cassette is the file of the item's recording.
func (i *Item) Cassette() string { return i.Suite.Path(i.recording()) }

func (i *Item) recording() string {
	file := cmp.Or(i.Case.Cassette, filepath.Join("cassettes", i.key("")+".jsonl"))
	if i.Case.Cassette == "" || i.Row == 0 {
		return file
	}
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(file, ext), i.Row, ext)
}

// leadsOut reports whether the item's recording is not below the suite's folder.
func (i *Item) leadsOut() bool {
	f, err := i.Suite.Open(i.recording())
	_ = f.Close()
	_, systems := errors.AsType[syscall.Errno](err) // what is there may be unreadable
	return !filepath.IsLocal(i.recording()) || err != nil && !systems && !errors.Is(err, errNoFile)
}

var noSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug is the beginning of a name in letters that every file system takes.
func slug(name string) string {
	s := strings.Trim(noSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.Trim(s[:min(len(s), 40)], "-")
}
