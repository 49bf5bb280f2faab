package inquiry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// Reply is an answer on its way to a question.
type Reply struct {
	ID string // of the reply, chosen by the sender so that it can send again; may be ""
	// TypeAnswer, TypeDecisions, TypeDecline, TypeDone, TypeCouldNot, TypeTimeout or TypeDelegate;
	// "" means TypeAnswer
	Type      Type
	Response  string
	Decisions []Decision // under TypeDecisions: one for each of the question's requests
	Remember  Scope      // for which questions like this one an answer counts as well
	Secret    bool       // the Response is one, whatever the question asks for
	Channel   string
	Authority string
	By        string
	// how the asker is to go on; kept with the answer as given, and shown nowhere
	Resume json.RawMessage
}

// String names the reply and leaves the response out, because it may be a secret.
func (r Reply) String() string {
	return fmt.Sprintf("%s through %s", cmp.Or(r.Type, TypeAnswer), r.Channel)
}

// Format prints String under every verb.
func (r Reply) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// LogValue logs String.
func (r Reply) LogValue() slog.Value { return slog.StringValue(r.String()) }

// maxReplyID is the most bytes that a reply's id may have.
const maxReplyID = 200

// InvalidReplyError says why a reply does not fit its question, in words for its sender.
type InvalidReplyError struct {
	Problem string
	Options []string // what the question offers, if it does
	// of a form: the fault of each field, by its name; Problem says it, too
	Fields  map[string]string
	TooLong bool // there are more bytes than are taken
}

func (e *InvalidReplyError) Error() string {
	if len(e.Options) == 0 {
		return e.Problem
	}
	return fmt.Sprintf("%s (want one of %q)", e.Problem, e.Options)
}

func invalid(format string, args ...any) *InvalidReplyError {
	return &InvalidReplyError{Problem: fmt.Sprintf(format, args...)}
}

func checkText(answer string, limit int) error {
	switch {
	case len(answer) > limit:
		return &InvalidReplyError{Problem: fmt.Sprintf("the answer has %d bytes (at most %d)",
			len(answer), limit), TooLong: true}
	case !utf8.ValidString(answer):
		return invalid("the answer is not valid UTF-8")
	case strings.ContainsRune(answer, 0):
		return invalid("the answer contains a NUL character")
	}
	return nil
}

// option is the option that the answer names, upper or lower case, or "". What is not seen does not
// count.
func option(options []string, answer string) string {
	answer = strings.TrimSpace(text.Lines(answer))
	for _, o := range options {
		if o == answer {
			return o
		}
	}
	for _, o := range options {
		if strings.EqualFold(strings.TrimSpace(text.Lines(o)), answer) {
			return o
		}
	}
	return ""
}

// isPlainText reports whether the text is UTF-8 without NUL.
func isPlainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// ForbiddenError says that the decision is not for its sender.
type ForbiddenError struct {
	Question  string // its id
	Authority string
	Problem   string // why not, in words
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%s (%s is none)", e.Problem, e.Authority)
}
