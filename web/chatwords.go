package web

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
)

// chatWords are the sentences around what the agent says, in the language of the user.
type chatWords struct {
	options, secret, completed, aborted, paused, ended, going string
}

var englishChat = chatWords{
	options:   "Choose: %s",
	secret:    "(This chat keeps what you write; the answer can be given in private at %s)",
	completed: "Done.",
	aborted:   "The task was given up: %s",
	paused:    "The task is paused: %s\nSay something, and it goes on.",
	ended:     "The task has ended: %s",
	going:     "The task still goes on. Say something to steer it or to go on waiting.",
}

var chineseChat = chatWords{
	options:   "可选：%s",
	secret:    "（聊天会保留你写的内容；也可以在 %s 私下回答）",
	completed: "已完成。",
	aborted:   "任务已放弃：%s",
	paused:    "任务已暂停：%s\n再说一句话即可继续。",
	ended:     "任务已结束：%s",
	going:     "任务还在进行。可以再说一句话来调整，或者继续等待。",
}

// wordsFor are the words for an answer to what was said.
func wordsFor(said string) *chatWords {
	if strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return &chineseChat
	}
	return &englishChat
}

// stepLine is a step in a line.
func stepLine(st session.StepRecord) string {
	return fmt.Sprintf("%d. %s\n", st.Index, export.Headline(st.Proposal))
}

// last is what is said at the end of a turn.
func (w *chatWords) last(n *standing) string {
	why := n.Reason
	if n.Error != nil {
		why = text.Line(n.Error.Message)
	}
	switch {
	case n.Question != nil:
		return w.asked(n.Question)
	case n.going():
		return w.going
	case n.State == "COMPLETED" && n.Answer == "":
		return w.completed
	case n.State == "COMPLETED":
		return text.Lines(n.Answer)
	case n.State == "ABORTED":
		return fmt.Sprintf(w.aborted, text.Line(n.Final.Action.Value))
	case n.paused():
		return fmt.Sprintf(w.paused, why)
	}
	return fmt.Sprintf(w.ended, why)
}

func (w *chatWords) asked(q *chatQuestion) string {
	said := text.Lines(q.Text)
	if len(q.Options) > 0 {
		said += "\n" + fmt.Sprintf(w.options, text.Line(strings.Join(q.Options, " / ")))
	}
	if q.Secret && q.PageURL != "" {
		said += "\n" + fmt.Sprintf(w.secret, q.PageURL)
	}
	return said
}
