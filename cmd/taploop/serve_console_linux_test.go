package main

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// manual starts the demo task; the person at the console answers.
func (a *mcpClient) manual(goal string) map[string]any {
	return map[string]any{"task": goal, "reply_mode": "manual_reply", "wait_seconds": 0}
}

func TestWithoutATerminalNobodyIsAskedAtOne(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		p, url := (*process)(nil), ""
		var s *clientProcess
		if w.http {
			// /dev/null.
			p = b.spawnAs(func(c *exec.Cmd) { c.Stdin = nil }, "serve", "--http", "127.0.0.1:0")
			url = p.stderr.await(t, `(?m)^listening on (http://\S+/mcp)$`)
			s = &clientProcess{p, connect(t, w.era, over(t, url, nil)), url}
		} else {
			s = b.open(w)
		}
		refused := s.refused("INVALID_ARGUMENT", "ask_agent_start_new_task", s.manual(b.task.Goal))
		require.Contains(t, refused.Error.Message, "needs a console, and there is none")
		list, err := s.c.CallTool(t.Context(), callOf("list_sessions"))
		require.NoError(t, err)
		require.Contains(t, textOf(list), "Your sessions, the one that changed last first: 0.",
			"nothing was started")
	})
}

func TestTheServersConsoleAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{http: true, era: legacy})
	begun := s.call("ask_agent_start_new_task", s.manual(b.task.Goal))
	require.Contains(t, s.stderr.await(t, `(The agent asks:\n[^\n]+)`),
		"Which size do you wear?")
	_, err := io.WriteString(s.stdin, "\n42\n") // an empty line asks again
	require.NoError(t, err)
	s.stderr.await(t, `(Please type an answer)`)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
	b.done(tripTouches)
}

// answerAt has a task done whose question is answered at the terminal.
func (s *clientProcess) answerAt(master *os.File, task string) {
	t, screen := s.process.t, newTranscript()
	go func() { _, _ = io.Copy(screen, master) }() // ends when the test closes the terminal
	begun := s.call("ask_agent_start_new_task", s.manual(task))
	screen.await(t, `(Which size do you wear\?)`)
	_, err := io.WriteString(master, "42\n")
	require.NoError(t, err)
	done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
	require.NotContains(t, s.stderr.String(), "Which size", "the terminal is asked, not the log")
}

func TestTheTerminalAnswersOnStdio(t *testing.T) {
	t.Parallel()
	master, slave := openPTY(t)
	b := newTestEnv(t, demoTask, "")
	p := b.spawnAs(func(c *exec.Cmd) {
		c.ExtraFiles = []*os.File{slave}
		c.SysProcAttr.Setctty, c.SysProcAttr.Ctty = true, 3
	}, "serve")
	s := b.speak(legacy, p)
	s.answerAt(master, b.task.Goal)
	b.done(tripTouches)
}

// A full-screen program in front has the terminal for itself: asking there would spoil its picture
// and steal its keys.
func TestATerminalInFullScreenIsNotOurs(t *testing.T) {
	t.Parallel()
	_, slave := openPTY(t)
	makeRaw(t, slave)
	b := newTestEnv(t, demoTask, "")
	p := b.spawnAs(func(c *exec.Cmd) {
		c.ExtraFiles = []*os.File{slave}
		c.SysProcAttr.Setctty, c.SysProcAttr.Ctty = true, 3
	}, "serve")
	s := b.speak(legacy, p)
	s.refused("INVALID_ARGUMENT", "ask_agent_start_new_task", s.manual(b.task.Goal))
}

// The console can go away while it is asked; the question stays, for the client.
func TestAConsoleThatEndsLeavesTheQuestionToTheClient(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{http: true, era: legacy})
	begun := s.call("ask_agent_start_new_task", s.manual(b.task.Goal))
	s.stderr.await(t, `(The agent asks)`)
	require.NoError(t, s.stdin.Close())
	asked := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
	require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
	done := s.follow(s.answer(asked, "42"))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
}
