package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// redirect is a refusal that knows the call which goes on from there.
type redirect struct {
	err  error
	next *result.Next
}

func (r *redirect) Error() string { return r.err.Error() }
func (r *redirect) Unwrap() error { return r.err }

// guide adds to a refusal the call that goes on from there, when there is one. The hint names it,
// too: what a model reads and what programs read is the same.
func (t *Tools) guide(ctx context.Context, c *call, d tool, err error, f *result.Failure) {
	f.Next = c.named(t.goesOn(ctx, c, d, err, f))
	if n := f.Next; n != nil && !strings.Contains(f.Hint, n.Tool) {
		f.Hint += "; " + hintTo(n)
	}
}

// goesOn is the call that goes on after an error; nil when there is none.
func (t *Tools) goesOn(ctx context.Context, c *call, d tool, err error,
	f *result.Failure) *result.Next {
	if r, is := errors.AsType[*redirect](err); is {
		return r.next
	}
	if wrong, is := errors.AsType[*schema.ArgumentError](err); is {
		return listOf(wrong.Name)
	}
	code := runs.CodeOf(err)
	switch code.Remedy() {
	case runs.SeeHolder:
		return t.busy(ctx, c, d, f)
	case runs.SeePhones:
		return listOf("device_id")
	case runs.SeeSessions:
		f.Hint = "pass the session_id of one of your sessions, or start a new task"
		return listOf("session_id")
	case runs.SeeSession:
		return t.inSession(ctx, c, code, f)
	}
	switch {
	case code == deviceDisconnected:
		return listOf("device_id")
	case code == questionNotFound, code == tooManyQuestions, errors.Is(err, runs.ErrOwnQuestions):
		return listOf("question_id")
	case errors.Is(err, inquiry.ErrReplyIDReused):
		return t.inSession(ctx, c, runs.QuestionAlreadyResolved, f)
	case isUnfit(err):
		return t.fitting(ctx, c)
	case code == runs.DeviceMismatch:
		return c.repeated(map[string]any{"device_id": nil}, "the session's own phone is meant then")
	case errors.Is(err, runs.ErrReplyWithTask):
		return t.oneOfTwo(ctx, c)
	}
	return nil
}

// inSession goes on with the session that the call was about. After an answer that came too late it
// at least shows how the run ended.
func (t *Tools) inSession(ctx context.Context, c *call, code runs.Code,
	f *result.Failure) *result.Next {
	st, err := t.opts.Runs.Status(ctx, c.session)
	if err != nil {
		return nil
	}
	n := Next(st)
	switch {
	case code == runs.RunInProgress && n != nil:
		f.Hint = hintTo(c.named(n))
		if !keptByPerson(st) { // which only a person ends
			f.Hint += "; or end it: " + c.stopCall(c.session)
		}
	case (code == runs.QuestionAlreadyResolved || code == runs.NoOpenQuestion) && n == nil:
		n = nextCall(waitTool, map[string]any{"session_id": c.session},
			"it shows how the run ended")
	}
	return n
}

func isUnfit(err error) bool {
	_, is := errors.AsType[*inquiry.InvalidReplyError](err)
	return is
}

// fitting is the call that answers the question which is still open.
func (t *Tools) fitting(ctx context.Context, c *call) *result.Next {
	if c.session != "" {
		return t.nextIn(ctx, c.session)
	}
	return c.repeated(map[string]any{"response": nil, "values": nil, "decline": nil,
		"reply_type": nil, "reply_id": nil}, "add an answer that fits")
}

// listOf is the call that lists the values which an argument may have; nil when there is none.
func listOf(argument string) *result.Next {
	switch argument {
	case "session_id":
		return nextCall(sessionsTool, map[string]any{}, "it lists your sessions")
	case "question_id":
		return nextCall(pendingTool, map[string]any{}, "it lists the open questions")
	case "device_id":
		return nextCall(phonesTool, map[string]any{}, "it lists the phones that there are")
	}
	return nil
}

// busy tells how to get at a phone that a session has. The holder has an id when it is the
// caller's.
func (t *Tools) busy(ctx context.Context, c *call, d tool, f *result.Failure) *result.Next {
	queues := d.wording().input.Properties["queue"] != nil
	own := f.Holder != nil && f.Holder.SessionID != ""
	switch {
	case !own && queues:
		return c.repeated(map[string]any{"queue": true}, "it waits until the phone is free")
	case !own:
		return listOf("device_id")
	}
	st, err := t.opts.Runs.Status(ctx, f.Holder.SessionID)
	if err != nil {
		return nil
	}
	next := Next(st)
	if next == nil {
		return nil
	}
	f.Hint = hintTo(c.named(next))
	if !keptByPerson(st) { // which only a person ends
		f.Hint += "; or end that session: " + c.stopCall(f.Holder.SessionID)
		if d.wording().input.Properties["supersede"] != nil && !c.given["supersede"] {
			f.Hint += `; or call again with "supersede": true, which ends it and starts`
		}
	}
	if queues {
		f.Hint += `, or with "queue": true, which waits until the phone is free`
	}
	return next
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

// oneOfTwo is the call with the answer or with the new task, whichever can be carried out.
func (t *Tools) oneOfTwo(ctx context.Context, c *call) *result.Next {
	st, err := t.opts.Runs.Status(ctx, c.session)
	switch {
	case err != nil:
		return nil
	case st.Question != nil:
		return c.repeated(map[string]any{"task": nil}, "it answers the task that asks")
	case st.Run.State.Terminal():
		return c.repeated(map[string]any{"reply_from_client": nil, "question_id": nil,
			"reply_id": nil}, "it begins the new task; nothing waits for an answer")
	}
	return Next(st)
}

// repeated is the same call with some arguments changed; one that becomes nil is left out. The
// words of an answer are not said again.
func (c *call) repeated(change map[string]any, why string) *result.Next {
	arguments := c.canonical()
	maps.DeleteFunc(arguments, func(name string, _ any) bool { return !c.given[name] })
	maps.Copy(arguments, change)
	if arguments["reply_from_client"] != nil {
		arguments["reply_from_client"] = nil
		why += "; add reply_from_client again"
	}
	maps.DeleteFunc(arguments, func(_ string, v any) bool { return v == nil })
	return nextCall(c.request.Params.Name, arguments, why)
}

// named is the call as the caller knows it.
func (c *call) named(n *result.Next) *result.Next {
	if n == nil || c.names == nil {
		return n
	}
	tool, arguments := c.names(n.Tool, n.Arguments)
	return nextCall(tool, arguments, n.Why)
}

func hintTo(n *result.Next) string { return withArguments(n) + ": " + n.Why }

// withArguments names a call in a sentence.
func withArguments(n *result.Next) string {
	if len(n.Arguments) == 0 {
		return "call " + n.Tool
	}
	return fmt.Sprintf("call %s with %s", n.Tool, quote(n.Arguments))
}

func (c *call) stopCall(sessionID string) string {
	return withArguments(c.named(nextCall(stopTool, map[string]any{"session_id": sessionID}, "")))
}
