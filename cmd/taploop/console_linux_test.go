package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/taploop/taploop/internal/terminal/tty"
)

// ptyPerson is a person at a terminal: shown tells what appears on it.
type ptyPerson struct {
	*tty.Console
	master *os.File
	slave  *os.File
	shown  *transcript
}

func newPTYPerson(t *testing.T) *ptyPerson {
	master, slave := openPTY(t)
	s := &ptyPerson{tty.NewConsole(slave, slave), master, slave, newTranscript()}
	go func() { _, _ = io.Copy(s.shown, master) }() // ends when the test closes the terminal
	return s
}

// types types, and returns once the terminal has taken it: its echo is there.
func (s *ptyPerson) types(t *testing.T, keys, echo string) {
	t.Helper()
	_, err := io.WriteString(s.master, keys)
	require.NoError(t, err)
	s.shown.await(t, "("+echo+")")
}

// asks asks, types an answer once the prompt is there, and returns what Ask gives.
func (s *ptyPerson) asks(t *testing.T, prompt, keys string) string {
	t.Helper()
	answers := make(chan string, 1)
	go func() { // ends with the answer
		text, err := s.Ask(t.Context(), prompt, false)
		if err != nil {
			text = err.Error()
		}
		answers <- text
	}()
	s.shown.await(t, "("+regexp.QuoteMeta(prompt)+")")
	_, err := io.WriteString(s.master, keys)
	require.NoError(t, err)
	return <-answers
}

func TestWhatWasTypedBeforeAQuestionAnswersNone(t *testing.T) {
	s := newPTYPerson(t)
	s.types(t, "yes, delete everything\n", "yes, delete everything\r\n")
	require.Equal(t, "no", s.asks(t, "delete all photos?", "no\n"))
}

func TestLinesPastedAtOnceAnswerOneQuestion(t *testing.T) {
	s := newPTYPerson(t)
	require.Equal(t, "12 Main Street", s.asks(t, "delivery address?", "12 Main Street\nyes\n"))
	s.shown.await(t, "(yes\r\n)")
	require.Equal(t, "no", s.asks(t, "pay 500 now?", "no\n"))
}

func TestHalfALineForASettledQuestionAnswersNoOther(t *testing.T) {
	s := newPTYPerson(t)
	ctx, settle := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() { // ends when the question is settled
		_, err := s.Ask(ctx, "first?", false)
		left <- err
	}()
	s.shown.await(t, `(first\?)`)
	s.types(t, "yes", "yes")
	settled := errors.New("settled elsewhere")
	settle(settled)
	require.ErrorIs(t, <-left, settled)
	s.shown.await(t, `(\(settled elsewhere\))`)
	require.Equal(t, "", s.asks(t, "pay 500 now?", "\n"))
}

func TestPipedLinesAreAnswersInTheirOrder(t *testing.T) {
	c := tty.NewConsole(bufio.NewReader(strings.NewReader("one\ntwo\n")), io.Discard)
	for _, want := range []string{"one", "two"} {
		got, err := c.Ask(t.Context(), "?", false)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := c.Ask(t.Context(), "?", false)
	require.ErrorIs(t, err, io.EOF)
}

func TestAQuestionIsBrokenBetweenWords(t *testing.T) {
	s := newPTYPerson(t)
	require.NoError(t, unix.IoctlSetWinsize(int(s.slave.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: 30}))
	answers := make(chan string, 1)
	go func() { // ends with the answer
		text, _ := s.Ask(t.Context(), "Which size is it, or is it none? /refuse, /timeout> ", false)
		answers <- text
	}()
	s.shown.await(t, `(Which size is it, or is it\r\nnone\? /refuse, /timeout> )`)
	_, err := io.WriteString(s.master, "42\n")
	require.NoError(t, err)
	require.Equal(t, "42", <-answers)
}
