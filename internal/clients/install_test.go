package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/hint"
)

// linux is a machine of its own with a home folder.
func linux(t testing.TB) clients.Machine {
	home := t.TempDir()
	return clients.Machine{OS: "linux", Getenv: func(name string) string {
		if name == "HOME" {
			return home
		}
		return ""
	}}
}

// asked is what the words of a case ask for: a client, then http, token and force.
func asked(t testing.TB, words string) (c clients.Client, s clients.Server, force bool) {
	list := strings.Fields(words)
	c, err := clients.Find(list[0])
	require.NoError(t, err)
	s = clients.Server{Command: "/opt/taploop", Args: []string{"serve"}}
	if slices.Contains(list, "http") {
		s = clients.Server{URL: "http://127.0.0.1:8702/mcp", Token: slices.Contains(list, "token")}
	}
	return c, s, slices.Contains(list, "force")
}

func TestInstall(t *testing.T) {
	golden.Run(t, "testdata/install", func(t *testing.T, g *golden.Case) {
		c, s, force := asked(t, g.Section(t, "args"))
		m := linux(t)
		path, _ := c.Path(m)
		had := g.Has("file")
		if had {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(g.Section(t, "file")), 0o640))
		}
		done, err := c.Install(m, s, force)
		switch {
		case g.Has("error"):
			require.Error(t, err)
			text := err.Error() + "\n" + hint.Of(err)
			g.Want(t, "error", strings.ReplaceAll(text, m.Getenv("HOME"), "~"))
			unchanged(t, g, path, had)
		case g.Has("present"):
			require.NoError(t, err)
			require.Equal(t, clients.Installed{Path: path}, done)
			unchanged(t, g, path, had)
		default:
			require.NoError(t, err)
			require.True(t, done.Changed)
			g.Want(t, "want", read(t, path))
			kept(t, g, done, had)
			again, err := c.Install(m, s, force)
			require.NoError(t, err)
			require.Equal(t, clients.Installed{Path: path}, again, "once is enough")
		}
	})
}

func read(t testing.TB, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// unchanged checks that the folder holds what it held.
func unchanged(t *testing.T, g *golden.Case, path string, had bool) {
	if path == "" {
		return
	}
	if !had {
		require.NoFileExists(t, path)
		return
	}
	require.Equal(t, g.Section(t, "file"), read(t, path))
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, list, 1, "no copies and no leftovers")
}

// kept checks the copy of the file and the modes of both.
func kept(t *testing.T, g *golden.Case, done clients.Installed, had bool) {
	want := os.FileMode(0o600)
	if had {
		want = 0o640
		require.Equal(t, g.Section(t, "file"), read(t, done.Backup))
	} else {
		require.Empty(t, done.Backup)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, path := range []string{done.Path, done.Backup} {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), path)
	}
}

func TestLineEndsAndMarksOfWindowsStay(t *testing.T) {
	for name, c := range map[string]struct{ client, old, want string }{
		"JSON": {"cursor", "\xef\xbb\xbf{\r\n  \"a\": 1\r\n}\r\n",
			"\xef\xbb\xbf{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"taploop\": {\r\n      " +
				"\"command\": \"/opt/taploop\",\r\n      \"args\": [\r\n        \"serve\"\r\n    " +
				"  ]\r\n    }\r\n  }\r\n}\r\n"},
		"TOML": {"codex", "\xef\xbb\xbfmodel = \"a\"\r\n",
			"\xef\xbb\xbfmodel = \"a\"\r\n\r\n[mcp_servers.taploop]\r\ncommand = " +
				"'/opt/taploop'\r\nargs = ['serve']\r\ntool_timeout_sec = 120\r\n"},
		"TOML without a last line end": {"codex", "model = 'a'",
			"model = 'a'\n\n[mcp_servers.taploop]\ncommand = '/opt/taploop'\nargs = " +
				"['serve']\ntool_timeout_sec = 120\n"},
		"a blank file": {"gemini-cli", "\n",
			"{\n  \"mcpServers\": {\n    \"taploop\": {\n      \"command\": \"/opt/taploop\",\n  " +
				"    \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			client, server, _ := asked(t, c.client)
			m := linux(t)
			path, err := client.Path(m)
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(c.old), 0o600))
			_, err = client.Install(m, server, false)
			require.NoError(t, err)
			require.Equal(t, c.want, read(t, path))
		})
	}
}

func TestALinkStaysALink(t *testing.T) {
	client, server, _ := asked(t, "cursor")
	m := linux(t)
	path, err := client.Path(m)
	require.NoError(t, err)
	elsewhere := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.Symlink(elsewhere, path))

	_, err = client.Install(m, server, false)
	require.ErrorContains(t, err, "is a link to a file that is not there")

	require.NoError(t, os.WriteFile(elsewhere, []byte("{}"), 0o600))
	done, err := client.Install(m, server, false)
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(elsewhere), filepath.Dir(done.Backup))
	to, err := os.Readlink(path)
	require.NoError(t, err)
	require.Equal(t, elsewhere, to)
	require.Contains(t, read(t, elsewhere), "/opt/taploop")
}

