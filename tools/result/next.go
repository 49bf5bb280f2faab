package result

import (
	"fmt"
	"maps"
	"strings"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// Next names the call that comes next, as its reader makes it.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why"`
}

// Namer words what a caller can do next. It is nil for nil.
type Namer func(*usecase.Next) *Next

// Arguments are those of the call, by the names that programs know.
func Arguments(n *usecase.Next) map[string]any {
	arguments := map[string]any{}
	if n.SessionID != "" {
		arguments["session_id"] = n.SessionID
	}
	if n.QuestionID != "" {
		arguments["question_id"] = n.QuestionID
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
		delete(arguments, name)
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

// Guide adds to a failure the call that comes next, when there is one. The hint names it, too: what
// a model reads and what programs read is the same.
func (f *Failure) Guide(r usecase.Remedy, name Namer) {
	f.Next = name(r.Next)
	if r.Hint != "" {
		f.Hint = r.Hint
	}
	switch n := f.Next; {
	case n == nil:
	case r.Instead:
		f.Hint = n.call() + ": " + n.Why
	case !strings.Contains(f.Hint, n.Tool):
		f.Hint += "; " + n.call() + ": " + n.Why
	}
	if r.Stop != "" {
		which := "it"
		if r.Queue {
			which = "that session"
		}
		stop := name(&usecase.Next{Verb: usecase.ToStop, SessionID: r.Stop})
		f.Hint += "; or end " + which + ": " + stop.call()
	}
	if r.Supersede {
		f.Hint += `; or call again with "supersede": true, which ends it and starts`
	}
	if r.Queue {
		f.Hint += `, or with "queue": true, which waits until the phone is free`
	}
}

// call names the call in a sentence.
func (n *Next) call() string {
	if len(n.Arguments) == 0 {
		return "call " + n.Tool
	}
	return fmt.Sprintf("call %s with %s", n.Tool, text.Readable(n.Arguments))
}
