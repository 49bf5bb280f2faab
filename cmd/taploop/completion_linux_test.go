package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The shells themselves take what completes the command line: each offers the commands behind
// "taploop sessions". (zsh chooses among them by what was typed.)
func TestTheShellsCompleteTheCommandLine(t *testing.T) {
	t.Parallel()
	for shell, args := range map[string][]string{
		"bash": {"--norc", "-c", `source "$0"; COMP_WORDS=(taploop sessions s); COMP_CWORD=2
			$(complete -p taploop | sed 's/.*-F \([^ ]*\).*/\1/'); printf '%s\n' "${COMPREPLY[@]}"`},
		"zsh": {"-f", "-c", `autoload -U compinit && compinit -u -D; source "$0"
			words=(taploop sessions s); CURRENT=3; COMP_CWORD=2; COMP_WORDS=("${words[@]}")
			compgen -F _taploop_words -- s`},
		"fish": {"--no-config", "-c", `source $argv[1]; complete -C "taploop sessions s"`},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(shell)
			require.NoError(t, err, "install %s to test its completion", shell)
			var script, said bytes.Buffer
			code := run(t.Context(), []string{"completion", shell}, nil,
				streams{strings.NewReader(""), &script, &said})
			require.Equal(t, exitDone, code, said.String())
			file := filepath.Join(t.TempDir(), "_taploop")
			require.NoError(t, os.WriteFile(file, script.Bytes(), 0o600))
			c := exec.CommandContext(t.Context(), program, append(args, file)...)
			c.Env = append(os.Environ(), "HOME="+t.TempDir())
			offered, err := c.CombinedOutput()
			require.NoError(t, err, "%s", offered)
			require.Regexp(t, `(?m)^show\b`, string(offered))
			require.NotContains(t, string(offered), "not found")
		})
	}
}
