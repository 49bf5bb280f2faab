package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry/channel"
)

func TestHelpNamesEveryChannelOfAReplyMode(t *testing.T) {
	settings, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	_, row, _ := strings.Cut(string(settings), "\n| `reply.mode` |")
	row, _, _ = strings.Cut(row, "\n")
	help := func(command string) string {
		var out bytes.Buffer
		code := run(t.Context(), []string{command, "--help"}, nil, streams{out: &out, err: &out})
		require.Equal(t, exitDone, code)
		return strings.Join(strings.Fields(out.String()), " ")
	}
	page, err := os.ReadFile("../../docs/answering.md")
	require.NoError(t, err)
	for _, c := range channel.Steps() {
		require.Contains(t, row, c.Name, "the setting's help")
		require.Contains(t, help("serve"), c.Name, "the flag's help")
		if c.Name != string(channel.Elicit) { // which needs a client
			require.Contains(t, help("run"), c.Name, "the flag's help")
		}
		require.Contains(t, string(page), "| `"+c.Name+"` | "+c.Guide+" |")
	}
}
