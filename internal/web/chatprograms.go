package web

import (
	"encoding/json"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// checkTokens is less than any answer takes. A request with a lower limit only looks whether the
// endpoint is there.
const checkTokens = 16

// maxTold is how many characters of a message say what is wanted of a model. What chat programs
// tell theirs in every conversation is longer.
const maxTold = 800

// programs says why a request is one that a chat program makes by itself, about a conversation and
// not in it: a title, tags, follow-up questions, a summary, a check of the connection. They want
// the reply in a format for programs, leave no room for one, quote both sides of a conversation, or
// begin with what is to be written of it and nothing else. It returns "" for any other request, and
// where it is in doubt; where a session is named, only the last counts.
func (c *conversation) programs() string {
	for i, m := range c.Messages {
		told := text.Cut(string(m.Content), maxTold)
		if (i == len(c.Messages)-1 || c.session == "" && m.Role != "user" &&
			helper().MatchString(told)) && written().MatchString(told) &&
			ofChats().MatchString(told) && nothingElse().MatchString(told) {
			return "it wants a title, a summary or the like of a conversation"
		}
	}
	var format struct{ Type string }
	switch {
	case c.session != "":
		return ""
	case json.Unmarshal(c.ResponseFormat, &format) == nil &&
		strings.HasPrefix(format.Type, "json"):
		return "it wants the answer as JSON for a program"
	case quotesConversation(c.words):
		return "it quotes a conversation"
	}
	for _, raw := range []json.RawMessage{c.MaxTokens, c.MaxCompletionTokens} {
		var limit float64
		if json.Unmarshal(raw, &limit) == nil && limit > 0 && limit < checkTokens {
			return "it leaves no room for an answer, as a check of the connection does"
		}
	}
	return ""
}

var (
	// below the heading of a program, in a tag of its own, behind bars, around a hole, or as a list
	// in JSON of messages with roles
	enclosed = text.Lazily(`(?is)\A\s*#+ *task: *\n|<(chat_?history|chat|conversation|messages|` +
		`history|transcript|dialogue)\b[^>]*>.*</|\n\|\|>\w+:|<\|?fim_\w+\|?>|` +
		`\{\{fill_here\}\}|\ndiff --git |` +
		`\[\s*\{\s*(?:"\w*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.-]+|` +
		`\[(?:[^\[\]"]|"(?:[^"\\]|\\.)*")*\]|` +
		`\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})\s*,\s*)*"role"\s*:\s*"[^"]`)
	// the name of a side in front of its turn
	sideOfUser      = text.Lazily(`(?im)^[\s>*#-]*(user|human|用户|人类)\**\s*[:：]`)
	sideOfAssistant = text.Lazily(`(?im)^[\s>*#-]*(assistant|ai|bot|助手|助理)\**\s*[:：]`)
	// what a program says that its model is
	helper = text.Lazily(`(?i)\A\s*(you (name|[^.\n]{0,80}\b(titles?|summar\w+|generator))\b|` +
		`你[^。\n]{0,60}(标题|摘要))`)
	// first of all, what is to be written, of what, and that the reply is to be nothing else
	written = text.Lazily(`(?is)\A\s*(please |you [^.\n]{0,200}\.\s+)?(generate|create|write|` +
		`give|make|provide|suggest|summari[sz]e)( [\w-]+){0,4} (title|tags|follow-?ups?|summary|` +
		`emoji|improved version)\b|` +
		`\A[^打在去]{0,30}?(生成|总结|概括|起|给出|建议).{0,40}?(标题|标签|摘要|关键词)`)
	ofChats = text.Lazily(`(?i)\b(the conversation|(this|our|following|above|entire) (chat|` +
		`conversation|dialog(ue)?|prompt))( so far| above| below)? *([^\w ]|\z)|` +
		`(这段|以上|上述|我们的|本次)(对话|会话|聊天)`)
	nothingElse = text.Lazily(`(?i)\b(return|reply|respond|output|answer)( with)? (only|just|` +
		`nothing)|\b(only|just) (return|reply|respond|output|answer)|\b(no|without any) ` +
		`((additional|other|extra|further) )?(text|words|explanation|punctuation|quot)|` +
		`只(返回|输出)|仅(返回|输出)|直接返回|不要解释`)
)

// quotesConversation reports whether words quote the turns of both sides of a conversation.
func quotesConversation(words string) bool {
	return enclosed().MatchString(words) ||
		sideOfUser().MatchString(words) && sideOfAssistant().MatchString(words)
}
