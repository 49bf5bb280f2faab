package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

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
	var err error
	s.status, err = t.Runs.Start(ctx, runs.StartRequest{Kind: store.OfAgents, Task: a.Goal,
		Client: c.principal, Key: a.Key, By: c.actor()})
	if err != nil {
		return nil, err
	}
	return t.follow(ctx, c, s)
}

// asked notes that agents, or their phones, wait for answers while their work goes on.
func (t *tasks) asked(ctx context.Context, c *call, st runs.Status, notes []string) (
	[]string, error) {
	open, err := t.Runs.AskedMeanwhile(ctx, st)
	if len(open) > 0 {
		list, answer := c.named(listOf("question_id")), c.named(nextCall(answerTool, nil, ""))
		notes = append(notes, fmt.Sprintf("questions of the agents that wait: %d. Call %s, and %s "+
			"with what your user says", len(open), list.Tool, answer.Tool))
	}
	return notes, err
}
