package config

import (
	"errors"
	"fmt"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
)

// guardFile is the file that guard.file names.
type guardFile struct {
	Rules       []guard.Rule   `koanf:"rules"`
	InterruptOn map[string]any `koanf:"interrupt_on"`
}

// GuardPolicy reads the rules of the configuration, and of the file that guard.file names. It is
// nil when the configuration file has switched the guard off. The floor, which puts critical
// actions to a person, is lowered by the configuration file alone: what else switches the guard off
// leaves it. The reasons that it gives are in the language, zh or en.
func (l *Loaded) GuardPolicy(lang string, before ...guard.List) (*guard.Policy, error) {
	g := l.Guard
	if !g.Enabled && l.Origin("guard.enabled") == l.File {
		return nil, nil
	}
	o := &guard.Options{DescriptionPrefix: g.DescriptionPrefix, FloorOnly: !g.Enabled,
		AskAnyway: !g.TaskConsents, Lang: lang}
	listed, err := guard.InterruptOn(g.InterruptOn)
	bad := []error{err}
	o.Lists = append(before, guard.List{Name: "guard.rules", Rules: g.Rules})
	if g.File != "" {
		more, err := l.guardFile()
		bad = append(bad, err)
		o.Lists = append(o.Lists, more...)
	}
	o.Lists = append(o.Lists, guard.List{Name: "guard.interrupt_on", Rules: listed})
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return guard.New(o)
}

// guardFile reads the file of rules: a list of them, or rules and interrupt_on.
func (l *Loaded) guardFile() ([]guard.List, error) {
	path := l.Guard.File
	b, err := files.Read(path)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("reading guard.file: %w", err),
			"name a file of rules, or remove guard.file")
	}
	var content any
	if err := decode(b, path, &content); err != nil {
		return nil, err
	}
	if list, ok := content.([]any); ok {
		content = map[string]any{"rules": list}
	}
	var f guardFile
	if err := decodeValue(content, &f); err != nil {
		return nil, hint.Add(fmt.Errorf("in %s: %w", path, err),
			"want a list of rules, or rules and interrupt_on (docs/guard.md)")
	}
	listed, err := guard.InterruptOn(f.InterruptOn)
	if err != nil {
		return nil, fmt.Errorf("in %s: %w", path, err)
	}
	if from := l.Origin("guard.file"); from != l.File {
		for i, r := range f.Rules {
			if r.LowersFloor() {
				return nil, hint.Add(fmt.Errorf("%s: rules[%d] allows critical actions, and %s "+
					"named the file", path, i, from), "critical actions are allowed by the "+
					"configuration file alone: set guard.file there, or remove the severity of "+
					"that rule")
			}
		}
	}
	return []guard.List{{Name: path + ": rules", Rules: f.Rules},
		{Name: path + ": interrupt_on", Rules: listed}}, nil
}
