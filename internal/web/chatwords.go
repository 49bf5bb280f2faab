package web

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/result"
)

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
func (t *chatTurn) answers(q *inquiry.Question) bool {
	acts := q != nil && (q.Kind == inquiry.KindApproval || q.Kind == inquiry.KindTakeover)
	return q != nil && t.mayAnswer(q) && (q.ID == t.question || t.question == "" && !acts)
}

// mayAnswer reports whether who talks here may answer the question.
func (t *chatTurn) mayAnswer(q *inquiry.Question) bool { return !q.ForPeople() || !t.v.actor().Program }

// first is what is said before the run goes on.
func (t *chatTurn) first() string {
	said := fmt.Sprintf(mark, t.id)
	if t.late {
		said += t.words.Late + "\n"
	}
	return said
}

// last is what is said at the end of the turn.
func (t *chatTurn) last() string {
	q := t.now.Question
	if q == nil {
		return t.words.last(&t.now, "", false)
	}
	page := result.PageURL(t.s.opts.BaseURL, q.ID)
	said := t.words.last(&t.now, page, t.mayAnswer(q))
	return said + fmt.Sprintf(questionMark, q.ID)
}

// answerTo answers the question with the user's words. Only what is clear is a consent.
func answerTo(q *inquiry.Question, said string) usecase.Reply {
	a := usecase.Reply{QuestionID: q.ID}
	decision := usecase.Decision{Type: inquiry.Reject, Message: said}
	if saidOnly(said, consents) {
		decision = usecase.Decision{Type: inquiry.Approve}
	}
	switch {
	case q.Kind == inquiry.KindApproval:
		a.Decisions = slices.Repeat([]usecase.Decision{decision}, len(inquiry.As[inquiry.Approval](*q).ActionRequests))
	case q.Kind == inquiry.KindTakeover && saidOnly(said, isDone):
		a.ReplyType = inquiry.TypeDone
	case q.Kind == inquiry.KindTakeover:
		a.ReplyType, a.Words = inquiry.TypeCouldNot, said
	default:
		a.Words = said
	}
	return a
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

// last is what is said at the end of a turn; page and yours are as for asked.
func (w *chatWords) last(st *runs.Status, page string, yours bool) string {
	why := string(st.Reason)
	if st.Message != "" && st.Reason != agentloop.UserPaused {
		why = text.Line(st.Message)
	}
	switch answer := st.Run.Answer; {
	case st.Question != nil:
		return w.asked(st.Question, page, yours)
	case going(*st):
		return w.Going
	case st.Run.State == store.Completed && answer == "":
		return w.Completed
	case st.Run.State == store.Completed:
		return text.Lines(answer)
	case st.Run.State == store.Aborted:
		return fmt.Sprintf(w.Aborted, text.Line(answer))
	case st.Run.State == store.Paused:
		return fmt.Sprintf(w.Paused, why)
	}
	return fmt.Sprintf(w.Ended, why)
}

// asked is a question, and how it is answered. page is its address, or "". Whether it is for who
// talks here to answer is yours.
func (w *chatWords) asked(q *inquiry.Question, page string, yours bool) string {
	said := text.Lines(q.Text)
	switch {
	case !yours:
		said += "\n" + fmt.Sprintf(w.Person, page)
	case q.Kind == inquiry.KindApproval:
		said += "\n" + w.Decide
	case q.Kind == inquiry.KindTakeover:
		said += "\n" + w.HandOver
	}
	if options := inquiry.As[inquiry.Ask](*q).Options; len(options) > 0 {
		said += "\n" + fmt.Sprintf(w.Options, text.Line(strings.Join(options, " / ")))
	}
	if q.Secret && page != "" {
		said += "\n" + fmt.Sprintf(w.Secret, page)
	}
	return said
}
