package main

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
	"github.com/taploop/taploop/tools/result"
)

// shownResult is a result as --json prints it: with the next command.
type shownResult struct {
	result.Result
	Next *nextCommand `json:"next"`
}

// nextCommand is a command that continues from here. Only runs have a tool, which MCP clients call.
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
func (a *invocation) nextOf(st runs.Status) *nextCommand {
	next := usecase.After(st)
	if next == nil {
		return nil
	}
	n := tools.Name(next)
	command := continueCommand(st.Session.ID, st.Question, a.attended())
	return &nextCommand{command, n.Tool, n.Arguments, n.Why}
}

// continueCommand is the command that continues a session's run, which waits for the question if
// there is one. What only a person decides is shown to a program, and not how to decide it.
func continueCommand(sessionID string, q *inquiry.Question, attended bool) string {
	command := "taploop continue " + sessionID
	switch {
	case q != nil && (q.Kind.Flag() != "" || q.ForPeople()):
		command = story.Reply(*q, attended)
	case q != nil && q.Secret:
		command += " --reply -"
	case q != nil:
		command += " --reply TEXT"
	}
	return command
}

// arguments are the names of arguments at the command line.
var arguments = map[usecase.Argument]string{usecase.ArgReply: "--reply",
	usecase.ArgReplyID: "--reply-id", usecase.ArgSession: "SESSION", usecase.ArgTask: "TASK",
	usecase.ArgMessage: "TEXT"}

// nextWords words what can be done after an error of a command with these arguments.
type nextWords struct {
	args     []string
	attended bool
}

// from is the error of a command that begins or continues a run, with a hint that names commands,
// and the next one; nil if missing.
func (o nextWords) from(err error, r usecase.Remedy) (*nextCommand, error) {
	if m := r.Misuse; m != nil {
		err = runs.Refuse(runs.CodeOf(err), m.Mend.Name(arguments), "%s", m.Message.Name(arguments))
	}
	if r.Next == nil {
		return nil, err
	}
	const queue = "repeat the command with --queue, which waits until the phone is free"
	next, stop := o.command(r.Next), "taploop stop "+r.Stop
	switch {
	case r.Next.Change.Queue:
		return next, hint.Add(err, queue+", or use another phone")
	case !r.Instead:
		return next, err
	case r.Stop != "" && r.Next.Question == nil: // it is not known when it ends
		next = &nextCommand{Command: stop, Why: "it ends the session's run"}
	}
	ways := []string{next.Command}
	switch ends := r.Stop != "" && next.Command != stop; {
	case ends && r.Queue:
		ways = append(ways, "or "+stop)
	case ends:
		ways = append(ways, "or end it: "+stop)
	}
	if r.Queue {
		ways = append(ways, "or "+queue)
	}
	if r.Supersede {
		ways = append(ways, "or run with --supersede, which ends that session and starts")
	}
	return next, hint.Add(err, strings.Join(ways, "; "))
}

// command words what can be done next as a command, or nil if no command does it.
func (o nextWords) command(n *usecase.Next) *nextCommand {
	command := ""
	switch n.Verb {
	case usecase.ToRepeat:
		if n.Change.Queue {
			return o.repeated("--queue")
		}
		return nil
	case usecase.ToListPhones:
		command = "taploop devices"
	case usecase.ToListSessions:
		command = "taploop sessions list"
	case usecase.ToListQuestions, usecase.ToInquire:
		command = "taploop inquiries"
	case usecase.ToStop:
		command = "taploop stop " + n.SessionID
	case usecase.ToWait, usecase.ToContinue:
		command = continueCommand(n.SessionID, n.Question, o.attended)
		if n.Verb == usecase.ToWait && n.Since == nil { // it has ended
			command = "taploop sessions show " + n.SessionID
		}
	}
	return &nextCommand{Command: command, Why: n.Why}
}

// repeated is the command that is run, with one more flag; nil where it holds an answer, which is
// not said again.
func (o nextWords) repeated(flag string) *nextCommand {
	if slices.ContainsFunc(o.args, func(s string) bool { return strings.HasPrefix(s, "--reply") }) {
		return nil
	}
	verb := slices.IndexFunc(o.args, func(s string) bool { return s == "run" || s == "continue" })
	args := slices.Insert(slices.Clone(o.args), verb+1, flag)
	return &nextCommand{Command: "taploop " + adb.Quote(args...),
		Why: "it waits until the phone is free"}
}
