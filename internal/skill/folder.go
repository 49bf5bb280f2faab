package skill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/text"
)

// Folder is a folder of skills, a file each.
type Folder string

const (
	suffix   = ".yaml"
	proposed = ".proposed"
)

// ErrUnknown is returned for a skill that the folder does not have.
var ErrUnknown = errors.New("there is no skill")

// ErrStale is returned for a skill that is not the one any more that was healed.
var ErrStale = errors.New("what was healed is not written")

// Path is the file of a skill.
func (f Folder) Path(name string) string { return filepath.Join(string(f), name+suffix) }

// Names are those of the skills, sorted.
func (f Folder) Names() ([]string, error) {
	names, _, err := f.Files()
	return names, err
}

// Files are the names of the skills, sorted, and the files that are none for their own names.
func (f Folder) Files() (names []string, unread keys.Problems, err error) {
	list, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range list {
		end := filepath.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), end)
		switch wrong := checkName(name); {
		case wrong == nil && end == suffix:
			names = append(names, name)
		case !strings.HasSuffix(name, proposed) &&
			slices.Contains([]string{suffix, ".yml"}, strings.ToLower(end)):
			unread.Add(keys.Position{File: filepath.Join(string(f), e.Name())}, "%v", cmp.Or(wrong,
				fmt.Errorf("it is not read: name it %s, if there is none yet", name+suffix)))
		}
	}
	slices.Sort(names)
	return names, unread, err
}

// Listed is a skill as it is listed.
type Listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Params      json.RawMessage `json:"params"` // a JSON Schema
	App         string          `json:"app,omitempty"`
	Steps       int             `json:"steps"`
	Problem     string          `json:"problem,omitempty"` // why it cannot be run

	Names []string `json:"-"` // of the parameters
}

// List lists the skills by their names. One whose file cannot be read has a Problem.
func (f Folder) List() ([]Listed, error) {
	names, err := f.Names()
	list := []Listed{}
	for _, name := range names {
		one := Listed{Name: name}
		s, err := f.Read(name)
		if err == nil {
			one.Description, one.App = text.Cut(text.Line(s.Description), 300), s.App.Package
			one.Steps, one.Names = len(s.Steps), s.ParamNames()
			one.Params, err = json.Marshal(s.Params)
		}
		if err != nil {
			one.Problem = text.Cut(text.Line(err.Error()), 300)
		}
		list = append(list, one)
	}
	return list, err
}

// Stamp changes when a skill is written or removed.
func (f Folder) Stamp() (string, error) {
	names, err := f.Names()
	var b strings.Builder
	for _, name := range names {
		if info, err := os.Stat(f.Path(name)); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), err
}

// Read reads a skill, which has to bear the name of its file.
func (f Folder) Read(name string) (*Skill, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return f.read(name, f.Path(name))
}

func (f Folder) read(name, path string) (*Skill, error) {
	b, err := files.Found(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.Add(fmt.Errorf("%w %s", ErrUnknown, text.Quote(name, 64)),
			"the list of skills has their names, and taploop skill check the files that are none")
	}
	if err != nil {
		return nil, err
	}
	s, err := Parse(path, b)
	if err == nil && s.Name != name {
		err = keys.Problems{{Position: s.Of("name"),
			Text: fmt.Sprintf("name: want that of the file, %s, and not %s", name, s.Name)}}
	}
	return s, err
}

// Write writes a skill, whole or not at all.
func (f Folder) Write(s *Skill) error { return f.write(s, f.Path(s.Name)) }

func (f Folder) write(s *Skill, path string) error {
	b, err := s.YAML()
	if err != nil {
		return err
	}
	if _, err := Parse(path, b); err != nil { // it could not be read again
		return err
	}
	return files.Write(path, b)
}

// Remove removes a skill and what is proposed for it.
func (f Folder) Remove(name string) error {
	if _, err := f.Read(name); errors.Is(err, ErrUnknown) || checkName(name) != nil {
		return err
	}
	err := os.Remove(f.Path(name))
	if failed := os.Remove(f.Path(name + proposed)); !errors.Is(failed, fs.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return files.Unwritable(f.Path(name), err)
}

// Propose keeps a change of a skill until a person takes it.
func (f Folder) Propose(s *Skill) error { return f.write(s, f.Path(s.Name+proposed)) }

// Proposed returns the change that is proposed for a skill, or nil.
func (f Folder) Proposed(name string) (*Skill, error) {
	s, err := f.read(name, f.Path(name+proposed))
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	return s, err
}

// Take makes the proposal for a skill the skill. Its file keeps its mode, and stays if it has
// changed since then.
func (f Folder) Take(name string) error {
	from := f.Path(name + proposed)
	to, err := filepath.EvalSymlinks(f.Path(name)) // a link stays one
	was, failed := os.Stat(to)
	by, unread := os.Stat(from)
	switch err = cmp.Or(err, failed, unread); {
	case err == nil && was.ModTime().After(by.ModTime()):
		return fmt.Errorf("%w: %s has changed since then", ErrStale, to)
	case err == nil:
		err = os.Chmod(from, was.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(from, to)
	}
	return files.Unwritable(f.Path(name), err)
}