func TestAFolderThatCannotBeWrittenLeavesNothing(t *testing.T) {
	client, server, _ := asked(t, "cursor")
	m := linux(t)
	// no folder
	require.NoError(t, os.WriteFile(filepath.Join(m.Getenv("HOME"), ".cursor"), nil, 0o600))
	_, err := client.Install(m, server, false)
	require.ErrorContains(t, err, "settings of Cursor: ")
}

// Whatever the file holds, it is refused, or what was in it is in it still.
func FuzzMerge(f *testing.F) {
	for _, g := range golden.Load(f, "testdata/install") {
		if g.Has("file") {
			f.Add(strings.TrimSpace(g.Section(f, "args")), []byte(g.Section(f, "file")))
		}
	}
	f.Fuzz(func(t *testing.T, words string, file []byte) {
		if c, err := clients.Find(words); err != nil || !c.HasFile() {
			words = "vscode http token"
		}
		c, s, _ := asked(t, words)
		m := linux(t)
		path, err := c.Path(m)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file, 0o600))
		done, err := c.Install(m, s, false)
		if err != nil || !done.Changed {
			require.Equal(t, string(file), read(t, path))
			return
		}
		rest := read(t, path)
		// white space aside, something was added and nothing removed
		for _, b := range bytes.Fields(file) {
			for _, c := range b {
				i := strings.IndexByte(rest, c)
				require.GreaterOrEqual(t, i, 0, "%q is gone from %q", b, read(t, path))
				rest = rest[i+1:]
			}
		}
		again, err := c.Install(m, s, false)
		require.NoError(t, err)
		require.False(t, again.Changed)
	})
}

func TestEachClientHasSettingsToPaste(t *testing.T) {
	stdio := clients.Server{Command: `C:\Program Files\taploop.exe`,
		Args: []string{"--config", "/etc/taploop.yaml", "serve"}}
	remote := clients.Server{URL: "http://192.168.1.5:8702/mcp", Token: true}
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			require.NotEmpty(t, c.Timeout)
			require.NotEmpty(t, c.Then)
			text, err := c.Snippet(stdio)
			require.NoError(t, err)
			require.Contains(t, text, "taploop.exe")
			require.True(t, strings.HasSuffix(text, "\n"))
			text, err = c.Snippet(remote)
			if c.Token == "" {
				require.ErrorContains(t, err, "not addresses")
				require.NotEmpty(t, hint.Of(err))
				return
			}
			require.NoError(t, err)
			require.Contains(t, text, "http://192.168.1.5:8702/mcp")
			if strings.HasPrefix(text, "{") {
				first, _, _ := strings.Cut(text, "\n\n")
				require.True(t, json.Valid([]byte(first)), text)
			}
		})
	}
	_, err := clients.Find("Claude Desktop")
	require.NoError(t, err)
	_, err = clients.Find("emacs")
	require.EqualError(t, err, `no settings are known for a client named "emacs"`)
	require.Contains(t, hint.Of(err),
		"claude-desktop, claude-code, cursor, vscode, cherry-studio, chatbox, codex, gemini-cli")
}

func TestFilesAreWhereEachSystemKeepsThem(t *testing.T) {
	environment := func(pairs ...string) func(string) string {
		return func(name string) string {
			for _, p := range pairs {
				if v, ok := strings.CutPrefix(p, name+"="); ok {
					return v
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		client, os string
		env        []string
		want       string // "" is an error
	}{
		{"claude-desktop", "darwin", []string{"HOME=/h"},
			"/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", []string{"APPDATA=/roaming"},
			"/roaming/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", nil, ""},
		{"claude-desktop", "linux", []string{"HOME=/h"},
			"/h/.config/Claude/claude_desktop_config.json"},
		{"vscode", "linux", []string{"HOME=/h", "XDG_CONFIG_HOME=/x"}, "/x/Code/User/mcp.json"},
		{"vscode", "linux", []string{"HOME=/h", "XDG_CONFIG_HOME=relative"},
			"/h/.config/Code/User/mcp.json"},
		{"vscode", "darwin", []string{"HOME=/h"},
			"/h/Library/Application Support/Code/User/mcp.json"},
		{"claude-code", "linux", []string{"HOME=/h"}, "/h/.claude.json"},
		{"claude-code", "linux", []string{"HOME=/h", "CLAUDE_CONFIG_DIR=/c"}, "/c/.claude.json"},
		{"cursor", "windows", []string{"USERPROFILE=/users/me"}, "/users/me/.cursor/mcp.json"},
		{"codex", "linux", []string{"HOME=/h"}, "/h/.codex/config.toml"},
		{"codex", "linux", []string{"HOME=/h", "CODEX_HOME=/c"}, "/c/config.toml"},
		{"gemini-cli", "darwin", []string{"HOME=/h"}, "/h/.gemini/settings.json"},
		{"gemini-cli", "darwin", nil, ""},
	} {
		client, err := clients.Find(c.client)
		require.NoError(t, err)
		path, err := client.Path(clients.Machine{OS: c.os, Getenv: environment(c.env...)})
		if c.want == "" {
			require.ErrorContains(t, err, "is not known")
			require.NotEmpty(t, hint.Of(err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, filepath.FromSlash(c.want), path)
	}
}
