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
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/userfile"
)

// Edit is a change of a configuration file that is not written yet.
type Edit struct {
	Path   string
	Before []byte // nil when there is no file
	After  []byte
}

// NewEdit sets keys below a place of the file, for example model, or models and a profile's name.
// Comments and all other values stay. A file that cannot be changed so is an error.
func NewEdit(path string, below []string, set map[string]string) (*Edit, error) {
	e := &Edit{Path: path}
	var err error
	if e.Before, err = userfile.Read(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var want map[string]any
	if err := decode(e.Before, path, &want); err != nil {
		return nil, err
	}
	if want == nil { // nothing, or comments alone
		want = map[string]any{}
	}
	nothing := len(want) == 0
	at := want
	for _, name := range below {
		next, ok := at[name].(map[string]any)
		if !ok && at[name] != nil {
			return nil, byHand(path, fmt.Errorf("%s is no map", name), below, set)
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
	before, end := string(e.Before), "\n"
	if n := strings.Count(before, "\r\n"); n > 0 && n == strings.Count(before, "\n") {
		before, end = strings.ReplaceAll(before, "\r\n", "\n"), "\r\n"
	}
	if nothing {
		text, err := yaml.Marshal(want)
		if strings.TrimSpace(before) != "" {
			text = append([]byte(strings.TrimRight(before, "\n")+"\n"), text...)
		}
		e.After = bytes.ReplaceAll(text, []byte("\n"), []byte(end))
		return e, err
	}
	if err := e.merge(before, end, below, set, want); err != nil {
		return nil, byHand(path, err, below, set)
	}
	return e, nil
}

// byHand says what to write where, when the program cannot.
func byHand(path string, err error, below []string, set map[string]string) error {
	var v any = set
	for _, name := range slices.Backward(below) {
		v = map[string]any{name: v}
	}
	text, _ := yaml.Marshal(v)
	return hint.Add(fmt.Errorf("changing %s: %w", path, err),
		"write into it by hand:\n"+strings.TrimRight(string(text), "\n"))
}

// merge sets the keys in the file's own text, whose lines end in that way, and makes sure that it
// then says what is wanted.
func (e *Edit) merge(
	before, end string, below []string, set map[string]string, want map[string]any,
) (err error) {
	defer func() { // the parser is for files that people have written well
		if r := recover(); r != nil {
			err = fmt.Errorf("its form is not one that can be kept (%v)", r)
		}
	}()
	if after, ok := spliced(before, below, set); ok && e.says(after, end, want) {
		return nil
	}
	file, err := parser.ParseBytes([]byte(before), parser.ParseComments)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if err := put(file, append(slices.Clone(below), key), set[key]); err != nil {
			return err
		}
	}
	if !e.says(strings.TrimRight(file.String(), "\n")+"\n", end, want) {
		return errors.New("its form is not one that can be kept")
	}
	return nil
}

// spliced sets the keys without touching anything else, where that can be done.
func spliced(text string, below []string, set map[string]string) (after string, ok bool) {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if text, ok = splice(text, below, key, set[key]); !ok {
			return "", false
		}
	}
	return text, true
}

// says makes the text, with its lines ended so, the new one, and reports whether it means what is
// wanted.
func (e *Edit) says(text, end string, want map[string]any) bool {
	e.After = []byte(strings.ReplaceAll(text, "\n", end))
	var got map[string]any
	return yaml.Unmarshal(e.After, &got) == nil && reflect.DeepEqual(got, want)
}

// put sets one value. What is missing above it is made.
func put(file *ast.File, path []string, value string) error {
	whole := at(path)
	if _, err := whole.FilterFile(file); err == nil {
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		return whole.ReplaceWithReader(file, bytes.NewReader(text))
	}
	for n := len(path) - 1; ; n-- {
		node, err := at(path[:n]).FilterFile(file)
		if err != nil && n > 0 {
			continue
		}
		m, ok := node.(*ast.MappingNode)
		var missing any = value
		for _, name := range slices.Backward(path[n:]) {
			missing = map[string]any{name: missing}
		}
		text, err := yaml.MarshalWithOptions(missing, yaml.Flow(ok && m.IsFlowStyle))
		if err != nil {
			return err
		}
		return at(path[:n]).MergeFromReader(file, bytes.NewReader(text))
	}
}

// at is a place in a file.
func at(path []string) *yaml.Path {
	b := new(yaml.PathBuilder).Root()
	for _, name := range path {
		b = b.Child(name)
	}
	return b.Build()
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
