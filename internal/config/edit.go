package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// Edit is a change of a configuration file that is not written yet.
type Edit struct {
	Path   string
	Before []byte // nil when there is no file
	After  []byte
}

// NewEdit sets keys below a place of the file, for example model, or models and a profile's name.
// Every other character of the file stays, comments included. A file in which the keys cannot be
// set that way is an error whose hint says what to write.
func NewEdit(path string, below []string, set map[string]string) (*Edit, error) {
	e := &Edit{Path: path}
	var err error
	if e.Before, err = files.Read(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	e.After = e.Before
	if err := e.Set(below, set); err != nil {
		return nil, err
	}
	return e, nil
}

// Set is NewEdit for further keys of the same file.
func (e *Edit) Set(below []string, set map[string]string) error {
	path := e.Path
	var want map[string]any
	if err := decode(e.After, path, &want); err != nil {
		return err
	}
	if want == nil { // an empty file, or comments alone
		want = map[string]any{}
	}
	at := want
	for _, name := range below {
		next, ok := at[name].(map[string]any)
		if !ok && at[name] != nil {
			return byHand(path, fmt.Errorf("%s is no map", name), below, set)
		}
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	for key, value := range set {
		at[key] = value
	}
	if err := e.splice(below, set, want); err != nil {
		return byHand(path, err, below, set)
	}
	return nil
}

// Reset is Set for keys that the file has already; it adds none.
func (e *Edit) Reset(below []string, set map[string]string) error {
	var at map[string]any
	if err := decode(e.After, e.Path, &at); err != nil {
		return err
	}
	for _, name := range below {
		at, _ = at[name].(map[string]any)
	}
	there := maps.Clone(set)
	maps.DeleteFunc(there, func(key, _ string) bool { return at[key] == nil })
	if len(there) == 0 {
		return nil
	}
	return e.Set(below, there)
}

// splice sets the keys in the text of the file, and makes sure that it then has the wanted meaning.
func (e *Edit) splice(below []string, set map[string]string, want map[string]any) (err error) {
	defer func() { // the parser panics on some files
		if r := recover(); r != nil {
			err = fmt.Errorf("%w (%v)", errForm, r)
		}
	}()
	text, end := string(e.After), "\n"
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") {
		text, end = strings.ReplaceAll(text, "\r\n", "\n"), "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if text, err = splice(text, append(slices.Clone(below), key), set[key]); err != nil {
			return err
		}
	}
	e.After = []byte(strings.ReplaceAll(text, "\n", end))
	var got map[string]any
	if yaml.Unmarshal(e.After, &got) != nil || !reflect.DeepEqual(got, want) {
		return errForm
	}
	return nil
}

// byHand says what to write where, when the program cannot.
func byHand(path string, err error, below []string, set map[string]string) error {
	text, _ := yaml.Marshal(nested(below, set))
	return hint.Add(fmt.Errorf("changing %s: %w", path, err),
		"write into it by hand:\n"+strings.TrimRight(string(text), "\n"))
}

// Write writes the file, whole or not at all. One that is new is readable by this user only.
func (e *Edit) Write() error {
	path, mode := e.Path, os.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	now, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(now, e.Before) || err != nil && e.Before != nil {
		return hint.Add(fmt.Errorf("%s was changed by another program meanwhile", e.Path),
			"run the command again")
	}
	err = os.MkdirAll(filepath.Dir(path), 0o755)
	if err = errors.Join(err, atomicwriter.WriteFile(path, e.After, mode)); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}
