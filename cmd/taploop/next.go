package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
	"github.com/taploop/taploop/tools/result"
)

// shownResult is a result as --json prints it: with the next command.
type shownResult struct {
	result.Result
	Next *nextCommand `json:"next"`
}

// nextCommand is a command that goes on from here. The tool is the one that MCP clients call, which
// there is for runs only.
type nextCommand struct {
	Command   string         `json:"command"`
	Tool      string         `json:"tool,omitempty"`
	Arguments map[string]any `json:"arguments,omitempty"`
	Why       string         `json:"why"`
}

// stoppedShort is an error of a command that begins or continues a run, with what goes on from
// there.
type stoppedShort struct {
	error
	next *nextCommand
}

func (e *stoppedShort) Unwrap() error { return e.error }

// nextOf returns the next command of a run, or nil if it has ended.
func nextOf(st runs.Status) *nextCommand {
	next := usecase.After(st)
	if next == nil {
		return nil
	}
	n := tools.Name(next)
	return &nextCommand{continueCommand(st.Session.ID, st.Question), n.Tool, n.Arguments, n.Why}
}

// continueCommand is the command that goes on with a session's run, which waits for the question if
// there is one.
func continueCommand(sessionID string, q *inquiry.Question) string {
	command := "taploop continue " + sessionID
	switch {
	case q != nil && q.Kind.Flag() != "":
		command = replyTo(*q)
	case q != nil && q.Secret:
		command += " --reply -"
	case q != nil:
		command += " --reply TEXT"
	}
	return command
}

// replyTo is the command that replies to a question.
func replyTo(q inquiry.Question) string {
	how := cmp.Or(q.Kind.Flag(), "TEXT")
	if q.Secret {
		how = "-"
	}
	return "taploop reply " + prefix(q.ID, 8) + " " + how
}

// onward finds the next command after an error of a command with these arguments.
type onward struct {
	*app.Parts
	args []string
}

// from is an error of a command that begins or continues a run, with a hint that names commands,
// and what goes on from there; nil when nothing does. The session is "" when there is none yet.
func (o onward) from(ctx context.Context, sessionID string, err error) (*nextCommand, error) {
	var e *runs.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	_, unfit := errors.AsType[*inquiry.InvalidReplyError](err)
	switch remedy := e.Code.Remedy(); {
	case unfit:
		return o.way(ctx, sessionID), err
	case remedy == runs.SeePhones:
		return &nextCommand{Command: "taploop devices", Why: "it lists the phones"}, err
	case remedy == runs.SeeSessions:
		return &nextCommand{Command: "taploop sessions list", Why: "it lists the sessions"}, err
	case remedy == runs.SeeHolder:
		return o.busy(ctx, e, err)
	case e.Code == runs.RunInProgress:
		next := o.way(ctx, sessionID)
		return next, hint.Add(err, next.Command+"; or end it: taploop stop "+sessionID)
	case remedy == runs.SeeSession, errors.Is(err, inquiry.ErrReplyIDReused):
		return &nextCommand{Command: "taploop sessions show " + sessionID,
			Why: "it shows how the session stands"}, err
	}
	return nil, err
}

// busy tells how to get at a phone that another session has.
func (o onward) busy(ctx context.Context, e *runs.Error, err error) (*nextCommand, error) {
	const queue = "repeat the command with --queue, which waits until the phone is free"
	if e.Holder == nil || e.Holder.SessionID == "" {
		return o.repeated("--queue"), hint.Add(err, queue+", or use another phone")
	}
	next := o.way(ctx, e.Holder.SessionID)
	how := next.Command
	if stop := "taploop stop " + e.Holder.SessionID; how != stop {
		how += "; or " + stop
	}
	return next, hint.Add(err, how+"; or "+queue+"; or run with --supersede, which ends that "+
		"session and starts")
}

// way is how to be done with a session: by answering its question, or by ending it.
func (o onward) way(ctx context.Context, sessionID string) *nextCommand {
	st, err := o.Manager.Status(ctx, sessionID)
	if next := nextOf(st); err == nil && st.Question != nil && next != nil {
		return next
	}
	return &nextCommand{Command: "taploop stop " + sessionID, Why: "it ends the session's run"}
}

// repeated is the command that is run, with one more flag; nil where it holds an answer, which is
// not said again.
func (o onward) repeated(flag string) *nextCommand {
	if slices.ContainsFunc(o.args, func(s string) bool { return strings.HasPrefix(s, "--reply") }) {
		return nil
	}
	verb := slices.IndexFunc(o.args, func(s string) bool { return s == "run" || s == "continue" })
	args := slices.Insert(slices.Clone(o.args), verb+1, flag)
	return &nextCommand{Command: "taploop " + adb.Quote(args...),
		Why: "it waits until the phone is free"}
}
