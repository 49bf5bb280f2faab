package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
)

// resize makes the terminal that wide.
func resize(t testing.TB, slave *os.File, columns uint16) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: columns}))
}

func TestATableIsAsWideAsItsTerminal(t *testing.T) {
	list := []device.PhoneInfo{{Serial: "0123456789abcdef", State: "no permissions (missing udev " +
		"rules? user is in the plugdev group); see " +
		"[http://developer.android.com/tools/device.html]"},
		{Serial: "emu-1", State: "device", Android: "14",
			Model: strings.Repeat("长", 20) + " \x1b[2J🙂"}}
	for _, columns := range []uint16{60, 80, 120, 200} {
		master, slave := openPTY(t)
		resize(t, slave, columns)
		screen := newTranscript()
		go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
		var errs strings.Builder
		a := &invocation{streams: streams{out: slave, err: &errs}}
		require.NoError(t, printPhones(a, false, list))
		shown := screen.await(t, `(?s)^(SERIAL.*\n.*\n.*\n)`)
		for line := range strings.Lines(shown) {
			line = strings.TrimRight(line, "\r\n")
			require.LessOrEqual(t, ansi.StringWidth(line), int(columns), "%q", line)
		}
		require.Regexp(t, `(?m)^0123456789abcdef +no permissi(ons|…)\r?$`, shown)
		require.Contains(t, errs.String(), "may not open the phone's USB device")
		require.Contains(t, errs.String(), "  try: ")
	}
}

func TestWhatIsNoTerminalGetsATableWhole(t *testing.T) {
	var out, errs strings.Builder
	state := "no permissions (" + strings.Repeat("why? ", 30) + "end)"
	require.NoError(t, printPhones(&invocation{streams: streams{out: &out, err: &errs}}, false,
		[]device.PhoneInfo{{Serial: "a", State: state, Model: strings.Repeat("m", 200)}}))
	require.Contains(t, out.String(), state)
	require.Contains(t, out.String(), strings.Repeat("m", 200))
}

func TestListsOfSessionsAndQuestionsFitTheTerminal(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	db, broker := b.folder()
	long := strings.TrimSpace(strings.Repeat("Which of the two? ", 20))
	x, _, err := db.Begin(t.Context(), store.Session{Serial: "emu-1"}, store.Run{Task: long})
	require.NoError(t, err)
	q := put(t, broker, inquiry.Question{Text: long, SessionID: x.ID,
		Body: &inquiry.Ask{Options: []string{strings.Repeat("this one ", 30), "that one"}}})
	_, err = broker.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "that one",
		Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator, By: "operator",
		Remember: "session"})
	require.NoError(t, err)
	for _, args := range [][]string{{"sessions", "list"}, {"inquiries", "--all"}, {"audit"},
		{"audit", "--session", x.ID}, {"answers", "list"}, {"config", "show"}, {"guard", "check"},
		{"sandbox", "--tasks"}} {
		for _, columns := range []uint16{40, 80} {
			shown := b.shown(columns, args...)
			require.NotEmpty(t, strings.TrimSpace(shown))
			for line := range strings.Lines(shown) {
				line = strings.TrimRight(line, "\r\n")
				require.LessOrEqual(t, ansi.StringWidth(line), int(columns), "%q: %q", args, line)
			}
		}
	}
	for _, args := range [][]string{{"sessions", "list"}, {"inquiries", "--all"}, {"audit"}} {
		shown := b.shown(80, args...)
		require.Regexp(t, `(?m)^(SESSION|QUESTION|TIME) .* (TASK|TEXT|WORDS)\r?$`, shown,
			"%q is a table at 80 columns", args)
		require.Contains(t, shown, x.ID[:8]+" ", "%q", args)
		require.NotContains(t, shown, x.ID[:9], "%q", args)
		out, _, code := b.run(args...)
		require.Zero(t, code)
		require.Contains(t, out, x.ID+" ", "what is no terminal gets all of it")
		require.Contains(t, out, long)
		if args[0] != "sessions" {
			require.Contains(t, shown, q.ID[:8]+" ")
			require.Contains(t, out, q.ID+" ")
		}
	}
}

func TestATableThatDoesNotFitIsPrintedAsBlocks(t *testing.T) {
	rows := [][]string{{"SESSION", "STATE", "TASK"}, {"ce867017", "RUNNING", "buy the sneakers"},
		{"0a", "-", "-"}}
	var table, blocks strings.Builder
	require.NoError(t, tty.Table(&table, rows, 24))
	require.Equal(t, "SESSION   STATE    TASK\nce867017  RUNNING  buy…\n"+
		"0a        -        -\n", strings.ReplaceAll(table.String(), "buy …", "buy…"))
	require.NoError(t, tty.Table(&blocks, rows, 18))
	require.Equal(t, "SESSION ce867017\nSTATE RUNNING\nTASK buy the\nsneakers\n\n"+
		"SESSION 0a\nSTATE -\nTASK -\n", blocks.String())
}

// shown is what a command shows at a terminal that wide.
func (b *testEnv) shown(columns uint16, args ...string) string {
	b.t.Helper()
	master, slave := openPTY(b.t)
	resize(b.t, slave, columns)
	screen := newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	program, err := exec.LookPath("taploop")
	require.NoError(b.t, err)
	c := exec.Command(program, args...)
	c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr = b.env, b.dir, slave, slave, slave
	require.NoError(b.t, c.Run(), "%q: %s", args, screen)
	_, err = io.WriteString(slave, "the end")
	require.NoError(b.t, err)
	return screen.await(b.t, `(?s)^(.*)the end`)
}
