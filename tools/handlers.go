package tools

import (
	"context"
	"strings"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// following makes a handler of a use case whose run the call follows.
func following[A any](e edge, do func(context.Context, *usecase.Call, A) (*usecase.Outcome, error),
) func(context.Context, *call, A) (*toolResult, error) {
	return func(ctx context.Context, c *call, a A) (*toolResult, error) {
		o, err := do(ctx, c.who, a)
		return e.run(ctx, c, o, err)
	}
}

func (e edge) start(ctx context.Context, c *call, a usecase.Start) (*toolResult, error) {
	o, err := e.cases.Start(ctx, c.who, a)
	return e.run(ctx, c, o, err)
}

// resume answers, gives more steps, or begins a related task. A client of gelab-zero's begins a
// task with it, too, in the place of its own that waits for nobody.
func (e edge) resume(ctx context.Context, c *call, a usecase.Continue) (*toolResult, error) {
	o, err := e.cases.Continue(ctx, c.who, a)
	begins := c.gelab && a.SessionID == "" && a.Task != "" && a.Words == ""
	code := runs.CodeOf(err)
	if begins && (code == runs.SessionNotFound || code == runs.RunInProgress) {
		o, err = e.cases.Start(ctx, c.who, usecase.Start{Task: a.Task, ReplyMode: a.ReplyMode,
			Reset: a.Reset, Supersede: true, Sparing: true, Running: a.Running})
	}
	return e.run(ctx, c, o, err)
}

// retry takes the answer that comes with a call which is made again, and follows the run. What the
// call had to begin was begun the first time.
func (e edge) retry(ctx context.Context, c *call) (*toolResult, error) {
	f, err := e.take(ctx, c)
	if err != nil {
		return nil, err
	}
	o, err := e.cases.Wait(ctx, c.who, usecase.Wait{SessionID: f.question.SessionID,
		QuestionID: f.args.QuestionID, Since: f.args.Since, Seconds: f.args.Seconds})
	if err == nil {
		o.Status.Replayed, o.Late = f.Replayed, f.Late
	}
	return e.run(ctx, c, o, err)
}

// either starts without a session and continues with one.
func (e edge) either(ctx context.Context, c *call, a eitherArgs) (*toolResult, error) {
	reset := a.SessionID == ""
	if a.Reset != nil {
		reset = *a.Reset
	}
	if a.SessionID != "" {
		if a.Key != "" {
			return nil, invalid("leave idempotency_key out; reply_id does the same for an answer",
				"idempotency_key is for a new task, and there is a session_id")
		}
		return e.resume(ctx, c, usecase.Continue{SessionID: a.SessionID, Task: a.Task,
			ReplyMode: a.ReplyMode, Reset: reset, Reply: a.Reply, Running: a.Running})
	}
	for _, name := range []string{"reply_from_client", "question_id", "reply_id"} {
		if c.given[name] {
			return nil, usecase.Missing(usecase.ArgSession,
				"pass the session_id of the session that asked, or leave %s out", name)
		}
	}
	if strings.TrimSpace(a.Task) == "" {
		return nil, invalid("pass a task to start, or a session_id to go on",
			"there is neither a task nor a session_id")
	}
	return e.start(ctx, c, usecase.Start{Task: a.Task, ReplyMode: a.ReplyMode, Reset: reset,
		Key: a.Key, Supersede: a.Supersede, Running: a.Running})
}

// sessions lists the caller's sessions.
func (e edge) sessions(ctx context.Context, c *call, a usecase.ListSessions) (*toolResult, error) {
	list, err := e.cases.ListSessions(ctx, c.who, a)
	if err != nil {
		return nil, err
	}
	body := result.Sessions{Sessions: []result.Session{}}
	for _, st := range list {
		body.Sessions = append(body.Sessions, e.listed(c, st))
	}
	r := &toolResult{text: func() string { return sessionsSaid(&body, c.messages) }}
	return r, c.fit(r, &body)
}

func (e edge) listed(c *call, st runs.Status) result.Session {
	listed := result.Session{
		SessionID: st.Session.ID, RunID: st.Run.ID, DeviceID: st.Session.Serial, Task: st.Run.Task,
		State: st.Run.State, Reason: st.Reason, Steps: st.Session.Steps,
		CreatedAt: st.Session.CreatedAt, UpdatedAt: st.Session.UpdatedAt,
		Next: c.name(usecase.After(st)),
	}
	if st.Run.State == store.Completed {
		listed.Answer = &st.Run.Answer
	}
	if st.Question != nil {
		listed.Question = e.shown(*st.Question)
	}
	return listed
}
