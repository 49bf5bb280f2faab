package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/terminal/usage"
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
	parser, err := newParser(&c, streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}, nil)
	require.NoError(t, err)
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
			nil)
		require.NoError(t, err)
		_, err = parser.Parse(strings.Split(strings.TrimSpace(string(split)), "\n"))
		if err != nil { // but for files that there are not here
			require.ErrorContains(t, err, "no such file", line)
		}
	}
}
