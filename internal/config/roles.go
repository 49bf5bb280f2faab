package config

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

const rolesPath = "host.roles"

// mainRole is the name of the role of the agent that has the goal.
const mainRole = "main"

// takeOut removes a group's value from a file's settings and returns it, or nil.
func takeOut(m map[string]any, group, key string) any {
	of, ok := m[group].(map[string]any)
	if !ok {
		return nil
	}
	v := of[key]
	if delete(of, key); len(of) == 0 {
		delete(m, group)
	}
	return v
}

// takeRoles keeps a file's roles.
func (l *Loaded) takeRoles(file string, given any) error {
	if given == nil {
		return nil
	}
	const want = "write host: {roles: {NAME: {description: ..., prompt: ..., tools: [PATTERN], " +
		"roles: [NAME]}}}"
	l.Host.Roles, l.origin[rolesPath] = nil, file
	if err := decodeValue(given, &l.Host.Roles); err != nil {
		return hint.Add(fmt.Errorf("in %s: %s: %w", file, rolesPath, err), want)
	}
	var bad []error
	for _, name := range slices.Sorted(maps.Keys(l.Host.Roles)) {
		if wrong := l.wrongRole(name); wrong != "" {
			bad = append(bad, hint.Add(fmt.Errorf("in %s: %s.%s: %s", file, rolesPath,
				text.Cut(name, 80), wrong), want))
		}
	}
	return errors.Join(bad...)
}

// wrongRole returns the fault of a role, or "".
func (l *Loaded) wrongRole(name string) string {
	r := l.Host.Roles[name]
	if !proxyName().MatchString(name) {
		return "the name may have letters, digits, _ and -"
	}
	if name != mainRole && r.Description == "" {
		return "it has no description, from which other agents know what it is for"
	}
	for _, of := range r.Roles {
		if _, ok := l.Host.Roles[of]; !ok || of == mainRole {
			return fmt.Sprintf("it may call %q, which is no role", of)
		}
	}
	for _, p := range r.Tools {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Sprintf("the pattern %q cannot be read", p)
		}
	}
	return ""
}
