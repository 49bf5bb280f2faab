package usecase

import (
	"fmt"

	"github.com/taploop/taploop/internal/runs"
)

// Argument is what a caller passes to a use case, in plain words. Each edge has names of its own
// for arguments.
type Argument string

// The arguments that refusals name.
const (
	ArgSession   Argument = "the session"
	ArgPhone     Argument = "the phone"
	ArgTask      Argument = "the task"
	ArgMessage   Argument = "the message"
	ArgQuestion  Argument = "the question"
	ArgReply     Argument = "the answer"
	ArgReplyID   Argument = "the answer's id"
	ArgReplyType Argument = "the answer's type"
	ArgRemember  Argument = "how long to remember"
	ArgDecisions Argument = "decisions"
	ArgKey       Argument = "the call's key"

	// Of an inquiry, and of the answer to one.
	ArgPrompt    Argument = "what is asked"
	ArgContext   Argument = "the context"
	ArgOptions   Argument = "options"
	ArgFields    Argument = "fields"
	ArgDraft     Argument = "a draft"
	ArgDefault   Argument = "the default answer"
	ArgTimeout   Argument = "the time-out"
	ArgOnTimeout Argument = "what silence means"
	ArgResponse  Argument = "a text"
	ArgValues    Argument = "values"
	ArgDecline   Argument = "a refusal"
)

// Sentence is a text about arguments.
type Sentence struct {
	format string
	about  []any // in the format, Arguments among them
}

// Name returns the sentence with the arguments under an edge's names. Those without a name are in
// plain words.
func (s Sentence) Name(names map[Argument]string) string {
	about := make([]any, len(s.about))
	for i, v := range s.about {
		if a, is := v.(Argument); is && names[a] != "" {
			v = names[a]
		}
		about[i] = v
	}
	return fmt.Sprintf(s.format, about...)
}

// Misuse is a refusal of arguments. Its text is in plain words.
type Misuse struct {
	Message, Mend Sentence
	code          runs.Code
	missing       Argument // the only one, or ""
}

// Error implements error.
func (m *Misuse) Error() string { return m.Message.Name(nil) }

// Unwrap returns the error with its code.
func (m *Misuse) Unwrap() error { return runs.Refuse(m.code, m.Mend.Name(nil), "%s", m.Error()) }

// Missing is the refusal of a call without an argument that it needs.
func Missing(a Argument, format string, about ...any) error {
	m := mend(format, about...).because("%s is missing", a)
	m.missing = a
	return m
}

// mend says what helps against a misuse.
func mend(format string, about ...any) *Misuse {
	return &Misuse{Mend: Sentence{format, about}, code: runs.InvalidArgument}
}

// because names the fault.
func (m *Misuse) because(format string, about ...any) *Misuse {
	m.Message = Sentence{format, about}
	return m
}
