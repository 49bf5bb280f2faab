package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/hint"
)

// Installed is the result of Install.
type Installed struct {
	Path    string // the client's file
	Changed bool   // false if the entry was already there
	Backup  string // the copy of the old file, "" if nothing changed or there was no file
}

// Path returns the path of the client's file.
func (c Client) Path(m Machine) (string, error) {
	if c.file == nil {
		return "", hint.Add(fmt.Errorf("%s keeps its settings where only it can write", c.Title),
			"paste what --print shows: "+c.Then)
	}
	return c.file(m)
}

// Install adds the server to the client's file. It replaces a different entry of the same name only
// if force is set. If it returns an error, the file is unchanged.
func (c Client) Install(m Machine, s Server, force bool) (Installed, error) {
	path, err := c.Path(m)
	if err != nil {
		return Installed{}, err
	}
	e, err := c.entry(s)
	if err != nil {
		return Installed{}, err
	}
	done := Installed{Path: path}
	target, old, err := readFile(path)
	if err != nil {
		return done, fmt.Errorf("reading the settings of %s: %w", c.Title, err)
	}
	merged, err := c.form.(merger).merge(old.text, e, s, path, force)
	if errors.Is(err, errPresent) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	done.Changed = true
	if old.there {
		if done.Backup, err = keep(target, old); err != nil {
			return done, fmt.Errorf("keeping a copy of %s: %w", path, err)
		}
	}
	if err := replace(target, old, merged); err != nil {
		return done, fmt.Errorf("writing the settings of %s: %w", c.Title, err)
	}
	return done, nil
}

// content is the content of a file before the change.
type content struct {
	there bool
	text  []byte
	mode  fs.FileMode
}

// readFile reads the file. target is its path with links resolved, as people link to settings kept
// elsewhere.
func readFile(path string) (target string, c content, err error) {
	if target, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return path, c, hint.Add(fmt.Errorf("%s is a link to a file that is not there", path),
				"make that file, or remove the link")
		}
		return path, content{mode: 0o600}, nil
	}
	if err != nil {
		return path, c, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return target, c, err
	}
	c.there, c.mode = true, info.Mode().Perm()
	c.text, err = os.ReadFile(target)
	return target, c, err
}

// keep copies the file to a backup next to it with the same permissions.
func keep(target string, c content) (string, error) {
	name := target + ".taploop-" + time.Now().Format("20060102-150405.000") + ".bak"
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, c.mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(c.text)
	return name, errors.Join(err, f.Sync(), f.Close())
}

// replace atomically replaces the file, unless another program has changed it in the meantime.
func replace(target string, was content, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	now, err := os.ReadFile(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fs.ErrNotExist) == was.there || !bytes.Equal(now, was.text) {
		return hint.Add(errors.New("the file has changed meanwhile"),
			"close the program that it belongs to and call again")
	}
	return atomicwriter.WriteFile(target, text, was.mode)
}

// Says puts into words what Install has done.
func (c Client) Says(done Installed) string {
	switch {
	case !done.Changed:
		return fmt.Sprintf("%s has the entry %s already; nothing was changed", done.Path,
			Entry)
	case done.Backup == "":
		return fmt.Sprintf("made %s with the entry %s; if %s never ran here, that is not where "+
			"it looks", done.Path, Entry, c.Title)
	}
	return fmt.Sprintf("added the entry %s to %s; as it was: %s", Entry, done.Path,
		done.Backup)
}
