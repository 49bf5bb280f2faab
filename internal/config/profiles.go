package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

const (
	modelGroup   = "model."
	modelName    = modelGroup + "name"
	profilesPath = "models"
)

// takeProfiles keeps a file's profiles. Each is checked on top of the defaults, whether it is used
// or not.
func (l *Loaded) takeProfiles(keys []Key, defaults Config, file string, given any) error {
	if given == nil {
		return nil
	}
	named, ok := given.(map[string]any)
	if !ok {
		return hint.Add(fmt.Errorf("in %s: models is no map", file),
			"write models: {NAME: {base_url: URL, name: MODEL}}")
	}
	l.Models, l.origin[profilesPath] = map[string]profile{}, file
	var bad []error
	for _, name := range slices.Sorted(maps.Keys(named)) {
		p, ok := named[name].(map[string]any)
		if !ok || name == "" {
			bad = append(bad, hint.Add(fmt.Errorf("in %s: models.%s is no model", file, name),
				"write models: {NAME: {base_url: URL, name: MODEL}}"))
			continue
		}
		l.Models[name] = p
		trial := &Loaded{Config: defaults, origin: map[string]string{}}
		trial.Models = l.Models
		bad = append(bad, cmp.Or(trial.use(keys, name), trial.check()))
	}
	return errors.Join(bad...)
}

// useProfile takes over the profile that the highest layer names in the place of a model. What the
// command line says for itself wins over it. The flags are returned without the profile's name.
func (l *Loaded) useProfile(keys []Key, flags map[string]any) (map[string]any, error) {
	name := l.Model.Name
	model := l.Model
	l.base = func() Model { return model }
	if n, ok := flags[modelName].(string); ok {
		name = n
	}
	if _, ok := l.Models[name]; !ok {
		return flags, nil
	}
	l.Profile = name
	flags = maps.Clone(flags)
	delete(flags, modelName)
	return flags, l.use(keys, name)
}

// ModelOf is the profile with the name, as if it were the model.
func (l *Loaded) ModelOf(name string) (Model, error) {
	if _, ok := l.Models[name]; !ok {
		return Model{}, fmt.Errorf("there is no model %q in models", name)
	}
	of := &Loaded{Config: l.Config, origin: maps.Clone(l.origin)}
	of.Model = l.base()
	if err := of.use(Keys(), name); err != nil {
		return Model{}, err
	}
	return of.Model, l.findKey(&of.Model)
}

// use lays a profile over the model's settings. A key goes only to the endpoint that it was given
// for.
func (l *Loaded) use(keys []Key, name string) error {
	p := l.Models[name]
	base, own := p["base_url"]
	if own && base != l.Model.BaseURL || p["api_key"] != nil || p["api_key_file"] != nil ||
		p["api_key_env"] != nil {
		l.Model.APIKey, l.Model.APIKeyFile, l.Model.APIKeyEnv = "", "", ""
	}
	layer := map[string]any{}
	for k, v := range p {
		layer[modelGroup+k] = v
	}
	if _, ok := p["name"]; !ok {
		layer[modelName] = name
	}
	return l.apply(keys, profilesPath+"."+name, layer, func(path string) string {
		return profilesPath + "." + name + "." + strings.TrimPrefix(path, modelGroup)
	})
}

// fileOnly refuses what the file alone can hold.
func fileOnly(flags map[string]any) error {
	for path := range flags {
		for _, of := range [][2]string{{proxiesPath, "the file holds the proxies"},
			{rolesPath, "the file holds the roles"},
			{profilesPath, "--set model.KEY=VALUE wins over what a profile says; the file holds " +
				"the profiles"}} {
			if path == of[0] || strings.HasPrefix(path, of[0]+".") {
				return hint.Add(fmt.Errorf("%s cannot be set on the command line", path), of[1])
			}
		}
	}
	return nil
}
