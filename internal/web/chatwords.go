package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// chatQuestion is what a conversation needs of a question.
type chatQuestion struct {
	ID         string            `json:"question_id"`
	Kind       string            `json:"kind"`
	Text       string            `json:"text"`
	Options    []string          `json:"options"`
	Actions    []json.RawMessage `json:"action_requests"`
	Secret     bool              `json:"secret"`
	PeopleOnly bool              `json:"people_only"`
	PageURL    string            `json:"page_url"`
}

// Words that settle what is about acts, as [chatWords] say them.
var (
	consents = []string{"yes", "approve", "同意", "是"}
	isDone   = []string{"done", "完成", "好了"}
)

// saidOnly reports whether the user said one of the words and nothing else.
func saidOnly(said string, words []string) bool {
	return slices.Contains(words, strings.ToLower(strings.Trim(said, " .!。！\"'“”")))
}

// answers reports whether the user's words are for the question: what is about acts has to have
// been seen.
func (t *chatTurn) answers(q *chatQuestion) bool {
	acts := q != nil && (q.Kind == "approval" || q.Kind == "takeover")
	return q != nil && t.mayAnswer(q) && (q.ID == t.question || t.question == "" && !acts)
}

// mayAnswer reports whether who talks here may answer the question.
func (t *chatTurn) mayAnswer(q *chatQuestion) bool { return !q.PeopleOnly || !t.v.actor().Program }

// first is what is said before the run goes on.
func (t *chatTurn) first() string {
	said := fmt.Sprintf(mark, t.now.SessionID)
	if t.late {
		said += t.words.Late + "\n"
	}
	return said
}

// last is what is said at the end of the turn.
func (t *chatTurn) last() string {
	q := t.now.Question
	said := t.words.last(&t.now, q != nil && t.mayAnswer(q))
	if q != nil {
		said += fmt.Sprintf(questionMark, q.ID)
	}
	return said
}

// answered are the arguments that answer the question with the user's words. Only what is clear is
// a consent.
func (q *chatQuestion) answered(said string) map[string]any {
	arguments := map[string]any{"question_id": q.ID, "wait_seconds": 0}
	switch {
	case q.Kind == "approval" && saidOnly(said, consents):
		arguments["decisions"] = slices.Repeat([]any{map[string]any{"type": "approve"}},
			len(q.Actions))
	case q.Kind == "approval":
		arguments["decisions"] = slices.Repeat([]any{map[string]any{"type": "reject",
			"message": said}}, len(q.Actions))
	case q.Kind == "takeover" && saidOnly(said, isDone):
		arguments["reply_type"] = "done"
	case q.Kind == "takeover":
		arguments["reply_type"], arguments["reply_from_client"] = "could_not", said
	default:
		arguments["reply_from_client"] = said
	}
	return arguments
}

// chatWords are the sentences around what the agent says, in the language of the user.
type chatWords struct {
	Options, Secret, Decide, HandOver, Person, Late, Completed, Aborted, Paused, Ended, Going string
}

var chatWordsIn = words.Of[chatWords]("chat")

// wordsFor returns the words for an answer to what was said.
func wordsFor(said string) *chatWords {
	if strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return chatWordsIn("zh")
	}
	return chatWordsIn(words.Default)
}

// last is what is said at the end of a turn; yours is as for asked.
func (w *chatWords) last(n *callResult, yours bool) string {
	why := n.Reason
	if n.Error != nil {
		why = text.Line(n.Error.Message)
	}
	switch {
	case n.Question != nil:
		return w.asked(n.Question, yours)
	case n.going():
		return w.Going
	case n.State == store.Completed && n.Answer == "":
		return w.Completed
	case n.State == store.Completed:
		return text.Lines(n.Answer)
	case n.State == store.Aborted:
		return fmt.Sprintf(w.Aborted, text.Line(n.Final.Action.Value))
	case n.State == store.Paused:
		return fmt.Sprintf(w.Paused, why)
	}
	return fmt.Sprintf(w.Ended, why)
}

// asked is a question, and how it is answered. Whether it is for who talks here to answer is yours.
func (w *chatWords) asked(q *chatQuestion, yours bool) string {
	said := text.Lines(q.Text)
	switch {
	case !yours:
		said += "\n" + fmt.Sprintf(w.Person, q.PageURL)
	case q.Kind == "approval":
		said += "\n" + w.Decide
	case q.Kind == "takeover":
		said += "\n" + w.HandOver
	}
	if len(q.Options) > 0 {
		said += "\n" + fmt.Sprintf(w.Options, text.Line(strings.Join(q.Options, " / ")))
	}
	if q.Secret && q.PageURL != "" {
		said += "\n" + fmt.Sprintf(w.Secret, q.PageURL)
	}
	return said
}
