package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
)

// Goals hands goals to agents that have tools of MCP servers, and phones. Their sessions are
// waited for, stopped and listed like others.
type Goals interface {
	// Start begins a session and works on it in the background. A client's goal with a key that
	// was used before is the session that was begun then.
	Start(ctx context.Context, g Goal) (sessionID string, err error)
	// GoOn works on in a session that is paused; said is told to the agents, unless it is "".
	GoOn(ctx context.Context, sessionID, said string, by runs.Actor) error
}

// Goal is what a client delegates.
type Goal struct {
	Text   string
	Client string // whom the session, and those of its phones, belong to
	Key    string // "" for none
	By     runs.Actor
}

type goalArgs struct {
	Goal    string   `json:"goal" max:"20000"`
	Key     string   `json:"idempotency_key,omitempty" max:"200" listed:"no"`
	Seconds *float64 `json:"wait_seconds,omitempty" max:"3600"`
}

// delegate begins work on a goal, and waits for it.
func (t *tasks) delegate(ctx context.Context, c *call, a goalArgs) (*toolResult, error) {
	s := &callState{began: time.Now(), budget: c.budget(a.Seconds)}
	if strings.TrimSpace(a.Goal) == "" {
		return nil, invalid("say what is to be reached", "the goal is empty")
	}
	id, err := t.Goals.Start(ctx, Goal{Text: a.Goal, Client: c.principal, Key: a.Key,
		By: c.actor()})
	if err != nil {
		return nil, err
	}
	return t.followGoal(ctx, c, s, id)
}

// resumeGoal goes on in a session of agents that is paused, and waits for one that goes on.
func (t *tasks) resumeGoal(ctx context.Context, c *call, before runs.Status, a continueArgs) (
	*toolResult, error) {
	s := &callState{began: time.Now(), budget: c.budget(a.Seconds)}
	if a.Reply != "" || a.ReplyType != "" || c.given["decisions"] {
		return nil, &redirect{invalid("answer each of their questions by itself",
			"agents have questions of their own, which no answer to a session is for"),
			listOf("question_id")}
	}
	err := t.Goals.GoOn(ctx, c.session, a.Task, c.actor())
	going := before.Reason == agentloop.StillRunning && runs.CodeOf(err) == runs.RunInProgress
	if err != nil && (a.Task != "" || !going) {
		return nil, err
	}
	return t.followGoal(ctx, c, s, c.session)
}

func (t *tasks) followGoal(ctx context.Context, c *call, s *callState, id string) (
	*toolResult, error) {
	var err error
	if s.status, err = t.Runs.Status(ctx, id); err != nil {
		return nil, err
	}
	return t.follow(ctx, c, s)
}

// asked notes that agents, or their phones, wait for answers while their work goes on.
func (t *tasks) asked(ctx context.Context, c *call, st runs.Status, notes []string) (
	[]string, error) {
	if !st.Session.Phoneless() || st.Reason != agentloop.StillRunning {
		return notes, nil
	}
	open, err := t.Runs.Asked(ctx, st.Session)
	if len(open) > 0 {
		list, answer := c.named(listOf("question_id")), c.named(nextCall(answerTool, nil, ""))
		notes = append(notes, fmt.Sprintf("questions of the agents that wait: %d. Call %s, and %s "+
			"with what your user says", len(open), list.Tool, answer.Tool))
	}
	return notes, err
}
