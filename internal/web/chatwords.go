package web

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
)

// answerTo answers the question with the user's words.
func answerTo(q *inquiry.Question, said string) usecase.Reply {
	heard := q.Hear(said)
	a := usecase.Reply{QuestionID: q.ID, Words: heard.Response}
	if heard.Type != inquiry.TypeAnswer && heard.Decisions == nil {
		a.ReplyType = heard.Type
	}
	for _, d := range heard.Decisions {
		a.Decisions = append(a.Decisions, usecase.Decision{Type: d.Type, Message: d.Message})
	}
	return a
}

// chatWords are the sentences around what the agent says, in the language of the user.
type chatWords struct {
	Lang, Hello, Options, Secret, Person, Late, Unsure, Completed, Aborted, Paused, Ended, Going string

	Kinds map[inquiry.Kind]string // how questions are answered that do not ask for words
}

var chatWordsIn = words.Of[chatWords]("chat")

// wordsFor returns the words for an answer to what was said.
func wordsFor(said string) *chatWords {
	return chatWordsIn(words.Spoken(said))
}

func going(st runs.Status) bool { return st.Reason == agentloop.StillRunning }

// last ends the text of a turn. See asked for page and yours.
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
	said := text.Lines(q.In(w.Lang).Text)
	if why := inquiry.As[inquiry.Approval](*q).Reason; why != "" {
		said += "\n" + text.Lines(why)
	}
	if how := w.Kinds[q.Kind]; !yours {
		said += "\n" + fmt.Sprintf(w.Person, page)
	} else if how != "" {
		said += "\n" + how
	}
	if options := inquiry.Choices(*q); len(options) > 0 && w.Kinds[q.Kind] == "" {
		said += "\n" + fmt.Sprintf(w.Options, text.Line(strings.Join(options, " / ")))
	}
	if q.Secret && page != "" {
		said += "\n" + fmt.Sprintf(w.Secret, page)
	}
	return said
}
