package main

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/terminal/usage"
	"github.com/taploop/taploop/internal/words"
)

// commandsOf are all commands with their words.
func commandsOf(n *kong.Node) map[string]*kong.Node {
	all := map[string]*kong.Node{}
	for _, c := range n.Children {
		all[usage.Path(c)] = c
		for path, below := range commandsOf(c) {
			all[path] = below
		}
	}
	return all
}

func TestEveryCommandHasAnExampleThatItTakes(t *testing.T) {
	examples, err := usage.Examples()
	require.NoError(t, err)
	var c commands
	parser, err := newParser(&c, streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}, "", nil)
	require.NoError(t, err)
	require.NoError(t, describe(parser.Model.Node, ""))
	all := commandsOf(parser.Model.Node)
	require.NotEmpty(t, all)
	for path, node := range all {
		require.Contains(t, examples, path, "it has no example")
		require.Contains(t, node.Detail, examples[path])
	}
	for path, line := range examples {
		require.Contains(t, all, path, "there is no such command")
		require.Contains(t, line, "taploop "+strings.Fields(path)[0], path)
		if strings.HasSuffix(line, "--help") || strings.HasPrefix(line, "source ") {
			continue
		}
		split, err := exec.Command("sh", "-c", "set -- "+strings.TrimPrefix(line, "taploop ")+
			`; for w in "$@"; do printf '%s\n' "$w"; done`).Output()
		require.NoError(t, err, line)
		var fresh commands
		parser, err := newParser(&fresh, streams{out: new(bytes.Buffer), err: new(bytes.Buffer)},
			"", nil)
		require.NoError(t, err)
		_, err = parser.Parse(strings.Split(strings.TrimSpace(string(split)), "\n"))
		if err != nil { // but for files that there are not here
			require.ErrorContains(t, err, "no such file", line)
		}
	}
}

// A forgotten text would leave a gap in the help, and one of a flag that is gone would stay.
func TestEveryCommandFlagAndArgumentHasItsHelpInEveryLanguage(t *testing.T) {
	english := helpIn(t, words.Default)
	require.NotEmpty(t, english)
	for _, lang := range words.Languages() {
		named := map[string]bool{}
		for id, help := range helpIn(t, lang) {
			require.NotEmpty(t, help, "%s: %s", lang, id)
			require.NotContains(t, help, "$", "%s: %s", lang, id)
			if lang != words.Default && id != "setup client" { // which are names alone
				require.NotEqual(t, english[id], help, "%s: %s", lang, id)
			}
			path, name, _ := cutLast(id)
			named["taploop "+name] = true
			for ok := true; ok; path, _, ok = cutLast(path) {
				named[path+" "+name] = true
			}
		}
		texts := reflect.ValueOf(words.Domains()["help"].Read(lang)).Elem()
		all := texts.FieldByName("Commands").Interface().(map[string]map[string]string)
		for command, below := range all {
			for name := range below {
				require.True(t, named[command+" "+name], "%s: there is no %s %s", lang, command,
					name)
			}
		}
	}
}

// helpIn is the help of commands, flags and arguments by their words.
func helpIn(t *testing.T, lang string) map[string]string {
	var c commands
	parser, err := newParser(&c, streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}, lang, nil)
	require.NoError(t, err)
	root := parser.Model.Node
	require.NoError(t, describe(root, lang))
	said := map[string]string{}
	for path, node := range commandsOf(root) {
		said[path+" about"] = node.Help
		for _, p := range node.Positional {
			said[path+" "+p.Name] = p.Help
		}
		for _, f := range node.Flags {
			said[path+" "+f.Name] = f.Help
		}
	}
	for _, f := range root.Flags {
		said["taploop "+f.Name] = f.Help
	}
	return said
}

// cutLast cuts the last word off.
func cutLast(words string) (before, last string, ok bool) {
	i := strings.LastIndexByte(words, ' ')
	if i < 0 {
		return "", words, false
	}
	return words[:i], words[i+1:], true
}
