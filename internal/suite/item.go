package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
func (s *Suite) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.File), name)
}

// One is the one file of the suite's folder that a pattern names. In it, ** is any folders.
func (s *Suite) One(pattern string) (string, error) {
	found, err := doublestar.FilepathGlob(s.Path(pattern))
	if err != nil {
		return "", fmt.Errorf("%s is no pattern of files: %w", pattern, err)
	}
	found = slices.DeleteFunc(found, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular()
	})
	if len(found) != 1 {
		return "", fmt.Errorf("%s is %d files of the suite's folder, want one", pattern, len(found))
	}
	return found[0], nil
}

// Folder is a name for files about the item, which no other item has.
func (i *Item) Folder() string { return i.key(i.Suite.File) }

// key is a name for files, which no other item of the suite has, or of any with its file.
func (i *Item) key(file string) string {
	sum := sha256.Sum256([]byte(i.Suite.Name + "\x00" + i.Case.Name + "\x00" + i.Name + file))
	return slug(i.Suite.Name) + "-" + slug(i.Name) + "-" + hex.EncodeToString(sum[:4])
}

// Cassette is the file of the item's recording.
func (i *Item) Cassette() string {
	if i.Case.Cassette == "" {
		return i.Suite.Path(filepath.Join("cassettes", i.key("")+".jsonl"))
	}
	file := i.Suite.Path(i.Case.Cassette)
	if i.Row == 0 {
		return file
	}
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(file, ext), i.Row, ext)
}

var noSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug is the beginning of a name in letters that every file system takes.
func slug(name string) string {
	s := strings.Trim(noSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.Trim(s[:min(len(s), 40)], "-")
}
