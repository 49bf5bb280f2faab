package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// derive fills in what depends on other values or on the machine.
func (l *Loaded) derive(getenv func(string) string, keyless bool) error {
	if l.DataDir == "" {
		dir, err := dataFolder(getenv)
		if err != nil {
			return hint.Add(fmt.Errorf("finding a place for sessions: %w", err),
				"set data_dir or TAPLOOP_DATA_DIR")
		}
		l.DataDir = filepath.Join(dir, "taploop")
	}
	l.Skills.Dir = cmp.Or(l.Skills.Dir, filepath.Join(l.DataDir, "skills"))
	if l.Farm.Name == "" {
		l.Farm.Name, _ = os.Hostname() // a machine without one has no name
	}
	l.getenv, l.keyless = getenv, keyless || l.Model.Replay != ""
	if err := l.findKey(&l.Model); err != nil {
		return err
	}
	c := &l.Caption
	if err := l.keyFromFile(&c.APIKey, c.APIKeyFile, "caption.api_key"); err != nil {
		return err
	}
	l.Caption.inherit(l.Model)
	if q := &l.Questions; q.TTL > 0 { // check tells what else is wrong with it
		q.Attention = min(q.Attention, q.TTL)
	}
	return l.Notify.secrets(getenv)
}

// inherit takes empty values from the deciding model. A key goes only to the endpoint that it was
// given for.
func (c *Caption) inherit(m Model) {
	if c.APIKey == "" && (c.BaseURL == "" || c.BaseURL == m.BaseURL) {
		c.APIKey = m.APIKey
	}
	c.BaseURL = cmp.Or(c.BaseURL, m.BaseURL)
	c.Name = cmp.Or(c.Name, m.Name)
	c.Lang = cmp.Or(c.Lang, m.Lang)
	c.Timeout = cmp.Or(c.Timeout, m.Timeout)
}

// findKey takes the key from where it is said to be.
func (l *Loaded) findKey(m *Model) error {
	if err := l.keyFromFile(&m.APIKey, m.APIKeyFile, "model.api_key"); err != nil {
		return err
	}
	if m.APIKey == "" && m.APIKeyEnv != "" {
		m.APIKey = model.Secret(strings.TrimSpace(l.getenv(m.APIKeyEnv)))
	}
	return nil
}

func (l *Loaded) keyFromFile(key *model.Secret, file, name string) error {
	if file == "" || l.keyless {
		return nil
	}
	if *key != "" {
		return hint.Add(fmt.Errorf("both %s and %s_file are set", name, name), "keep one of them")
	}
	b, err := files.Read(file)
	if err != nil {
		return hint.Add(fmt.Errorf("reading %s_file: %w", name, err),
			"put the key into that file, or name another")
	}
	*key = model.Secret(strings.TrimSpace(string(b)))
	return nil
}

// dataFolder is where programs of this user keep data.
func dataFolder(getenv func(string) string) (string, error) {
	if d := getenv("XDG_DATA_HOME"); d != "" {
		return d, nil
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// check reports every value that cannot work, each with where it came from.
func (l *Loaded) check() error {
	bad := l.checkNotify()
	if _, err := l.GuardPolicy(""); err != nil {
		bad = append(bad, err)
	}
	for _, v := range l.Values() {
		if v.check == nil || v.Origin == ByDefault && v.Default == "" {
			continue // what was made of another value has that one's faults
		}
		for _, f := range v.check(v.Value) {
			bad = append(bad, hint.Add(fmt.Errorf("%s is %v (from %s)",
				v.Path+f.below, quoted(f.value), v.Origin), "want "+f.want))
		}
	}
	if m := l.Model; m.Replay != "" && (m.Record != "" || m.ReplayOrModel != "") {
		other := "model.record"
		if m.ReplayOrModel != "" {
			other = "model.replay_or_model"
		}
		bad = append(bad, hint.Add(fmt.Errorf("%s and model.replay are both set", other),
			"keep one of them"))
	}
	slices.SortFunc(bad, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(bad...)
}
