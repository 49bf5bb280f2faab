package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/clients"
)

// Reports of those who measure and set up are in the language of the terminal, too. What a step
// does stands there as it was recorded, with its places.
func TestReportsOfMeasurementsAreInTheLanguageOfTheTerminal(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "LC_ALL=zh_CN.UTF-8", "TERM=xterm", "NO_COLOR=1")
	_, errs, code := b.run("run", "--reply", "42", b.task.Goal)
	require.Zero(t, code, "%s", errs)
	all := [][]string{{"calibrate", "-n", "8"}, {"sandbox", "--tasks"},
		{"replay", lastSession(b)}, {"bench", "--task", "alarm-0730", "-n", "1"}}
	for _, name := range clients.Names() {
		all = append(all, []string{"setup", "--client", name})
	}
	for _, args := range all {
		said := b.said(t, args...)
		require.NotEmpty(t, said, "%v", args)
		for line := range strings.Lines(names.ReplaceAllString(said, " ")) {
			if args[0] == "replay" && line[0] > '0' && line[0] <= '9' {
				continue
			}
			for _, line := range foreign(t, line) {
				t.Errorf("%v: %s", args, line)
			}
		}
	}
}

// names are what a status line was rewritten with, files, settings, programs and what they call
// their menus.
var names = regexp.MustCompile(`(?m)^.*\x1b\[J|/\S+|[a-z_]+\.[a-z_]+|Claude Desktop|Claude Code|Cursor|` +
	`VS Code|Cherry Studio|Gemini CLI|Chatbox|Customize → MCPs|Settings、MCP、Add|Import from JSON| px|` +
	`MCP_TOOL_TIMEOUT|"timeout"|"MCP: List Servers"|Server|schemas`)

func lastSession(b *testEnv) string {
	out, errs, code := b.run("sessions", "list")
	require.Zero(b.t, code, "%s", errs)
	return strings.Fields(strings.SplitAfterN(out, "\n", 2)[1])[0]
}
