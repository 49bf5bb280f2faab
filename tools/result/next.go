package result

import (
	"errors"
	"fmt"
	"maps"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/schema"
)

// Next names the call that comes next, as its reader makes it.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why"`
}

// Namer words what a caller can do next. It is nil for nil.
type Namer func(*usecase.Next) *Next

// names are those of the arguments in the JSON of calls and requests.
var names = map[usecase.Argument]string{
	usecase.ArgSession: "session_id", usecase.ArgPhone: "device_id", usecase.ArgTask: "task",
	usecase.ArgQuestion: "question_id", usecase.ArgReply: "reply_from_client",
	usecase.ArgReplyID: "reply_id", usecase.ArgReplyType: "reply_type",
	usecase.ArgRemember: "remember", usecase.ArgDecisions: "decisions",
	usecase.ArgKey: "idempotency_key", usecase.ArgMessage: "message",

	usecase.ArgPrompt: "prompt", usecase.ArgContext: "context", usecase.ArgOptions: "options",
	usecase.ArgFields: "fields", usecase.ArgDraft: "draft", usecase.ArgDefault: "default_answer",
	usecase.ArgTimeout: "timeout_seconds", usecase.ArgOnTimeout: "on_timeout",
	usecase.ArgResponse: "response", usecase.ArgValues: "values", usecase.ArgDecline: "decline",
}

// needs words the arguments that a call lacks.
var needs = map[usecase.Needs]string{
	usecase.NeedsReply:     "; add reply_from_client with your user's own answer",
	usecase.NeedsDecisions: "; add decisions, one for each of the question's action_requests",
	usecase.NeedsHandBack: "; add reply_type done when your user says so, or could_not with " +
		"reply_from_client",
}

// Call is the next call with its reason.
func Call(n *usecase.Next, call string, arguments map[string]any) *Next {
	return &Next{Tool: call, Arguments: arguments, Why: n.Why + needs[n.Needs]}
}

// Read reads the arguments of a call or a request by their schema. given are the names that were
// passed.
func Read(s *schema.Schema, raw, to any) (given map[string]bool, err error) {
	if given, err = schema.Read(s, raw, to); err == nil {
		return given, nil
	}
	coded := runs.Coded(runs.InvalidArgument, err)
	wrong, is := errors.AsType[*schema.ArgumentError](err)
	for argument, name := range names {
		if next := usecase.NextList(argument); is && name == wrong.Name && next != nil {
			return given, usecase.RefuseNext(coded, next)
		}
	}
	return given, coded
}

// Arguments are those of the call, by the names that programs know.
func Arguments(n *usecase.Next) map[string]any {
	arguments := map[string]any{}
	if n.SessionID != "" {
		arguments["session_id"] = n.SessionID
	}
	if n.Question != nil {
		arguments["question_id"] = n.Question.ID
	}
	if n.Since != nil {
		arguments["since_step"] = *n.Since
	}
	if n.From > 0 {
		arguments["answer_from"] = n.From
	}
	return arguments
}

// Repeat is the same call with some arguments changed. The words of an answer are not said again.
func Repeat(n *usecase.Next, call string, given map[string]any) *Next {
	arguments, why := maps.Clone(given), n.Why
	for _, name := range n.Change.Without {
		delete(arguments, names[name])
	}
	if n.Change.Queue {
		arguments["queue"] = true
	}
	if arguments["reply_from_client"] != nil {
		delete(arguments, "reply_from_client")
		why += "; add reply_from_client again"
	}
	return &Next{Tool: call, Arguments: arguments, Why: why}
}

// call names the call in a sentence.
func (n *Next) call() string {
	if len(n.Arguments) == 0 {
		return "call " + n.Tool
	}
	return fmt.Sprintf("call %s with %s", n.Tool, text.Readable(n.Arguments))
}
