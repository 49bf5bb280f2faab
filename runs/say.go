package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// SayRequest says something to a session's run while it goes on, waits or is paused.
type SayRequest struct {
	SessionID string
	Text      string
	Mode      agentloop.MessageMode // "" means AsNote
	Key       string                // chosen by the sender: sent again it is not said twice
	By        Actor
}

const maxMessage = 2000 // characters

// Say keeps what is said, and returns. The run does not stop for it: its model is shown the words
// at its next step, or at the first one after a pause or an answer, and what it had decided before
// an instruction is not carried out. No run ends while there is something that it has not heard.
func (m *Manager) Say(ctx context.Context, r SayRequest) (Status, error) {
	if err := m.checkOpen(); err != nil {
		return Status{}, err
	}
	if r.Mode == "" {
		r.Mode = agentloop.AsNote
	}
	if err := checkMessage(r); err != nil {
		return Status{}, err
	}
	sess, err := m.store.Session(ctx, r.SessionID)
	if err != nil {
		return Status{}, UnknownSession(r.SessionID, err)
	}
	run, err := m.store.LatestRun(ctx, sess.ID)
	switch {
	case err != nil:
		return Status{}, UnknownSession(r.SessionID, err)
	case sess.Phoneless() && !run.State.Terminal():
		return Status{}, Refuse(InvalidArgument, "pause it, and say it when it goes on "+
			"(taploop continue "+sess.ID+" WORDS), or say it to the session of one of its phones",
			"session %s is one of taploop host, whose agents cannot be spoken to in between", sess.ID)
	}
	replayed, err := m.store.Say(ctx, run.ID,
		session.Message{Mode: r.Mode, Text: r.Text, Key: r.Key}, session.AuditEntry{
			Channel: r.By.Channel, Authority: r.By.Authority, By: r.By.Name})
	if err != nil {
		return Status{}, unsaid(sess.ID, err)
	}
	st, err := m.Status(ctx, sess.ID)
	st.Replayed = replayed
	return st, err
}

func checkMessage(r SayRequest) error {
	switch n := utf8.RuneCountInString(r.Text); {
	case r.Mode != agentloop.AsNote && r.Mode != agentloop.AsInstruction:
		return invalid(fmt.Sprintf("use %q or %q", agentloop.AsNote, agentloop.AsInstruction),
			"unknown mode %q", r.Mode)
	case strings.TrimSpace(r.Text) == "":
		return invalid("say in a sentence or two what the agent should know or do",
			"the text is empty")
	case !utf8.ValidString(r.Text):
		return invalid("send the text as UTF-8", "the message is not text")
	case n > maxMessage:
		return invalid("say it in fewer words, or stop the run and start a new task",
			"the message has %d characters (want at most %d)", n, maxMessage)
	}
	return nil
}

// unsaid is why something could not be said.
func unsaid(sessionID string, err error) error {
	_, ended := errors.AsType[*session.StateError](err)
	switch {
	case ended:
		return Refuse(RunEnded, "continue the session with a new task",
			"the task of session %s has ended, or is just ending: nobody hears it", sessionID)
	case errors.Is(err, session.ErrMessageKey):
		return invalid("use a new key for a new message", "%w", session.ErrMessageKey)
	case errors.Is(err, session.ErrTooMuch):
		return Refuse(MessageLimit, "stop the run, and start a task that says it all", "%w",
			session.ErrTooMuch)
	}
	return err
}
