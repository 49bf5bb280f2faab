package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
)

var found = map[string]string{"dialect": "gelab", "coordinates": "1000"}

func TestAnEditKeepsTheRestOfTheFile(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"# mine\n\nmodel: # the one\n  # speaks\n  dialect: auto\n  name: 'x'\n\nloop:\n" +
			"    max_steps: 3\n",
			"# mine\n\nmodel: # the one\n  # speaks\n  dialect: gelab\n  name: 'x'\n" +
				"  coordinates: \"1000\"\n\nloop:\n    max_steps: 3\n"},
		{"model:\n  dialect:     auto      # how it speaks\n  coordinates: 'it''s'   " +
			"# 0 to 1000\n  name:        \"a # b\"   # kept\n",
			"model:\n  dialect:     gelab     # how it speaks\n  coordinates: \"1000\"    " +
				"# 0 to 1000\n  name:        \"a # b\"   # kept\n"},
		{"model:\r\n  name: 模型 # 中\r\n  dialect: 自 # é\r\n  api_key: >-\r\n    x\r\n# end\r\n",
			"model:\r\n  name: 模型 # 中\r\n  dialect: gelab # é\r\n  coordinates: \"1000\"\r\n" +
				"  api_key: >-\r\n    x\r\n# end\r\n"},
		{"model:\n    # of names\n    name:   x\n\n    # of keys\n    api_key: >-\n" +
			"      a\n      b\n",
			"model:\n    # of names\n    name:   x\n    coordinates: \"1000\"\n" +
				"    dialect: gelab\n\n    # of keys\n    api_key: >-\n      a\n      b\n"},
		{"# a\r\nmodel: {name: x} # b\r\n# c\r\nloop:\r\n  max_steps: 3\r\n",
			"# a\r\nmodel: {name: x, coordinates: \"1000\", dialect: gelab} # b\r\n# c\r\nloop:" +
				"\r\n  max_steps: 3\r\n"},
		{"# a\r\nloop:\r\n  # of steps\r\n  max_steps: 3\r\n",
			"# a\r\nloop:\r\n  # of steps\r\n  max_steps: 3\r\nmodel:\r\n" +
				"  coordinates: \"1000\"\r\n  dialect: gelab\r\n"},
		{"# nothing yet\r\n", "# nothing yet\r\nmodel:\r\n  coordinates: \"1000\"\r\n" +
			"  dialect: gelab\r\n"},
		{"model: {name: x, coordinates: pixels}",
			"model: {name: x, coordinates: \"1000\", dialect: gelab}\n"},
		{"loop: {max_steps: 3}\n",
			"loop: {max_steps: 3}\nmodel:\n  coordinates: \"1000\"\n  dialect: gelab\n"},
		{"", "model:\n  coordinates: \"1000\"\n  dialect: gelab\n"},
		{"# nothing yet\n", "# nothing yet\nmodel:\n  coordinates: \"1000\"\n  dialect: gelab\n"},
	} {
		path := write(t, "c.yaml", c.before)
		e, err := config.NewEdit(path, []string{"model"}, found)
		require.NoError(t, err)
		require.Equal(t, c.after, string(e.After))
		is, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, c.before, string(is), "nothing is written yet")
		require.NoError(t, e.Write())
		l, err := load(t, config.Options{File: path})
		require.NoError(t, err)
		require.Equal(t, []string{"gelab", "1000"}, []string{l.Model.Dialect, l.Model.Coordinates})
	}
}

func TestAnEditOfAProfileWhateverItsName(t *testing.T) {
	for _, name := range []string{"plain", "org/qwen2.5-vl:7b", "it's \"odd\" * ?", "模型"} {
		for _, before := range []string{"", "models: {a: {name: b}}\n", "models:\n",
			"models:\n  a:\n    name: b # kept\n"} {
			path := write(t, "c.yaml", before)
			e, err := config.NewEdit(path, []string{"models", name}, found)
			if err != nil { // what cannot be written is said, with what to write
				require.Contains(t, hint.Of(err), "coordinates: \"1000\"")
				require.True(t, before == "models:\n" || strings.Contains(name, "*"), "%v", err)
				continue
			}
			require.NoError(t, e.Write())
			l, err := load(t, config.Options{File: path, Flags: map[string]any{
				"model.name": name}})
			require.NoError(t, err, string(e.After))
			require.Equal(t, name, l.Profile)
			require.Equal(t, "1000", l.Model.Coordinates)
		}
	}
}

func TestAnEditThatCannotBeIsRefused(t *testing.T) {
	path := write(t, "c.yaml", "model: just-a-word\n")
	_, err := config.NewEdit(path, []string{"model"}, found)
	require.ErrorContains(t, err, "model is no map")
	require.Contains(t, hint.Of(err), "dialect: gelab")
	_, err = config.NewEdit(write(t, "c.yaml", "model: ["), []string{"model"}, found)
	require.ErrorContains(t, err, "is not valid YAML")

	path = write(t, "c.yaml", "model: {name: x}\n")
	e, err := config.NewEdit(path, []string{"model"}, found)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("model: {name: y}\n"), 0o600))
	require.ErrorContains(t, e.Write(), "was changed by another program meanwhile")
}

func TestAnEditMakesTheFileAndFollowsLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "c.yaml")
	e, err := config.NewEdit(path, []string{"model"}, found)
	require.NoError(t, err)
	require.Nil(t, e.Before)
	require.NoError(t, e.Write())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	real := write(t, "real.yaml", "loop: {max_steps: 3}\n")
	require.NoError(t, os.Chmod(real, 0o640))
	link := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.Symlink(real, link))
	e, err = config.NewEdit(link, []string{"model"}, found)
	require.NoError(t, err)
	require.NoError(t, e.Write())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(real)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}
