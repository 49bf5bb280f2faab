package main

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// On a terminal one line says what each phone does. It never wraps, and nothing of it stays among
// the lines of the results, which are in the language of the person.
func TestTheLiveViewOfTestsKeepsToOneLineOfTheTerminal(t *testing.T) {
	t.Parallel()
	const columns = 40
	f := newTested(t, 2, "rules:\n"+say("zap-out", "action:ABORT\tvalue:no\u001b[2J 😀")+
		say("", claim))
	f.env = append(f.env, "TERM=xterm-256color", "LANG=zh_CN.UTF-8")
	file := f.file("s.yaml", "cases:\n- {name: '长长的用例 "+strings.Repeat("名", 40)+
		"', task: t, expect: none}\n- {name: b, task: zap-out, expect: none}\n")
	master, slave := openPTY(t)
	require.NoError(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Col: columns, Row: 10}))
	screen := newTranscript()
	read := make(chan struct{})
	go func() { defer close(read); _, _ = io.Copy(screen, master) }()
	var out strings.Builder
	code := run(t.Context(), []string{"test", file}, f.env,
		streams{strings.NewReader(""), &out, slave})
	require.Equal(t, exitNotCompleted, code, screen)
	_, err := io.WriteString(slave, "the end\r\n")
	require.NoError(t, err)
	screen.await(t, `(the end)`)
	all := screen.String()
	require.Contains(t, all, "phone-1: ", "what a phone does")
	require.NotContains(t, all, "\x1b[2J", "what a model wrote")
	shown := 0
	for part := range strings.SplitSeq(all, "\r\x1b[J") {
		if !strings.Contains(part, "\n") && part != "" {
			require.Less(t, ansi.StringWidth(part), columns, "%q", part)
			shown++
		}
	}
	require.Greater(t, shown, 2)
	last := all[strings.LastIndex(all, "\x1b[J")+len("\x1b[J"):]
	require.NotContains(t, last, "phone-1: ", "the line is gone at the end")
	for _, want := range []string{"通过", "失败", "代理放弃了", "1 个通过, 1 个失败"} {
		require.Contains(t, all, want)
	}
	require.NoError(t, slave.Close())
	require.NoError(t, master.Close())
	<-read
}
