package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/tools/result"
)

// guide adds to a refusal the call that goes on from there, when there is one, and a hint that
// names tools.
func (t *Tools) guide(ctx context.Context, c *call, d tool, err error, f *result.Failure) {
	var refusal *runs.Error
	if !errors.As(err, &refusal) {
		return
	}
	switch refusal.Code {
	case runs.DeviceBusy:
		t.guideBusy(ctx, c, d, f)
	case runs.DeviceNotFound, runs.DeviceAmbiguous, deviceDisconnected:
		f.Next = nextCall(phonesTool, map[string]any{}, "it lists the phones that there are")
	case runs.DeviceMismatch:
		f.Next = c.changed("device_id", nil, "the session's own phone is meant then")
	case runs.SessionNotFound:
		if !strings.Contains(f.Hint, sessionsTool) {
			f.Hint = "call list_sessions and pass a session_id of its result, or start a new task"
		}
		f.Next = nextCall(sessionsTool, map[string]any{}, "it lists your sessions")
	case questionNotFound:
		f.Next = nextCall(pendingTool, map[string]any{}, "it lists the open questions")
	case runs.RunInProgress, runs.NoOpenQuestion, runs.QuestionAlreadyResolved,
		runs.QuestionSuperseded:
		f.Next = t.nextIn(ctx, c.session)
	}
	if refusal.Code == runs.RunInProgress && f.Next != nil {
		f.Hint = goOnWith(f.Next) + "; or end it: " + stopCall(f.Next.Arguments["session_id"])
	}
}

// guideBusy tells how to get at a phone that a session has. The holder has an id when it is the
// caller's.
func (t *Tools) guideBusy(ctx context.Context, c *call, d tool, f *result.Failure) {
	queues := d.input.Properties["queue"] != nil
	own := f.Holder != nil && f.Holder.SessionID != ""
	if own {
		f.Next = t.nextIn(ctx, f.Holder.SessionID)
	} else if queues {
		f.Next = c.changed("queue", true, "it waits until the phone is free")
	}
	if !own || f.Next == nil {
		return
	}
	f.Hint = goOnWith(f.Next) + "; or end that session: " + stopCall(f.Holder.SessionID)
	if d.input.Properties["supersede"] != nil && !c.given["supersede"] {
		f.Hint += `; or call again with "supersede": true, which ends it and starts`
	}
	if queues {
		f.Hint += `, or with "queue": true, which waits until the phone is free`
	}
}

// nextIn is the call that goes on with a session of the caller; nil when its run has ended, or when
// there is none.
func (t *Tools) nextIn(ctx context.Context, sessionID string) *result.Next {
	st, err := t.opts.Runs.Status(ctx, sessionID)
	if err != nil {
		return nil
	}
	return Next(st)
}

// changed is the same call with another value of an argument; nil leaves it out. The words of an
// answer are not said again.
func (c *call) changed(name string, value any, why string) *result.Next {
	arguments := c.canonical()
	for k := range arguments {
		if k == name || k == "reply_from_client" || !c.given[k] {
			delete(arguments, k)
		}
	}
	if value != nil {
		arguments[name] = value
	}
	if c.given["reply_from_client"] {
		why += "; add reply_from_client again"
	}
	return nextCall(c.request.Params.Name, arguments, why)
}

func goOnWith(n *result.Next) string {
	return fmt.Sprintf("call %s with %s: %s", n.Tool, quote(n.Arguments), n.Why)
}

func stopCall(sessionID any) string {
	return fmt.Sprintf("call %s with %s", stopTool, quote(map[string]any{"session_id": sessionID}))
}
