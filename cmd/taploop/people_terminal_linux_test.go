package main

import (
	"io"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

func TestASecretThatIsTypedIsNotShown(t *testing.T) {
	t.Parallel()
	const secret = "tango-7731"
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	q := put(t, broker, inquiry.Question{Text: "Which code?", Secret: true})
	master, slave := openPTY(t)
	p := b.spawnAs(func(c *exec.Cmd) { c.Stdin, c.Stderr = slave, slave }, "reply", q.ID, "-")
	screen := newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	screen.await(t, `(?s)(Which code\?.*it is not shown)`)
	_, err := io.WriteString(master, secret+"\n")
	require.NoError(t, err)
	require.Zero(t, p.ends(), "%s", screen)
	_, err = io.WriteString(slave, "the end\n")
	require.NoError(t, err)
	screen.await(t, `(the end)`)
	require.NotContains(t, screen.String(), secret)
	stored, err := broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, secret, stored.Resolution.Response.Reveal())
}

func TestOnlyAPersonAtATerminalIsToldHowToGetIn(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	master, slave := openPTY(t)
	b.spawnAs(func(c *exec.Cmd) { c.Stderr = slave }, "serve", "--http", "127.0.0.1:0")
	screen := newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	screen.await(t, `(?s)listening on .*(taploop ui)`)
	require.NotContains(t, screen.String(), "login=", "what is on a screen lets no one in")

	p, _ := b.serve()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, p.ends())
	require.NotContains(t, p.stderr.String(), "taploop ui", "a log is not told")
}
