package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

type configCmd struct {
	Show   configShowCmd   `cmd:""`
	Import configImportCmd `cmd:""`
}

type configShowCmd struct {
	JSON bool
}

// Run prints the configuration, with the keys of models masked.
func (c *configShowCmd) Run(a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	if c.JSON {
		return printSettings(a.out, a.Conf)
	}
	return printList(a, false, a.Conf.Values(), "", "KEY VALUE FROM ENVIRONMENT",
		func(v config.Value) []any {
			return []any{v.Path, shown(v.Value), a.term(v.Origin), v.Env}
		})
}

// shown is a value as a table shows it: without the secrets of addresses, and harmless for a
// terminal.
func shown(v any) string {
	value, ok := v.(string)
	if !ok {
		value = strings.TrimPrefix(fmt.Sprint(v), "map[]")
	}
	return text.Line(text.Addresses(value))
}

// printSettings prints the settings for programs.
func printSettings(out io.Writer, conf *config.Loaded) error {
	type entry struct {
		Value  json.RawMessage `json:"value"`
		Origin string          `json:"from"`
		Env    string          `json:"environment"`
	}
	all := map[string]entry{}
	for _, v := range conf.Values() {
		if d, ok := v.Value.(fmt.Stringer); ok {
			v.Value = d.String()
		}
		value, err := json.Marshal(v.Value)
		if err != nil {
			return err
		}
		value = []byte(text.Addresses(string(value)))
		all[v.Path] = entry{json.RawMessage(value), v.Origin, v.Env}
	}
	return printJSON(out, all)
}

type configImportCmd struct {
	Server string `arg:"" type:"existingfile"`
	Models string `arg:"" type:"existingfile"`
	Output string `short:"o" placeholder:"FILE"`
	Force  bool
}

// Run writes the imported configuration and says what was not taken over.
func (c *configImportCmd) Run(a *invocation) error {
	file, notes, err := config.ImportGelab(c.Server, c.Models)
	if err != nil {
		return err
	}
	if err := c.write(a, file); err != nil {
		return err
	}
	for _, n := range notes {
		a.notef("note: %v", n)
	}
	return nil
}

func (c *configImportCmd) write(a *invocation, file []byte) error {
	if c.Output == "-" {
		_, err := a.out.Write(file)
		return err
	}
	path := c.Output
	if path == "" {
		path, _ = config.Path(&a.Options)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	open := files.Create // it may hold a key
	if c.Force {
		open = files.Overwrite
	}
	f, err := open(path)
	if errors.Is(err, fs.ErrExist) {
		return hint.Add(fmt.Errorf("%s exists already", path),
			"pass --force to overwrite it, or -o with another file")
	}
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	_, err = f.Write(file)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	a.notef("wrote %s", path)
	return nil
}
