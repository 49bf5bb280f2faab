package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answersTo types each answer once its prompt is on the screen.
func answersTo(t *testing.T, master *os.File, screen *transcript, pairs ...string) {
	t.Helper()
	shown := ""
	for i := 0; i < len(pairs); i += 2 {
		shown += ".*" + regexp.QuoteMeta(pairs[i])
		screen.await(t, "(?s)("+shown+")")
		_, err := io.WriteString(master, pairs[i+1])
		require.NoError(t, err)
	}
}

func TestInitAtATerminalHidesTheKey(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][]string{
		"en_US.UTF-8": {"Number or name (1): ", "Its address", "Its key", "Which model", "of the prompts (1): ",
			"Which phone? (1): ", "(Y/n) ", "simulated phone now?", "taploop is set up."},
		"zh_CN.UTF-8": {"编号或名称（1）：", "它的地址", "它的密钥", "用哪个模型", "提示词的语言（1）：",
			"用哪台手机？（1）：", "（Y/n）", "看一个完整的任务吗", "taploop 已经设置好"},
	} {
		b, address, file := firstTime(t)
		p, master, _, screen := b.atTerminal(80, []string{"LC_ALL=" + lang}, "init")
		answersTo(t, master, screen, says[0], "other\n", says[1], address+"\n", says[2],
			goodKey+"\n", says[3], "scripted\n", says[4], "\n", says[5], "\n", says[6], "y\n",
			says[7], "n\n")
		require.Zero(t, p.ends(), "%s", screen)
		screen.await(t, "("+says[8]+")")
		require.NotContains(t, screen.String(), goodKey)
		require.FileExists(t, file)
	}
}

// Ctrl-D and Ctrl-C, at the first question, while a key is typed, and before the file is written.
func TestInitIsLeftAtATerminal(t *testing.T) {
	t.Parallel()
	for key, code := range map[string]int{"\x04": exitError, "\x03": exitInterrupted} {
		b, address, file := firstTime(t)
		steps := []string{"Number or name (1): ", "other\n", "Its address", address + "\n",
			"Its key", goodKey + "\n", "Which model", "scripted\n", "of the prompts (1): ", "\n",
			"Which phone? (1): ", "\n", "(Y/n) ", "y\n"}
		for _, at := range []int{0, 4, len(steps) - 2} {
			p, master, slave, screen := b.atTerminal(80, nil, "init")
			answersTo(t, master, screen, append(append([]string{}, steps[:at]...), steps[at],
				key)...)
			require.Equal(t, code, p.ends(), "%q at %d: %s", key, at, screen)
			require.NoDirExists(t, filepath.Dir(file))
			_, err := fmt.Fprintln(master, "echoed again")
			require.NoError(t, err)
			screen.await(t, "(echoed again)")
			require.NotContains(t, strings.TrimSpace(screen.String()), goodKey)
			_ = slave.Close()
		}
	}
}
